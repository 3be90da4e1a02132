// What all parts of a composition have in common: a kind, and traits the certificate relies on;
// bodies that do what another component makes of it.
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

enum class Kind { model, oracle, integrator, estimator, steps, kernel, compositor, recorder };

inline constexpr std::array<Kind, 8> all_kinds = {Kind::model,      Kind::oracle,  Kind::integrator,
                                                  Kind::estimator,  Kind::steps,   Kind::kernel,
                                                  Kind::compositor, Kind::recorder};

/// "model", "oracle", ... as in manifests.
MIXWELL_EXPORT std::string_view to_string(Kind kind) noexcept;
/// "a model", "an oracle", ..., "a rule of steps".
MIXWELL_EXPORT std::string one_of_kind(Kind kind);
MIXWELL_EXPORT std::optional<Kind> kind_from(std::string_view word) noexcept;

/// What an involution negates before it is made again to come back to its start. Nothing: its
/// outputs as they are lead back.
enum class Flips {
  momentum,            ///< what it writes for auxiliary variables that turn (AuxiliaryTraits)
  noise,               ///< the normals that it draws
  momentum_and_noise,  ///< both
  nothing
};

/// How large the eigenvalues of a curvature H, or a step size, can become.
enum class Bound {
  unknown,  ///< nothing is known
  local,    ///< a continuous function of the values that it is made from: a bound near each of them
  global    ///< below a number, whatever those values are
};

/// Facts about an operation that its structure does not show. Every default is the weakest, so an
/// undeclared trait can only weaken a certificate.
struct Traits {
  /// move: made again after what `flips` says it leads back to its start.
  bool involution = false;
  Flips flips = Flips::momentum;
  /// move: |det J| = 1 in all that it replaces; on a sphere of its surface, and at fixed whole
  /// numbers.
  bool volume = false;
  /// move: order of accuracy in eps of the flow of its laws; 0 = not that flow.
  int order = 0;
  /// move: displacement vanishes with eps at a fixed number of steps (one-step schemes).
  bool local = false;
  /// opaque move: keeps its laws at every fixed parameter; no value = not declared.
  std::optional<bool> invariant{};
  /// opaque move: seeks a mode; no sampler at all.
  bool optimises = false;
  /// refresh: leaves the variable's declared law invariant.
  bool keeps_law = false;
  /// refresh: the new value does not depend on the old one.
  bool full = false;
  /// refresh: repeated, it forgets what the value was.
  bool renews = false;
  /// move, refresh: what it proposes or writes for coordinates that take whole numbers are whole
  /// numbers within their bounds.
  bool whole_numbers = false;
  /// pure: has a limit when the displacements between its points vanish.
  bool continuous = false;
  /// pure curvature or step size: what bounds it above.
  Bound bound = Bound::unknown;
  /// pure law: its gradient has the right mean for every value of its parameters.
  bool unbiased = false;
  /// pure law: over so many sweeps in a row, from a multiple of that number on, its gradients at
  /// one point have the right mean, those of one sweep have not. 0 = nothing is said.
  std::int64_t cycle = 0;
  /// pure law: only its gradient is noisy; its U is that of the law it is made from.
  bool exact_potential = false;
  /// pure law: that of the law it is made from with all integrated out that it does not read.
  bool marginal = false;
  /// pure drift correction: that of the whole matrix in the drift.
  bool total = false;
  /// pure law: the name of the density, if it is another one than the model's.
  std::string density{};

  bool operator==(const Traits&) const = default;
};

/// The traits that differ from the weakest, as "name = value" texts.
MIXWELL_EXPORT std::vector<std::string> describe(const Traits& traits);

/// Base of everything a plugin offers. Components are immutable once made: what changes during a
/// run lives in variables of the kernel graph.
class MIXWELL_EXPORT Component {
 public:
  Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component();

  /// Name of the instance in the manifest (`hmc` for `[kernel.hmc]`); set by whoever makes it.
  const std::string& name() const noexcept { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

 private:
  std::string name_;
};

/// A second base of a Body that calls a component it was given, as a trajectory calls its
/// integrator and a fit its estimator. The traits of its operation are that component's word, and a
/// certificate says so where its author is an outside one. A typed body has it from its lambda's or
/// class' own member acts_for(); see acting_for.
class MIXWELL_EXPORT ActsFor {
 public:
  virtual ~ActsFor();
  virtual const Component& acts_for() const noexcept = 0;
};

}  // namespace mixwell
