// Recorder `netcdf`: draws.nc, an InferenceData file that ArviZ and xarray open, streamed.
// SPDX-License-Identifier: Apache-2.0
#include "netcdf/draft.hpp"
#include "netcdf/names.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <utility>

/// HDF5's own; weak, as netCDF can be built without HDF5. Must come before HDF5 is first used.
extern "C" __attribute__((weak)) int H5dont_atexit(void);

namespace mixwell {
namespace {

class NetcdfRecording final : public Recording {
 public:
  explicit NetcdfRecording(RunHeader header) : header_(std::move(header)) {
    netcdf::check_names(header_.columns);
    const auto mode = header_.resume ? netcdf::File::Mode::resume : netcdf::File::Mode::create;
    draft_ = std::make_unique<netcdf::Draft>(header_, mode);
    if (header_.resume) header_.created_at = draft_->created_at();
  }

  void write(const Chunk& chunk) override { draft_->append(chunk); }
  void visit_state(StateVisitor& visitor) override { draft_->visit_state(visitor); }
  void suspend() override { draft_->suspend(); }

  void finish(const RunFooter& footer) override {
    draft_->end(footer);
    if (draft_->has_leftovers())
      publish_copy(footer);
    else
      draft_->publish(footer);
    draft_.reset();
  }

 private:
  /// A NetCDF file only grows: what is to be kept goes into a file of its own.
  void publish_copy(const RunFooter& footer) const {
    netcdf::Draft copy(header_, netcdf::File::Mode::copy);
    copy.copy(*draft_);
    copy.publish(footer);
  }

  RunHeader header_;
  std::unique_ptr<netcdf::Draft> draft_;
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
}  // namespace mixwell

MIXWELL_PLUGIN(registrar) {
  // A file on a full disk cannot be closed. HDF5 would try again when the program exits, and crash.
  if (H5dont_atexit != nullptr) H5dont_atexit();
  registrar.add<mixwell::NetcdfRecorder>({
      .id = "netcdf",
      .summary = "draws.nc: InferenceData in NetCDF-4, opened by ArviZ and xarray",
      .details =
          "Groups posterior and sample_stats, and warmup_posterior and warmup_sample_stats with\n"
          "run.record_warmup; each has its own dimensions chain, draw and <name>_dim_<k>, their\n"
          "coordinates, and replicate(chain) and slot(chain), with chain = replicate * slots + "
          "slot.\n"
          "Reals are float64, integers int64, booleans int8 with dtype = \"bool\"; units stand in\n"
          "the attribute `unit`. Draws stream to disk; memory stays below about 100 MB whatever\n"
          "their number. The file is draws.nc.partial until it is whole; an interrupted run that\n"
          "is resumed goes on writing it.",
      .sources = {"ArviZ documentation, InferenceData schema specification"},
  });
}
