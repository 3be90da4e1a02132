// The base class of all components. A component has a kind, and traits that the certificate relies
// on.
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
/// The kind in a sentence: "a model", "an oracle", ..., "a rule of steps".
MIXWELL_EXPORT std::string one_of_kind(Kind kind);
/// Returns the kind with this name in manifests, or nothing.
MIXWELL_EXPORT std::optional<Kind> kind_from(std::string_view word) noexcept;

/// The numbers that must be negated after an involution, so that a second application returns to
/// the start. `nothing` means that a second application to the unchanged outputs returns to the
/// start.
enum class Flips {
  momentum,            ///< outputs for auxiliary variables that change sign when time is reversed
                       ///< (AuxiliaryTraits)
  noise,               ///< the normals that the move draws
  momentum_and_noise,  ///< both
  nothing
};

/// The known kind of upper bound on the eigenvalues of a preconditioner H, or on a step size.
enum class Bound {
  unknown,  ///< nothing
  local,    ///< bounded near each value of the inputs, as a continuous function is
  global    ///< below a fixed number for all values of the inputs
};

/// Facts about an operation that the structure of the graph does not show. Every default is the
/// weakest statement, so a trait that you do not declare can only weaken a certificate.
struct Traits {
  /// Moves: if the numbers named by `flips` are negated, a second application of the move returns
  /// to the start.
  bool involution = false;
  Flips flips = Flips::momentum;
  /// Moves: |det J| = 1 for everything that the move replaces. On a sphere this concerns the
  /// surface measure. Whole-number coordinates are held fixed.
  bool volume = false;
  /// Moves: order of accuracy in eps as an approximation to the flow of its laws. 0 means that the
  /// move does not approximate this flow.
  int order = 0;
  /// Moves: the displacement vanishes with eps at a fixed number of steps (one-step schemes).
  bool local = false;
  /// Opaque moves: the move leaves its laws invariant for every fixed parameter. No value means not
  /// declared.
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
  /// Pure operations: the result has a limit when the displacements between its points vanish.
  bool continuous = false;
  /// Pure preconditioners and step sizes: the kind of upper bound that they have.
  Bound bound = Bound::unknown;
  /// Pure laws: the gradient has the right mean for every value of the law's parameters.
  bool unbiased = false;
  /// Pure laws: the gradients at one point have the right mean over this many consecutive sweeps,
  /// starting at a multiple of this number, but not in a single sweep. 0 means not declared.
  std::int64_t cycle = 0;
  /// Pure laws: only the gradient is noisy. U is the U of the law from which this law is made.
  bool exact_potential = false;
  /// Pure laws: this law is a marginal of the law from which it is made. All coordinates that it
  /// does not read are integrated out.
  bool marginal = false;
  /// Pure drift corrections: the value is the correction for the whole matrix in the drift.
  bool total = false;
  /// Pure laws: name of the density, if it differs from the model's.
  std::string density{};

  bool operator==(const Traits&) const = default;
};

/// Lists the traits that differ from the weakest statement, as texts "name = value".
MIXWELL_EXPORT std::vector<std::string> describe(const Traits& traits);

/// Base class of everything that a plugin offers. A component is immutable after construction.
/// Everything that changes during a run is stored in variables of the kernel graph.
class MIXWELL_EXPORT Component {
 public:
  Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component();

  /// Name of the component in the manifest (`hmc` for `[kernel.hmc]`). Its creator sets it.
  const std::string& name() const noexcept { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

 private:
  std::string name_;
};

/// A second base class of a Body that calls another component: a trajectory calls its integrator,
/// and a fit calls its estimator. The traits of the operation are then claims of the called
/// component. The certificate says so if the component is not part of Mixwell. For a typed body,
/// give the lambda or class a member acts_for() (see acting_for).
class MIXWELL_EXPORT ActsFor {
 public:
  virtual ~ActsFor();
  /// The component that the body calls.
  virtual const Component& acts_for() const noexcept = 0;
};

}  // namespace mixwell
