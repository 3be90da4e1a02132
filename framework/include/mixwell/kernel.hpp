// The interface of kernels (Markov transitions of one slot), and the preconditioner of a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/component/component.hpp>
#include <mixwell/estimator.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/model.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// The phase whose graph is being built. Preconditioners are learnt only in `warmup`.
enum class PhaseKind { warmup, sampling };

/// The memory for an update of a slot: the points that an estimator may use, and the gradient at
/// each point, as values of the graph. Potentials are given either for all points or for none.
struct MemoryValues {
  std::vector<Value> points;
  std::vector<Value> gradients;
  std::vector<Value> potentials{};
  /// If true, points 2k and 2k+1 are the two ends of one displacement, and there are no potentials.
  bool displacements = false;
  /// Declares that a fit to `points` has a limit as the length of each displacement tends to 0.
  bool continuous = false;
};

/// The slot's own past points, stored in a history variable of the graph, oldest first.
struct PointHistory {
  Variable numbers{};
  Index points = 0;
};

/// The points to which a preconditioner is fitted. `memory` means the current values of other
/// slots. `history` means the points in a history variable. With `updates`, the numbers of a
/// RecursivePreconditioner are carried from sweep to sweep. Any other estimator is then fitted to
/// the site's history.
enum class FitTo { memory, history, updates };

/// The points that an update adds to the site's history: the path of the update, or the memory to
/// which its preconditioner was fitted. Use `updates` together with FitTo::updates. A
/// RecursivePreconditioner then reads the whole path to an accepted proposal, including its start.
/// The history of any other estimator gets only the end of that path.
enum class Remember { nothing, path, memory, updates };

/// The ingredients of the slot's conditional law, if the slot holds only a part of a position.
struct PositionPart {
  Value law;  ///< law of the whole position, or empty if the slot holds all of it
  /// Versions of the slots that hold the other coordinates, as this update reads them.
  std::vector<Value> rest{};
};

/// Everything that a compositor gives to one kernel.
struct Site {
  std::string path;  ///< prefix of all names that the kernel adds
  /// Not empty if several kernels record statistics with the same value of `number`. The kernel
  /// then records its statistics as `label_NAME`.
  std::string label{};
  Variable slot;     ///< the slot that the kernel updates
  Index number = 0;  ///< index of the slot among the recorded slots (in results: `slot(chain)`)
  /// The slot's factor: a constant value whose function is a Potential. If the slot holds only a
  /// part of a position, this is the conditional law of that part given the rest (conditional_law).
  Value target;
  PositionPart part{};
  MemoryValues memory{};
  PointHistory history{};
  FitTo fit_to = FitTo::memory;
  Remember remember = Remember::nothing;
  PhaseKind phase = PhaseKind::sampling;
};

/// A transition of one slot. A kernel adds its operations to the graph. A kernel may describe its
/// transition in detail, as refresh, move and accept operations. Mixwell then derives the
/// certificate from these operations. A kernel may instead add one opaque `move`. The certificate
/// then relies only on the traits that the move declares.
class MIXWELL_EXPORT Kernel : public Component {
 public:
  static constexpr Kind kind = Kind::kernel;
  ~Kernel() override;

  /// Adds the transition to the graph, in the order of its operations.
  virtual void describe(KernelGraph& graph, const Site& site) const = 0;
};

/// Adds a constant value whose function is the model's own density exp(-U).
[[gnu::cold]] MIXWELL_EXPORT Value target_law(KernelGraph& graph, std::string name,
                                              std::shared_ptr<const Model> model);

/// Adds a history variable that stores the last `points` points of a slot. Use it as Site::history.
/// Until the history is full, it repeats the first point. Estimators ignore pairs of equal points,
/// because their displacement is zero. Before the first point the history is empty. A fit then
/// returns the H that the estimator computes from zero pairs.
[[gnu::cold]] MIXWELL_EXPORT PointHistory add_point_history(KernelGraph& graph, std::string name,
                                                            Index dimension, Index points);

/// Number of rows of a path. Each point has U, then theta, then grad U.
constexpr Index path_rows(Index dimension, Index points) noexcept {
  return points * (2 * dimension + 1);
}

/// A law, and its evaluation at the slot. A preconditioner that depends on the slot is computed
/// from these.
struct Dynamics {
  Value law;
  Cached at;
};

class RecursivePreconditioner;

/// The preconditioner of one kernel in one graph. There are four kinds: a constant; a pure fit to
/// the site's memory or to its history; a history that is learnt from the slot during warmup; and a
/// function of the slot itself, which is not fixed after warmup.
class MIXWELL_EXPORT SitePreconditioner {
 public:
  /// Adds the preconditioner to the graph. A kernel passes `of` only if its drift has a term for
  /// Gamma. Throws InputError if the estimator is an OwnPreconditioner and `of` is null.
  SitePreconditioner(KernelGraph& graph, const Site& site,
                     std::shared_ptr<const Estimator> estimator, const Dynamics* of = nullptr);

  /// The preconditioner's function together with its numbers, as they are before the transition.
  Value value() const noexcept { return value_; }
  /// Gamma (d x w), or an empty value if there is none.
  Value drift_correction() const noexcept { return drift_correction_; }
  bool learns() const noexcept { return learner_ != nullptr; }
  /// Adds the operations that update the learner and the site's history. Call this function after
  /// the transition. In the windows of warmup (WarmupWindows), a learner reads the slot's newest
  /// version. At the end of each window, the learner changes the preconditioner. The site's history
  /// gets the points that Site::remember names. `path` (path_rows x w) is the path to the proposal.
  /// The path is stored only in the columns where the slot is now at the end of the path. If a
  /// kernel passes no path, the slot's new position is stored instead.
  void learn(KernelGraph& graph, const Site& site, Value path = {}) const;
  /// Records the learnt H once, as `inv_metric`.
  void record(KernelGraph& graph, const Site& site) const;

 private:
  void learn_from_slot(KernelGraph& graph, const Site& site);
  void carry(KernelGraph& graph, const Site& site,
             const std::shared_ptr<const FittedPreconditioner>& estimator);
  void update(KernelGraph& graph, const Site& site, Value path) const;
  void follow_slot(KernelGraph& graph, const Site& site, const Dynamics* of,
                   const std::shared_ptr<const OwnPreconditioner>& own);
  void fit_own(KernelGraph& graph, const Site& site, Value from,
               const std::shared_ptr<const OwnPreconditioner>& own);

  std::shared_ptr<const LearntPreconditioner> learner_;
  Variable learnt_{};
  Value value_;
  Value drift_correction_;
  Variable updated_{};  ///< FitTo::updates: carried numbers, or the history that H is fitted to
  std::shared_ptr<const RecursivePreconditioner> recursive_;  ///< estimator of `updated_`, or null
};
using SiteCurvature [[deprecated("renamed to SitePreconditioner")]] = SitePreconditioner;

/// Returns the name under which this site records `name`: with the site's label in front, if it has
/// one.
MIXWELL_EXPORT std::string recorded_name(const Site& site, const std::string& name);

/// Records a statistic of the transition together with the draws.
[[gnu::cold]] MIXWELL_EXPORT void record_statistic(KernelGraph& graph, const Site& site,
                                                   std::string name, Value value, RecordType type,
                                                   std::string unit, std::string help);

/// Throws InputError unless the slots of the position together hold exactly the coordinates of the
/// model. This is required because Mixwell initialises, records and verifies only whole positions.
MIXWELL_EXPORT void require_whole_position(const KernelGraph& graph, const std::string& position,
                                           const Model& model);

/// Records the parameters at a slot's position, and also the model's derived and generated
/// quantities. If derived quantities replace the parameters, the parameters are not recorded. If
/// `law` is given, also records lp = -U.
[[gnu::cold]] MIXWELL_EXPORT void record_slot(KernelGraph& graph, Variable slot, Index number,
                                              std::shared_ptr<const Model> model, Value law);

}  // namespace mixwell
