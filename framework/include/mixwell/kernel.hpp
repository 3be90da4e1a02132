// Markov transitions, and the curvature that one of them has.
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

/// Which program is being built. In `sampling` nothing is learnt any more.
enum class PhaseKind { warmup, sampling };

/// What an update of a slot may see, as values of the graph: points with as many gradients, and as
/// many potentials or none.
struct MemoryValues {
  std::vector<Value> points;
  std::vector<Value> gradients;
  std::vector<Value> potentials{};
  /// Points 2 k and 2 k + 1 are the ends of one displacement; then there are no potentials.
  bool displacements = false;
  /// What is fitted to the points has a limit when the ends of every displacement meet.
  bool continuous = false;
};

/// Past points in a register of the graph, oldest first: what a chain was, not what it is.
struct PointHistory {
  Variable numbers{};
  Index points = 0;
};

/// What a fit of a curvature sees: current values of other slots, or a register. `updates`: numbers
/// that a RecursiveCurvature carries, for other fits the site's history.
enum class FitTo { memory, history, updates };

/// What an update adds to its site's history: its own way, or the memory it was fitted to.
/// `updates`, with FitTo::updates: a RecursiveCurvature sees the whole way to a proposal that was
/// accepted, its start included; the history of another fit the place that the way led to.
enum class Remember { nothing, path, memory, updates };

/// What the law of a slot is made from that holds a part of a position.
struct PositionPart {
  Value law;  ///< of the whole position; none where the slot is the whole
  /// Versions of the slots that hold its other coordinates, as the update is to see them.
  std::vector<Value> rest{};
};

/// The place of a kernel in a composition.
struct Site {
  std::string path;  ///< prefix of all names the kernel adds
  /// Set where several kernels move the slot: what this one records is called `label_NAME`.
  std::string label{};
  Variable slot;     ///< what it updates
  Index number = 0;  ///< of that slot among the recorded ones: `slot(chain)`
  /// Factor of the slot: constant whose function is a Potential. Where the slot is a part of a
  /// position, that law given the rest (conditional_law).
  Value target;
  PositionPart part{};
  MemoryValues memory{};
  PointHistory history{};
  FitTo fit_to = FitTo::memory;
  Remember remember = Remember::nothing;
  PhaseKind phase = PhaseKind::sampling;
};

/// A transition of one slot. It emits its operations into the graph, either in the fine grain of
/// refresh, move and accept, from which the certificate is derived, or as one opaque `move` whose
/// declared traits are all there is to go by.
class MIXWELL_EXPORT Kernel : public Component {
 public:
  static constexpr Kind kind = Kind::kernel;
  ~Kernel() override;

  virtual void describe(KernelGraph& graph, const Site& site) const = 0;
};

/// The constant value of a model's own law exp(-U).
[[gnu::cold]] MIXWELL_EXPORT Value target_law(KernelGraph& graph, std::string name,
                                              std::shared_ptr<const Model> model);

/// A register of `points` past points for Site::history. It holds copies of the first point until
/// it is full, so that a fit sees pairs without length, which no estimator counts; before the first
/// it is empty and fits get the estimator's H without pairs.
[[gnu::cold]] MIXWELL_EXPORT PointHistory add_point_history(KernelGraph& graph, std::string name,
                                                            Index dimension, Index points);

/// Rows of a path of n points: for each U, then theta, then grad U.
constexpr Index path_rows(Index dimension, Index points) noexcept {
  return points * (2 * dimension + 1);
}

/// A law and its evaluation at the slot, from which a curvature may follow the slot.
struct Dynamics {
  Value law;
  Cached at;
};

class RecursiveCurvature;

/// The curvature of one kernel in one graph: a constant, a pure fit to the site's memory or
/// history, a register that learns from the slot in warm-up, or one that follows the slot for ever.
class MIXWELL_EXPORT SiteCurvature {
 public:
  /// `of`: what a kernel gives that has a place for Gamma in its drift. Others refuse an estimator
  /// that is an OwnCurvature.
  SiteCurvature(KernelGraph& graph, const Site& site, std::shared_ptr<const Estimator> estimator,
                const Dynamics* of = nullptr);

  /// The function with its numbers, as it is before the transition.
  Value value() const noexcept { return value_; }
  /// Gamma, d x w, if there is one.
  Value drift_correction() const noexcept { return drift_correction_; }
  bool learns() const noexcept { return learner_ != nullptr; }
  /// After the transition. In warm-up a learner sees the slot's newest version, and changes the
  /// curvature where one of the WarmupWindows closes. A site's history sees what Site::remember
  /// says; `path` (path_rows x w) is the way to the proposal, kept where the slot is at its end. A
  /// kernel without one adds the slot's new position.
  void learn(KernelGraph& graph, const Site& site, Value path = {}) const;
  /// The learnt H, once, as `inv_metric`.
  void record(KernelGraph& graph, const Site& site) const;

 private:
  void learn_from_slot(KernelGraph& graph, const Site& site);
  void carry(KernelGraph& graph, const Site& site,
             const std::shared_ptr<const FittedCurvature>& estimator);
  void update(KernelGraph& graph, const Site& site, Value path) const;
  void follow_slot(KernelGraph& graph, const Site& site, const Dynamics* of,
                   const std::shared_ptr<const OwnCurvature>& own);
  void fit_own(KernelGraph& graph, const Site& site, Value from,
               const std::shared_ptr<const OwnCurvature>& own);

  std::shared_ptr<const LearntCurvature> learner_;
  Variable learnt_{};
  Value value_;
  Value drift_correction_;
  Variable updated_{};                                   ///< of FitTo::updates
  std::shared_ptr<const RecursiveCurvature> recursive_;  ///< whose numbers these are, or null
};

/// The name under which this site records `name`: with its label before it, if it has one.
MIXWELL_EXPORT std::string recorded_name(const Site& site, const std::string& name);

/// A statistic of the transition, recorded beside the draws.
[[gnu::cold]] MIXWELL_EXPORT void record_statistic(KernelGraph& graph, const Site& site,
                                                   std::string name, Value value, RecordType type,
                                                   std::string unit, std::string help);

/// Throws InputError, by name, where the slots of a position do not hold all coordinates of the
/// model together and nothing else: positions are started, recorded and verified whole.
MIXWELL_EXPORT void require_whole_position(const KernelGraph& graph, const std::string& position,
                                           const Model& model);

/// Records a slot's position (through the constraints of the model's parameters, unless derived
/// quantities replace it), derived and generated quantities, and lp = -U where a law is given.
[[gnu::cold]] MIXWELL_EXPORT void record_slot(KernelGraph& graph, Variable slot, Index number,
                                              std::shared_ptr<const Model> model, Value law);

}  // namespace mixwell
