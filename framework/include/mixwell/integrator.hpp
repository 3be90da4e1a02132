// Maps of phase space: many steps of theta' = A M^-1 p, p' = -A' grad U.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/random.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/component/component.hpp>
#include <mixwell/law/function.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace mixwell {

/// How a curvature enters the Hamiltonian flow (A, M): theta' = A M^-1 p, p' = -A' grad U,
/// p ~ N(0, M).
enum class Coupling {
  none,       ///< (I, I): HMC
  mass,       ///< (I, B): HMC-BFGS, Zhang & Sutton 2011 (their Eq. 15 prints B^-1 for B)
  symmetric,  ///< (H, I): QNHMC, Fu, Luo & Zhang 2016
  factor,     ///< (S, I): the kernel of (I, B) in other coordinates
  one_sided,  ///< A = H only in theta', M = I: the naive dynamics of QNHMC section 3.1
};

/// "mass", "symmetric", "factor" or "one-sided"; none where the curvature is the identity.
MIXWELL_EXPORT Coupling coupling_from(const std::string& word, bool curved);

/// The two linear maps of a flow, for the columns of one block.
class MIXWELL_EXPORT Flow {
 public:
  Flow(Coupling coupling, std::optional<Curvature> curvature) noexcept;

  /// The same for a block whose k-th column is columns[k] of this one; `columns` is kept.
  Flow regrouped(const Index* columns) const noexcept;
  /// Whether velocity(p) = p; then the product need not be formed.
  bool velocity_is_momentum() const noexcept;
  bool force_is_gradient() const noexcept;
  /// M = I: else it is B, and velocity(p) = M^-1 p.
  bool mass_is_identity() const noexcept;
  /// out = A M^-1 p. out must not alias p.
  void velocity(ConstBatch p, Batch out, Workspace& scratch) const;
  /// out = A' g. out must not alias g.
  void force(ConstBatch g, Batch out, Workspace& scratch) const;

 private:
  Coupling coupling_;
  std::optional<Curvature> curvature_;
};

/// A point of phase space with the gradient there; all d x w, contiguous, changed in place.
struct PhasePoint {
  Batch theta;
  Batch p;
  Batch g;
};

/// Everything a trajectory is made from.
struct Motion {
  const Law& law;
  const Flow& flow;
  ConstMatrixMap eps;  ///< d x w, each column holds its step size d times
  Workspace& scratch;
  /// Steps that the transition has behind it. Step k, counted from 0, ends with evaluation k + 1 of
  /// a noisy law and uses draw k of `noise`.
  std::uint32_t steps_before = 0;
  const NormalSource* noise = nullptr;  ///< not null for an integrator with noise
  /// Gamma, d x w: added to the drift -A A' grad U of an overdamped step. Empty = 0.
  ConstMatrixMap drift_correction{nullptr, 0, 0};
  /// False: nobody reads the gradient at the end; an integrator may save it.
  bool end_gradient = true;
};

/// Steps of one scheme. Stateless between calls.
class MIXWELL_EXPORT Integrator : public Component {
 public:
  static constexpr Kind kind = Kind::integrator;
  ~Integrator() override;

  virtual Traits traits() const = 0;
  /// Needs Motion::noise.
  virtual bool has_noise() const noexcept { return false; }
  /// The momentum is damped, in balance with the noise.
  virtual bool has_friction() const noexcept { return false; }
  /// Reads point.g on entry.
  virtual bool starts_with_gradient() const noexcept { return true; }
  /// Adds Motion::drift_correction.
  virtual bool takes_drift_correction() const noexcept { return false; }
  /// Asks Motion::law for the covariance of its noise, so that the law must offer GradientNoise.
  virtual bool wants_gradient_noise() const noexcept { return false; }
  /// Gradients of the law that `steps` steps cost, the one at the end included, the one at the
  /// start not.
  virtual std::int64_t gradients(std::int64_t steps) const noexcept = 0;
  /// `steps` >= 1 steps. On entry point.g = grad U(theta), where the scheme reads it; on return
  /// theta and p are at the end, g too unless it was saved, and u, if not null, holds U there
  /// (1 x w). Non-finite columns stay their own trouble.
  virtual void advance(PhasePoint point, std::int64_t steps, const Motion& motion,
                       double* u) const = 0;
  /// Throws InputError for a dimension that its settings are not for. Before a run.
  virtual void check(Index /*dimension*/) const {}
};

}  // namespace mixwell
