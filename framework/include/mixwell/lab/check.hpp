// The command `mixwell check` tests a composition and derives its certificate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>
#include <mixwell/lab/advice.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/gradient_check.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/worlds_report.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// Number of points at which `check` compares gradients.
inline constexpr Index gradient_points = 5;
/// A gradient counts as correct if its error is at most this value. Correct gradients of smooth
/// potentials have errors below 1e-6 (see GradientError).
inline constexpr double gradient_limit = 1e-5;
/// Two implementations of a density agree if their differences are at most this value. Correct
/// implementations agree to 1e-12, unless they use iterative methods.
inline constexpr double second_limit = 1e-8;

/// Comparison of a model with a second implementation of its density.
struct SecondReport {
  std::string made_by;
  std::string why_not;
  double gradient = 0;   ///< largest |g - g'| / max_k |g_k| over the points
  double potential = 0;  ///< largest |(U - U') - (U - U' of the first point)| / (1 + |U|)

  bool agrees() const { return gradient <= second_limit && potential <= second_limit; }
};

/// The constraint of a parameter, and whether the framework or the model adds the Jacobian term of
/// this constraint to U.
struct ConstraintReport {
  std::string parameter;
  std::string constraint;
  Index values;
  Index coordinates;
  bool is_added;  ///< true: the framework adds the Jacobian term to U; false: the model does
};

/// The worst error of a gradient, with the information needed to explain it.
struct GradientReport {
  GradientError error;
  std::string parameter;
  std::vector<ConstraintReport> constraints{};
  std::optional<SecondReport> second{};

  bool is_right() const { return error.relative <= gradient_limit; }
};

/// The tests that `check` runs in addition to deriving the certificate.
struct CheckSettings {
  bool gradient = false;  ///< compare the model's gradient with finite differences of U
  bool example = false;   ///< search for a counterexample, and make a script that recomputes it
  /// Checks the composition on finite worlds. Set this function to `worlds_report`, which is in
  /// libmixwell_lab, or leave it empty to omit this check.
  std::function<WorldsReport(const Program& program, const std::string& name, bool wants_example)>
      worlds{};
};

/// The result of `check`.
struct Checked {
  Certificate certificate;
  std::vector<Cure> cures;
  std::vector<std::string> remarks;          ///< Composition::remarks
  std::optional<GradientReport> gradient{};  ///< if requested
  std::optional<WorldsReport> worlds{};      ///< if requested
  /// The error that ends `mixwell check`: a contradicted certificate, a wrong gradient, a refusal,
  /// or an error that a run would report before its first sweep.
  std::optional<Error> fault{};

  /// Returns Certificate::label, or "contradicted" if a finite world contradicts it.
  MIXWELL_EXPORT std::string label() const;
};

/// Evaluates the model at the initial positions, derives the certificate, and does everything that
/// a run does before its first sweep. Throws InputError.
MIXWELL_EXPORT Checked check(const Composition& composition, const Registry& registry,
                             const CheckSettings& settings = {});

/// Returns a JSON object with the members of certificate.json, and with "worlds", "cures" and
/// "remarks". It also has "gradient" if the gradient was checked, and "error" and "code" if `found`
/// has a fault.
MIXWELL_EXPORT std::string check_json(const Checked& found);

/// Returns the certificate as readable text, with the results from finite worlds.
MIXWELL_EXPORT std::string certificate_text(const Checked& found);
MIXWELL_EXPORT std::string text_of(const SecondReport& report);
MIXWELL_EXPORT std::string text_of(const GradientReport& report);

}  // namespace mixwell
