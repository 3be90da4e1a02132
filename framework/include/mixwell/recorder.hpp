// Where recorded draws go.
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
  /// Its numbers come once, with the first draw after warm-up, and hold for all draws of sampling.
  bool once = false;
  /// Names of dimensions, as those of a parameter: as many as `shape` has lengths, or none.
  std::vector<std::string> dims{};

  /// Numbers per draw: the product of `shape`, 1 for a scalar.
  Index size() const noexcept;
  /// "" if a number is one of `type`, else what it must be: 0 or 1, or whole and at most 2^53.
  std::string_view broken_rule(double value) const noexcept;
  friend bool operator==(const Column&, const Column&) = default;
};

/// What a recorder knows before the first draw.
struct RunHeader {
  std::string path;       ///< folder of the finished files
  std::string scratch{};  ///< folder of files that are not whole yet; "" = `path`
  std::string run_name;
  std::string created_at;     ///< ISO 8601 with offset
  std::string version;        ///< of Mixwell
  std::string certificate{};  ///< class of the composition: "exact", "biased", ...
  std::string joint{};        ///< of the slots of a replicate: "product", "coupled"
  std::string prior{};        ///< where draws are of the prior: "draws" of it or its "density"
  Index replicates = 1;
  Index slots = 1;
  std::int64_t warmup = 0;  ///< sweeps
  std::int64_t thin = 1;
  std::int64_t draws = 0;  ///< recorded draws to expect per chain, 0 = unknown; a hint for layout
  bool record_warmup = false;
  /// Continue what a recording with the same header left in `scratch` when its state was saved;
  /// `created_at`, `version` and `draws` may differ.
  bool resume = false;
  std::vector<Column> columns;
  std::vector<NamedValues> observed{};  ///< what the draws are compared with
  std::vector<NamedValues> constant{};  ///< what else the model was given
  std::vector<Labels> labels{};         ///< of dimensions that columns and data name

  Index chains() const noexcept { return replicates * slots; }
  const std::string& unfinished() const noexcept { return scratch.empty() ? path : scratch; }
};

/// The group's name in files: of draws of the prior "prior", "sample_stats_prior" and
/// "prior_predictive", as ArviZ has them, else to_string(group).
MIXWELL_EXPORT std::string_view name_in_file(RecordGroup group, bool of_prior) noexcept;

/// Consecutive recorded draws of all columns, in memory owned by the caller. Chunks of a phase come
/// in order without gaps, warm-up first, and warm-up only where the header asks to record it.
struct Chunk {
  bool warmup = false;
  std::int64_t first_draw = 0;  ///< of the first in this chunk, counted per phase
  std::int64_t draws = 0;
  /// For column c of the header: data[c][(draw * chains + chain) * size + element], chain =
  /// replicate * slots + slot. Of a column that is `once`: data[c][chain * size + element] in the
  /// chunk that holds draw 0 of sampling, and null in all others.
  std::vector<const double*> data;
};

/// What is known once sampling has ended.
struct RunFooter {
  bool complete = true;
  double warmup_seconds = 0.0;
  double sampling_seconds = 0.0;
  /// Gradients of the sampling phase over all chains; NaN where unknown.
  double gradients = std::numeric_limits<double>::quiet_NaN();
  std::int64_t warmup_draws = 0;  ///< recorded, per chain
  std::int64_t draws = 0;         ///< recorded, per chain
  std::string folder{};           ///< of the finished files; "" = that of the header
};

/// Receives the draws of one run; used by one thread. Until `finish` nothing stands under its final
/// name. Draws written since the state was last saved go with the object, and all of them where it
/// never was. All throw RunError when the disk or a number (a boolean that is neither 0 nor 1) does
/// not allow more.
class MIXWELL_EXPORT Recording {
 public:
  virtual ~Recording();
  virtual void write(const Chunk& chunk) = 0;
  /// Where it stands. Forces all draws to disk first and never changes them again, so that a fresh
  /// recording goes on from a state saved now, even if the process is killed at any later moment.
  /// Read right after opening with `resume`, it sets the draw to write next; what was written
  /// beyond is left out. Reading throws InputError when not all draws of the state are there.
  virtual void visit_state(StateVisitor& visitor) = 0;
  /// Whole files of all draws so far, under their final names. Writing may go on, and a saved state
  /// stays good; the caller removes what is left in `scratch`.
  virtual void finish(const RunFooter& footer) = 0;
};

/// A format of results.
class MIXWELL_EXPORT Recorder : public Component {
 public:
  static constexpr Kind kind = Kind::recorder;
  ~Recorder() override;
  /// Throws RunError when the file cannot be made. With `resume` this or reading the state throws
  /// InputError when there is nothing to continue, or something of another header, and does not
  /// touch it.
  virtual std::unique_ptr<Recording> open(const RunHeader& header) const = 0;
};

}  // namespace mixwell
