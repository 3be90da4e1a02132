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
  /// If true, its numbers arrive once, with the first draw after warmup, and hold for all draws of
  /// the sampling phase.
  bool once = false;
  /// Names of the dimensions, as Parameter::dims: one for each length in `shape`, or none.
  std::vector<std::string> dims{};

  /// Numbers in each draw: the product of `shape`, 1 for a scalar.
  Index size() const noexcept;
  /// Returns "" if the value fits `type`. Otherwise returns the rule: 0 or 1, or a whole number of
  /// at most 2^53.
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
  std::string joint{};        ///< joint distribution of a replicate's slots: "product", "coupled"
  std::string prior{};        ///< for draws of the prior, the method: "draws" or "density"
  Index replicates = 1;
  Index slots = 1;
  std::int64_t warmup = 0;  ///< sweeps
  std::int64_t thin = 1;
  std::int64_t draws = 0;  ///< expected number of recorded draws for each chain, 0 = unknown; only
                           ///< a hint for the layout
  bool record_warmup = false;
  /// Continue the recording with the same header that is in `scratch`, from its last saved state.
  /// `created_at`, `version` and `draws` may differ.
  bool resume = false;
  std::vector<Column> columns;
  std::vector<NamedValues> observed{};  ///< data that the draws are compared with
  std::vector<NamedValues> constant{};  ///< other inputs of the model
  std::vector<Labels> labels{};  ///< element names of the dimensions that columns and data use

  Index chains() const noexcept { return replicates * slots; }
  const std::string& unfinished() const noexcept { return scratch.empty() ? path : scratch; }
};

/// The group's name in files. For draws from the prior this is "prior", "sample_stats_prior" or
/// "prior_predictive", as in ArviZ. Otherwise it is to_string(group).
MIXWELL_EXPORT std::string_view name_in_file(RecordGroup group, bool of_prior) noexcept;

/// Consecutive recorded draws of all columns, in RAM that the caller owns. The chunks of a phase
/// arrive in order and without gaps. Warmup comes first, and only if the header asks to record it.
struct Chunk {
  bool warmup = false;
  std::int64_t first_draw = 0;  ///< index of the first draw here, counted in each phase
  std::int64_t draws = 0;
  /// Numbers of column c of the header: data[c][(draw * chains + chain) * size + element], where
  /// chain = replicate * slots + slot. For a column that is `once`: data[c][chain * size + element]
  /// in the chunk that holds draw 0 of the sampling phase, and null in all other chunks.
  std::vector<const double*> data;
};

/// The information that a recorder gets after sampling has ended.
struct RunFooter {
  bool complete = true;
  double warmup_seconds = 0.0;
  double sampling_seconds = 0.0;
  /// Gradients of the sampling phase, over all chains. NaN if unknown.
  double gradients = std::numeric_limits<double>::quiet_NaN();
  std::int64_t warmup_draws = 0;  ///< recorded warmup draws of each chain
  std::int64_t draws = 0;         ///< recorded sampling draws of each chain
  std::string folder{};  ///< folder of the finished files; "" means the folder in the header
};

/// Receives the draws of one run, on one thread. No file has its final name before `finish`. If the
/// object is destroyed earlier, draws since the last saved state are lost. Without a saved state,
/// all draws are lost. Every function throws RunError if the disk fails or a number is invalid,
/// such as a boolean that is neither 0 nor 1.
class MIXWELL_EXPORT Recording {
 public:
  virtual ~Recording();
  /// Writes the next chunk.
  virtual void write(const Chunk& chunk) = 0;
  /// Saves or restores the position in the recording. Saving first writes all draws to disk and
  /// never changes them again. A new recording can therefore continue from this state, even if the
  /// process is killed at any later moment. Restoring works right after opening with `resume`: it
  /// sets the next draw to write and discards later draws. Restoring throws InputError if draws of
  /// the saved state are missing.
  virtual void visit_state(StateVisitor& visitor) = 0;
  /// Writes complete files of all draws so far, under their final names. Writing may continue
  /// afterwards, and saved states stay valid. The caller removes the remaining files in `scratch`.
  virtual void finish(const RunFooter& footer) = 0;
};

/// A format of results.
class MIXWELL_EXPORT Recorder : public Component {
 public:
  static constexpr Kind kind = Kind::recorder;
  ~Recorder() override;
  /// Opens a recording. Throws RunError if the file cannot be created. With `resume`, this function
  /// or the restoring of the state throws InputError if there is no recording to continue or its
  /// header differs. The existing files are then left unchanged.
  virtual std::unique_ptr<Recording> open(const RunHeader& header) const = 0;
};

}  // namespace mixwell
