// The number of steps of each transition: fixed, jittered, or drawn by a rule that can adapt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/component/component.hpp>
#include <mixwell/component/fields.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/integrator.hpp>
#include <mixwell/kernel.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace mixwell {

/// The learner of a rule. It updates its state during warmup, using the trajectories of all
/// replicates. After warmup the state stays fixed.
class MIXWELL_EXPORT StepLearner {
 public:
  /// One trajectory for each of R replicates.
  struct Trajectories {
    ConstMatrixMap start;         ///< theta, d x R
    ConstMatrixMap end;           ///< proposal theta*, accepted or not, d x R
    ConstMatrixMap end_velocity;  ///< velocity A M^-1 p at the end (NOTATION.md: Flow), d x R
    ConstRowMap acceptance;       ///< 1 x R
    ConstRowMap eps;              ///< 1 x R
    ConstRowMap L;                ///< 1 x R
    Workspace& scratch;
  };

  virtual ~StepLearner();
  /// The learner's initial state, rows x 1.
  virtual Eigen::VectorXd initial() const = 0;
  /// Updates the learner's state (rows x 1) after a sweep.
  virtual void update(const Trajectories& seen, Eigen::Ref<Eigen::VectorXd> state) const = 0;
};

/// A component of kind `steps`: draws L, the number of steps of each transition.
class MIXWELL_EXPORT StepRule : public Component {
 public:
  static constexpr Kind kind = Kind::steps;
  ~StepRule() override;

  /// The values that the rule may use before the transition. The position is not among them,
  /// because L must not depend on theta.
  struct BeforeMove {
    std::uint64_t sweep;
    ConstRowMap eps;        ///< 1 x w
    ConstMatrixMap learnt;  ///< the learner's state, rows x 1; rows = 0 if there is no learner
    const edge::Noise& noise;
  };
  /// Writes the numbers of steps of the w columns to `L` (1 x w). Mixwell rounds them up to whole
  /// numbers and limits them to 1..Steps::most.
  virtual void draw(const BeforeMove& before, Row L) const = 0;
  /// The learner of this rule, or null if the rule does not learn.
  virtual const StepLearner* as_learner() const noexcept { return nullptr; }
};

/// The number of steps, as set in a manifest. By default, L is uniform on 5..15, because
/// trajectories of equal length return to their start in every direction whose period matches that
/// length.
struct MIXWELL_EXPORT Steps {
  static constexpr double most = 1e6;
  static constexpr Interval usual{5, 15};

  std::optional<std::int64_t> count{};
  std::optional<Interval> jitter{};
  std::shared_ptr<const StepRule> rule{};

  /// Declares the keys `steps`, `steps_jitter` and `steps_from`.
  void declare(Fields& fields);
  /// Declares only the key `steps`.
  void declare_fixed(Fields& fields, const std::string& help);
  /// Throws ParameterError if the settings contradict one another.
  void check() const;
  /// Sets the defaults, as Params::settle does for a kernel.
  void settle();
  /// Returns L if it is the same in all transitions, otherwise 0.
  std::int64_t fixed() const noexcept { return jitter || rule ? 0 : count.value_or(0); }
};

/// The end of a trajectory, for rules that learn from it.
struct TrajectoryEdges {
  Edge<edge::Proposed<edge::Position>> end;
  Edge<edge::Proposed<edge::Momentum>> end_momentum;
  Coupling coupling = Coupling::none;
  Edge<edge::Preconditioner> H;
};

/// The number of steps of one kernel in one graph. Call the constructor before the kernel adds the
/// operations of its transition to the graph. Call `learn` after the kernel has added them.
class MIXWELL_EXPORT StepCounts {
 public:
  /// Throws WiringError if `settings` has a rule but `eps` is empty.
  StepCounts(KernelGraph& graph, const Site& site, const Steps& settings,
             std::optional<Edge<edge::StepSize>> eps);

  /// L of this transition, 1 x w.
  Edge<edge::StepCount> value() const noexcept { return value_; }
  bool learns() const noexcept { return rule_ && rule_->as_learner() != nullptr; }
  /// Adds to `graph` the operation that updates the learner. Does nothing after warmup, or if there
  /// is no learner. `before` is the slot's version at the start of the transition.
  void learn(KernelGraph& graph, const Site& site, Value before, const TrajectoryEdges& seen,
             Edge<edge::Acceptance> acceptance) const;

 private:
  std::shared_ptr<const StepRule> rule_;
  Variable learnt_{};
  Edge<edge::StepSize> eps_{};
  Edge<edge::StepCount> value_{};
};

}  // namespace mixwell
