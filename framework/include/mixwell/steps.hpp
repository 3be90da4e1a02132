// The number of steps of each transition: fixed, jittered, or by a rule, which may learn.
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

/// What a rule learns in warm-up from the trajectories of all replicates; frozen afterwards.
class MIXWELL_EXPORT StepLearner {
 public:
  /// One trajectory of each of R replicates.
  struct Trajectories {
    ConstMatrixMap start;         ///< theta, d x R
    ConstMatrixMap end;           ///< theta*, d x R, whether or not it is accepted
    ConstMatrixMap end_velocity;  ///< theta' = A M^-1 p there, d x R
    ConstRowMap acceptance;       ///< 1 x R
    ConstRowMap eps;              ///< 1 x R
    ConstRowMap L;                ///< 1 x R
    Workspace& scratch;
  };

  virtual ~StepLearner();
  /// The numbers before anything was seen, rows x 1.
  virtual Eigen::VectorXd initial() const = 0;
  virtual void update(const Trajectories& seen, Eigen::Ref<Eigen::VectorXd> state) const = 0;
};

/// The number L of steps of a transition, by a rule of its own: a component of kind `steps`.
class MIXWELL_EXPORT StepRule : public Component {
 public:
  static constexpr Kind kind = Kind::steps;
  ~StepRule() override;

  /// What may be known before the transition, but not where it starts: L must not depend on theta.
  struct BeforeMove {
    std::uint64_t sweep;
    ConstRowMap eps;        ///< 1 x w
    ConstMatrixMap learnt;  ///< rows x 1, what the learner's initial() has; rows = 0 without one
    const edge::Noise& noise;
  };
  /// L of each column, 1 x w: numbers that are rounded up to whole ones and kept in 1..Steps::most.
  virtual void draw(const BeforeMove& before, Row L) const = 0;
  /// Null: it learns nothing.
  virtual const StepLearner* as_learner() const noexcept { return nullptr; }
};

/// What a manifest says about them. Where it says nothing: L uniform on 5..15, as trajectories of
/// one length come back to where they began in directions whose period they hit.
struct MIXWELL_EXPORT Steps {
  static constexpr double most = 1e6;
  static constexpr Interval usual{5, 15};

  std::optional<std::int64_t> count{};
  std::optional<Interval> jitter{};
  std::shared_ptr<const StepRule> rule{};

  /// Keys `steps`, `steps_jitter` and `steps_from`.
  void declare(Fields& fields);
  /// Only the key `steps`.
  void declare_fixed(Fields& fields, const std::string& help);
  /// Throws ParameterError where the settings contradict one another.
  void check() const;
  /// As a kernel's Params::settle.
  void settle();
  /// L where it is the same in all transitions, else 0.
  std::int64_t fixed() const noexcept { return jitter || rule ? 0 : count.value_or(0); }
};

/// Where a trajectory led, for those that learn from it.
struct TrajectoryEdges {
  Edge<edge::Proposed<edge::Position>> end;
  Edge<edge::Proposed<edge::Momentum>> end_momentum;
  Coupling coupling = Coupling::none;
  Edge<edge::Curvature> H;
};

/// L of one kernel in one graph. Call in the order of the sweep: the constructor, after the
/// transition `learn`.
class MIXWELL_EXPORT StepCounts {
 public:
  /// Throws WiringError for a rule without eps.
  StepCounts(KernelGraph& graph, const Site& site, const Steps& settings,
             std::optional<Edge<edge::StepSize>> eps);

  /// L of this transition, 1 x w.
  Edge<edge::StepCount> value() const noexcept { return value_; }
  bool learns() const noexcept { return rule_ && rule_->as_learner() != nullptr; }
  /// In warm-up. `before`: the slot's version that the transition started from.
  void learn(KernelGraph& graph, const Site& site, Value before, const TrajectoryEdges& seen,
             Edge<edge::Acceptance> acceptance) const;

 private:
  std::shared_ptr<const StepRule> rule_;
  Variable learnt_{};
  Edge<edge::StepSize> eps_{};
  Edge<edge::StepCount> value_{};
};

}  // namespace mixwell
