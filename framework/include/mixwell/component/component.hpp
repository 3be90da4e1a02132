// Components: their base class, their kinds, and the traits that the certificate relies on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// The kinds of components.
enum class Kind { model, oracle, integrator, estimator, steps, kernel, compositor, recorder };

inline constexpr std::array<Kind, 8> all_kinds = {Kind::model,      Kind::oracle,  Kind::integrator,
                                                  Kind::estimator,  Kind::steps,   Kind::kernel,
                                                  Kind::compositor, Kind::recorder};

/// The kind as manifests write it: "model", "oracle", ...
MIXWELL_EXPORT std::string_view to_string(Kind kind) noexcept;
/// The kind with its article, for messages: "a model", "an oracle", ...
MIXWELL_EXPORT std::string one_of_kind(Kind kind);
/// Returns the kind with this name in manifests, or nothing.
MIXWELL_EXPORT std::optional<Kind> kind_from(std::string_view word) noexcept;

/// The values that must be negated between two applications of a move so that the second one
/// returns to the start. `nothing` means that the move returns without any negation.
enum class Flips {
  momentum,            ///< the outputs for auxiliary variables whose sign changes under time
                       ///< reversal (AuxiliaryTraits::turns)
  noise,               ///< the normals that the move draws
  momentum_and_noise,  ///< both
  nothing
};

/// The kind of upper bound on the eigenvalues of a preconditioner H, or on a step size.
enum class Bound {
  unknown,  ///< no bound is known
  local,    ///< locally bounded in the inputs, like any continuous function
  global    ///< below a fixed number for all values of the inputs
};

/// Facts about an operation that the structure of the graph does not show. Every default is the
/// weakest statement, so a trait that you do not declare can only weaken a certificate.
struct Traits {
  /// Moves: if the values named by `flips` are negated between two applications of the move, the
  /// second one returns to the start.
  bool involution = false;
  Flips flips = Flips::momentum;
  /// Moves: |det J| = 1, where J is the Jacobian of the map from all values that the move replaces
  /// to the new values, with whole-number coordinates held fixed. On a sphere, J is taken with
  /// respect to the surface measure.
  bool volume = false;
  /// Moves: the order, in the step size eps, to which the move approximates the flow that its laws
  /// define. 0 means that the move does not approximate this flow.
  int order = 0;
  /// Moves: for a fixed number of steps, the displacement goes to 0 as eps goes to 0, as in
  /// one-step schemes.
  bool local = false;
  /// Opaque moves: whether the move leaves its laws invariant for all fixed values of its
  /// parameters. Without a value, nothing is declared.
  std::optional<bool> invariant{};
  /// Opaque moves: the move searches for a mode and is not a sampler.
  bool optimises = false;
  /// Refreshes: the refresh leaves the declared law of the variable invariant.
  bool keeps_law = false;
  /// Refreshes: the new value does not depend on the old one.
  bool full = false;
  /// Refreshes: repeated refreshes forget the old value.
  bool renews = false;
  /// Moves and refreshes: every number that is proposed or written for a whole-number coordinate is
  /// whole and within the bounds of the coordinate.
  bool whole_numbers = false;
  /// Pure operations: the result has a limit as the displacements between the input points go to 0.
  bool continuous = false;
  /// Pure preconditioners and step sizes: the kind of their upper bound.
  Bound bound = Bound::unknown;
  /// Pure laws: the gradient is unbiased for all values of the law's parameters.
  bool unbiased = false;
  /// Pure laws: the gradient at a fixed point is biased in a single sweep, but its average over a
  /// cycle of this many sweeps is unbiased. A cycle starts at each sweep whose number is a multiple
  /// of `cycle`. 0 means that nothing is declared.
  std::int64_t cycle = 0;
  /// Pure laws: only the gradient is noisy. U equals the U of the law from which this law is made.
  bool exact_potential = false;
  /// Pure laws: this law is a marginal of the law from which it is made. All coordinates on which
  /// it does not depend are integrated out.
  bool marginal = false;
  /// Pure drift corrections: Gamma accounts for every way in which the matrix of the drift (H, or D
  /// + Q of a recipe) depends on the slot.
  bool total = false;
  /// Pure laws: name of the density, if it is not the model's density.
  std::string density{};

  bool operator==(const Traits&) const = default;
};

/// Returns the traits that differ from their defaults, as strings of the form "name = value".
MIXWELL_EXPORT std::vector<std::string> describe(const Traits& traits);

/// Base class of everything that a plugin offers. A component is immutable after construction.
/// Everything that changes during a run is stored in variables of the kernel graph.
class MIXWELL_EXPORT Component {
 public:
  Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component();

  /// Name of the component in the manifest (`hmc` for `[kernel.hmc]`). The code that creates the
  /// component sets its name.
  const std::string& name() const noexcept { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

 private:
  std::string name_;
};

/// A second base class of a Body that calls another component: a trajectory calls its integrator,
/// and a fit calls its estimator. The called component then declares the traits of the operation.
/// If this component is not part of Mixwell, the certificate lists these traits as declared. A
/// class used as a body needs a member acts_for(). For a lambda, use acting_for().
class MIXWELL_EXPORT ActsFor {
 public:
  virtual ~ActsFor();
  /// The component that the body calls.
  virtual const Component& acts_for() const noexcept = 0;
};

}  // namespace mixwell
