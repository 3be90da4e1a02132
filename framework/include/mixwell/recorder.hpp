// The interface of recorders, which write the draws of a run to files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/state.hpp>
#include <mixwell/component/component.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/model.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// One recorded variable, declared before the run.
struct MIXWELL_EXPORT Column {
  RecordGroup group = RecordGroup::posterior;
  std::string name;
  std::vector<Index> shape;
  RecordType type = RecordType::real;
  std::string unit;
  std::string help;
  /// If true, the variable's values are the same for all draws of the sampling phase. They arrive
  /// once, with the first draw after warmup.
  bool once = false;
  /// Names of the dimensions, as in Parameter::dims: one for each length in `shape`, or none.
  std::vector<std::string> dims{};

  /// The number of values in each draw: the product of the lengths in `shape`, 1 for a scalar.
  Index size() const noexcept;
  /// Returns "" if the value fits `type`. Otherwise returns the rule that the value breaks: "0 or
  /// 1", or "a whole number from -2^53 to 2^53".
  std::string_view broken_rule(double value) const noexcept;
  friend bool operator==(const Column&, const Column&) = default;
};

/// The information that a recorder gets before the first draw.
struct RunHeader {
  std::string path;       ///< folder for the finished files
  std::string scratch{};  ///< folder for incomplete files; "" means `path`
  std::string run_name;
  std::string created_at;     ///< ISO 8601 with offset
  std::string version;        ///< of Mixwell
  std::string certificate{};  ///< class of the composition: "exact", "biased", ...
  std::string joint{};        ///< joint distribution of a replicate's slots: "product" or "coupled"
  /// If the run samples the prior: "draws" (the model draws from it) or "density" (kernels sample
  /// it). Otherwise "".
  std::string prior{};
  Index replicates = 1;
  Index slots = 1;
  std::int64_t warmup = 0;  ///< sweeps
  std::int64_t thin = 1;
  std::int64_t draws = 0;  ///< expected number of recorded draws per chain (0 = unknown); only a
                           ///< hint for the layout of files
  bool record_warmup = false;
  /// Continue the recording in `scratch` from its last saved state. This header may differ from the
  /// header of that recording only in `created_at`, `version` and `draws`.
  bool resume = false;
  std::vector<Column> columns;
  std::vector<NamedValues> observed{};  ///< the model's observed data
  std::vector<NamedValues> constant{};  ///< other inputs of the model
  std::vector<Labels> labels{};  ///< names of the elements along each dimension of columns and data

  Index chains() const noexcept { return replicates * slots; }
  const std::string& unfinished() const noexcept { return scratch.empty() ? path : scratch; }
};

/// The group's name in files. For draws from the prior this is "prior", "sample_stats_prior" or
/// "prior_predictive", as in ArviZ. Otherwise it is to_string(group).
MIXWELL_EXPORT std::string_view name_in_file(RecordGroup group, bool of_prior) noexcept;

/// Consecutive recorded draws of all columns, in RAM that the caller owns. The chunks of a phase
/// arrive in order and without gaps. If `record_warmup` is true, the chunks of warmup come first.
/// Otherwise, warmup has no chunks.
struct Chunk {
  bool warmup = false;
  std::int64_t first_draw = 0;  ///< index of the chunk's first draw within its phase
  std::int64_t draws = 0;
  /// The values of RunHeader::columns[c] are data[c][(draw * chains + chain) * size + element],
  /// where chain = replicate * slots + slot. If Column::once is true, the values are
  /// data[c][chain * size + element] in the chunk with draw 0 of the sampling phase, and data[c] is
  /// null in all other chunks.
  std::vector<const double*> data;
};

/// The information that a recorder gets after sampling has ended.
struct RunFooter {
  bool complete = true;
  double warmup_seconds = 0.0;
  double sampling_seconds = 0.0;
  /// Number of gradient evaluations in the sampling phase, summed over all chains. NaN if unknown.
  double gradients = std::numeric_limits<double>::quiet_NaN();
  std::int64_t warmup_draws = 0;  ///< number of recorded warmup draws per chain
  std::int64_t draws = 0;         ///< number of recorded sampling draws per chain
  std::string folder{};  ///< folder of the finished files; "" means the folder in the header
};

/// Receives the draws of one run, on one thread. No file has its final name before `finish`. If the
/// object is destroyed earlier, draws since the last saved state are lost. Without a saved state,
/// all draws are lost. Every function throws RunError if writing to disk fails, or if a value
/// breaks the rule of its column's type (Column::broken_rule).
class MIXWELL_EXPORT Recording {
 public:
  virtual ~Recording();
  /// Writes the next chunk.
  virtual void write(const Chunk& chunk) = 0;
  /// Saves or restores the position in the recording. This function writes all draws to disk before
  /// it saves the position. These draws do not change afterwards. Even if the process is
  /// killed later, a Recording opened with `resume` can therefore continue from this state.
  /// Restoring is allowed only immediately after opening with `resume`. Restoring sets the index of
  /// the next draw to write, and discards the draws from this index on. It throws InputError if
  /// draws of the saved state are missing.
  virtual void visit_state(StateVisitor& visitor) = 0;
  /// Writes complete files of all draws so far, under their final names. Writing may continue
  /// afterwards, and saved states stay valid. The caller removes the remaining files in `scratch`.
  virtual void finish(const RunFooter& footer) = 0;
};

/// A component of kind `recorder`: writes the draws of a run in one file format.
class MIXWELL_EXPORT Recorder : public Component {
 public:
  static constexpr Kind kind = Kind::recorder;
  ~Recorder() override;
  /// Opens a recording. Throws RunError if the file cannot be created. If RunHeader::resume
  /// is true, throws InputError if the recording is missing, or if its header differs from `header`
  /// in a field that must be the same (see RunHeader::resume). A recorder may throw this error in
  /// `visit_state` instead. In both cases, the existing files do not change.
  virtual std::unique_ptr<Recording> open(const RunHeader& header) const = 0;
};

}  // namespace mixwell
