// `mixwell check`: tests whether a composition is correct, and finds what it is guaranteed to
// sample.
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
/// Largest error of a gradient that counts as correct. Correct gradients of smooth potentials have
/// errors below 1e-6 (see GradientError).
inline constexpr double gradient_limit = 1e-5;
/// Largest difference between two implementations of one density that counts as agreement. Correct
/// implementations agree to 1e-12 unless they iterate.
inline constexpr double second_limit = 1e-8;

/// Comparison of a model with a second implementation of its density.
struct SecondReport {
  std::string made_by;
  std::string why_not;
  double gradient = 0;   ///< largest |g - g'| / max_k |g_k| over the points
  double potential = 0;  ///< largest |(U - U') - (U - U' of the first point)| / (1 + |U|)

  bool agrees() const { return gradient <= second_limit && potential <= second_limit; }
};

/// The constraint of a parameter, and who adds its Jacobian to U.
struct ConstraintReport {
  std::string parameter;
  std::string constraint;
  Index values;
  Index coordinates;
  bool is_added;  ///< true: the framework adds the Jacobian to U of the values
};

/// The worst error of a gradient, with the information needed to explain it.
struct GradientReport {
  GradientError error;
  std::string parameter;
  std::vector<ConstraintReport> constraints{};
  std::optional<SecondReport> second{};

  bool is_right() const { return error.relative <= gradient_limit; }
};

/// The tests that `check` makes in addition to the certificate.
struct CheckSettings {
  bool gradient = false;  ///< compare the model's gradient with differences
  bool example = false;   ///< make a script for a world that departs from the target
  /// Reads the composition on finite worlds. Set it to worlds_report, which is in libmixwell_lab,
  /// or leave it empty.
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
  /// or a failed rehearsal.
  std::optional<Error> fault{};

  /// Certificate::label, or "contradicted" if a finite world contradicts it.
  MIXWELL_EXPORT std::string label() const;
};

/// Evaluates the model at the initial positions, wires and rehearses the composition, and finds its
/// certificate. Throws InputError.
MIXWELL_EXPORT Checked check(const Composition& composition, const Registry& registry,
                             const CheckSettings& settings = {});

/// Returns certificate.json with "worlds", "cures", "remarks" and, if present, "gradient", "error"
/// and "code".
MIXWELL_EXPORT std::string check_json(const Checked& found);

/// Returns the certificate for people, with the results from finite worlds.
MIXWELL_EXPORT std::string certificate_text(const Checked& found);
MIXWELL_EXPORT std::string text_of(const SecondReport& report);
MIXWELL_EXPORT std::string text_of(const GradientReport& report);

}  // namespace mixwell
