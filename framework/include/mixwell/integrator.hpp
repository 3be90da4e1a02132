// The interface of integrators, which take steps of theta' = A M^-1 p, p' = -A' grad U.
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

/// Ways in which a preconditioner enters the Hamiltonian flow (A, M): theta' = A M^-1 p, p' = -A'
/// grad U, p ~ N(0, M).
enum class Coupling {
  none,       ///< (I, I): HMC
  mass,       ///< (I, B): HMC-BFGS, Zhang & Sutton 2011 (their Eq. 15 prints B^-1 instead of B)
  symmetric,  ///< (H, I): QNHMC, Fu, Luo & Zhang 2016
  factor,     ///< (S, I): the same kernel as (I, B), in different coordinates
  one_sided,  ///< A = H in theta', A = I in p', and M = I: the naive dynamics in section 3.1 of Fu,
              ///< Luo & Zhang 2016
};

/// Converts "mass", "symmetric", "factor" or "one-sided" to a Coupling. Returns `none` if `curved`
/// is false, that is, if the preconditioner is the identity.
MIXWELL_EXPORT Coupling coupling_from(const std::string& word, bool curved);

/// The two linear maps of a flow, for the columns of one block.
class MIXWELL_EXPORT Flow {
 public:
  Flow(Coupling coupling, std::optional<Preconditioner> preconditioner) noexcept;

  /// Returns the same maps for a block whose column k is column columns[k] of this block. The array
  /// `columns` must outlive the result.
  Flow regrouped(const Index* columns) const noexcept;
  /// True if velocity(p) = p. Callers can then use p instead of calling velocity().
  bool velocity_is_momentum() const noexcept;
  bool force_is_gradient() const noexcept;
  /// True if M = I. Otherwise M = B, and velocity(p) = M^-1 p.
  bool mass_is_identity() const noexcept;
  /// Computes out = A M^-1 p. out must not alias p.
  void velocity(ConstBatch p, Batch out, Workspace& scratch) const;
  /// Computes out = A' g. out must not alias g.
  void force(ConstBatch g, Batch out, Workspace& scratch) const;

 private:
  Coupling coupling_;
  std::optional<Preconditioner> preconditioner_;
};

/// Points of phase space with the gradients at these points. The three arrays are d x w and
/// contiguous, and an integrator changes them in place.
struct PhasePoint {
  Batch theta;
  Batch p;
  Batch g;
};

/// Everything that a trajectory depends on, except the PhasePoint.
struct Motion {
  const Law& law;
  const Flow& flow;
  ConstMatrixMap eps;  ///< d x w, where each column repeats its step size d times
  Workspace& scratch;
  /// Number of steps that the transition has already taken. Step k, counted from 0, ends with
  /// evaluation k + 1 of a noisy law and uses draw k of `noise`.
  std::uint32_t steps_before = 0;
  const NormalSource* noise = nullptr;  ///< not null for an integrator with noise
  /// Gamma (d x w), which an overdamped step adds to its drift -A A' grad U. Empty means 0.
  ConstMatrixMap drift_correction{nullptr, 0, 0};
  /// If false, the integrator may skip the gradient at the end of the trajectory.
  bool end_gradient = true;
};

/// Takes steps of one numerical scheme. It keeps no state between calls.
class MIXWELL_EXPORT Integrator : public Component {
 public:
  static constexpr Kind kind = Kind::integrator;
  ~Integrator() override;

  /// Declares the order, reversibility and volume preservation of a step. A certificate relies on
  /// these declarations.
  virtual Traits traits() const = 0;
  /// True if the scheme needs Motion::noise.
  virtual bool has_noise() const noexcept { return false; }
  /// True if the scheme damps the momentum and adds noise that balances the damping.
  virtual bool has_friction() const noexcept { return false; }
  /// True if the scheme reads point.g on entry.
  virtual bool starts_with_gradient() const noexcept { return true; }
  /// True if the scheme adds Motion::drift_correction.
  virtual bool takes_drift_correction() const noexcept { return false; }
  /// True if the scheme reads the noise covariance of Motion::law. The law must then offer
  /// GradientNoise.
  virtual bool wants_gradient_noise() const noexcept { return false; }
  /// Number of gradient evaluations in `steps` steps, including the one at the end but not the one
  /// at the start.
  virtual std::int64_t gradients(std::int64_t steps) const noexcept = 0;
  /// Takes `steps` >= 1 steps. On entry, point.g is grad U(theta) if the scheme reads it. On
  /// return, `point` holds theta and p at the end of the trajectory, and also grad U there unless
  /// the scheme skipped this gradient. If u is not null, it receives U at the end (1 x w). Entries
  /// of a column that are not finite must not affect other columns.
  virtual void advance(PhasePoint point, std::int64_t steps, const Motion& motion,
                       double* u) const = 0;
  /// Throws InputError if the integrator's settings are not valid for positions of this dimension.
  /// Kernels call this before a run.
  virtual void check(Index /*dimension*/) const {}
};

}  // namespace mixwell
