// Recorder `netcdf`: streams draws to draws.nc, an InferenceData file for ArviZ and xarray.
// SPDX-License-Identifier: Apache-2.0
#include "netcdf/parts.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <utility>

/// A function of HDF5, to be called before HDF5 is first used. The symbol is weak because netCDF
/// can be built without HDF5.
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
  // A file on a full disk cannot be closed. At exit HDF5 would try to close it again, and crash.
  if (H5dont_atexit != nullptr) H5dont_atexit();
  registrar.add<mixwell::netcdf::NetcdfRecorder>({
      .id = "netcdf",
      .summary = "draws.nc: InferenceData in NetCDF-4, which ArviZ and xarray can open",
      .details =
          "The file has the groups `posterior` and `sample_stats`. If run.record_warmup = true, it "
          "also has `warmup_posterior` and `warmup_sample_stats`. Each group has its own "
          "dimensions `chain`, `draw` and `<name>_dim_<k>`. Each dimension has a coordinate of the "
          "same name. The coordinates `replicate` and `slot` have the dimension `chain`, and chain "
          "= replicate * slots + slot. Reals are float64, integers are int64, and booleans are "
          "int8 with the attribute dtype = \"bool\". The attribute `unit` of a variable gives its "
          "unit. Mixwell streams the draws to disk, so it needs at most about 100 MB of RAM for "
          "any number of draws. The draws are in draws.nc.partial until the run ends. Each time "
          "Mixwell saves the state of the run, it closes this file for good and continues with "
          "draws.nc.partial.1, then draws.nc.partial.2, and so on.",
      .sources = {"ArviZ documentation, InferenceData schema specification"},
      .purpose = "draws.nc",
  });
}
