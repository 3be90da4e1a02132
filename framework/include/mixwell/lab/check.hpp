// Whether a composition is right, and what it is guaranteed to sample: what `mixwell check` finds.
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

inline constexpr Index gradient_points = 5;
/// Right gradients of smooth potentials stay below 1e-6 (see GradientError).
inline constexpr double gradient_limit = 1e-5;
/// Right implementations of one density agree to 1e-12 where nothing is solved by iteration.
inline constexpr double second_limit = 1e-8;

/// A model beside a second implementation of its density.
struct SecondReport {
  std::string made_by;
  std::string why_not;
  double gradient = 0;   ///< largest |g - g'| / max_k |g_k| of a point
  double potential = 0;  ///< largest |(U - U') - (U - U' of the first point)| / (1 + |U|)

  bool agrees() const { return gradient <= second_limit && potential <= second_limit; }
};

/// How a parameter is constrained, and who has the Jacobian of that in U.
struct ConstraintReport {
  std::string parameter;
  std::string constraint;
  Index values;
  Index coordinates;
  bool is_added;  ///< by the framework, to U of values
};

/// A gradient's worst error, with what is needed to talk about it.
struct GradientReport {
  GradientError error;
  std::string parameter;
  std::vector<ConstraintReport> constraints{};
  std::optional<SecondReport> second{};

  bool is_right() const { return error.relative <= gradient_limit; }
};

/// What `check` looks at beside the certificate.
struct CheckSettings {
  bool gradient = false;  ///< compares the model's gradient with differences
  bool example = false;   ///< makes a script of a world that departs
  /// Reads the composition on finite worlds: worlds_report, which is in libmixwell_lab, or nothing.
  std::function<WorldsReport(const Program& program, const std::string& name, bool wants_example)>
      worlds{};
};

struct Checked {
  Certificate certificate;
  std::vector<Cure> cures;
  std::vector<std::string> remarks;          ///< Composition::remarks
  std::optional<GradientReport> gradient{};  ///< where it was asked for
  std::optional<WorldsReport> worlds{};      ///< likewise
  /// What ends `mixwell check`: a contradicted certificate, a wrong gradient, a refusal, a
  /// rehearsal that failed.
  std::optional<Error> fault{};

  /// Certificate::label, or "contradicted" where a finite world contradicts it.
  MIXWELL_EXPORT std::string label() const;
};

/// Evaluates the model where chains start, wires and rehearses the composition, and finds its
/// certificate. Throws InputError.
MIXWELL_EXPORT Checked check(const Composition& composition, const Registry& registry,
                             const CheckSettings& settings = {});

/// certificate.json with "worlds", "cures", "remarks" and, where there are any, "gradient",
/// "error", "code".
MIXWELL_EXPORT std::string check_json(const Checked& found);

/// The certificate for people, with what finite worlds say of it.
MIXWELL_EXPORT std::string certificate_text(const Checked& found);
MIXWELL_EXPORT std::string text_of(const SecondReport& report);
MIXWELL_EXPORT std::string text_of(const GradientReport& report);

}  // namespace mixwell
