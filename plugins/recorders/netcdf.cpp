// Recorder `netcdf`: draws.nc, an InferenceData file that ArviZ and xarray open, streamed.
// SPDX-License-Identifier: Apache-2.0
#include "netcdf/parts.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <utility>

/// HDF5's own; weak, as netCDF can be built without HDF5. Must come before HDF5 is first used.
extern "C" __attribute__((weak)) int H5dont_atexit(void);

namespace mixwell::netcdf {
namespace {

class NetcdfRecording final : public Recording {
 public:
  explicit NetcdfRecording(RunHeader header) {
    const NetcdfTurn turn;
    parts_ = std::make_unique<Parts>(std::move(header));
  }
  ~NetcdfRecording() override {
    const NetcdfTurn turn;
    parts_.reset();
  }
  NetcdfRecording(const NetcdfRecording&) = delete;
  NetcdfRecording& operator=(const NetcdfRecording&) = delete;

  void write(const Chunk& chunk) override {
    const NetcdfTurn turn;
    parts_->append(chunk);
  }
  void visit_state(StateVisitor& visitor) override {
    const NetcdfTurn turn;
    parts_->visit_state(visitor);
  }
  void finish(const RunFooter& footer) override {
    const NetcdfTurn turn;
    parts_->publish(footer);
  }

 private:
  std::unique_ptr<Parts> parts_;
};

class NetcdfRecorder final : public Recorder {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit NetcdfRecorder(const Params&) {}
  std::unique_ptr<Recording> open(const RunHeader& header) const override {
    return std::make_unique<NetcdfRecording>(header);
  }
};

}  // namespace
}  // namespace mixwell::netcdf

MIXWELL_PLUGIN(registrar) {
  // A file on a full disk cannot be closed. HDF5 would try again when the program exits, and crash.
  if (H5dont_atexit != nullptr) H5dont_atexit();
  registrar.add<mixwell::netcdf::NetcdfRecorder>({
      .id = "netcdf",
      .summary = "draws.nc: InferenceData in NetCDF-4, opened by ArviZ and xarray",
      .details =
          "Groups posterior and sample_stats, and warmup_posterior and warmup_sample_stats with\n"
          "run.record_warmup; each has its own dimensions chain, draw and <name>_dim_<k>, their\n"
          "coordinates, and replicate(chain) and slot(chain), with chain = replicate * slots + "
          "slot.\n"
          "Reals are float64, integers int64, booleans int8 with dtype = \"bool\"; units stand in\n"
          "the attribute `unit`. Draws stream to disk; memory stays below about 100 MB whatever\n"
          "their number. Until they are whole they are in draws.nc.partial; each time the state "
          "of\n"
          "the run is saved that file is closed for good, and draws.nc.partial.1, ... follow.",
      .sources = {"ArviZ documentation, InferenceData schema specification"},
      .purpose = "draws.nc",
  });
}
