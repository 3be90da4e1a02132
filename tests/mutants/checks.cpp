// What tells a mutant: verify; the certificate, where the mistake is on the edges; for mutants
// whose error vanishes with eps as a right one's does, the known variance at a fixed step size.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "mutants.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/sampler.hpp>

#include <Eigen/Core>
#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <ctime>

namespace mutants {
namespace {

using namespace mixwell;

Outcome of(const Verification& found) {
  Outcome outcome;
  outcome.adjusted_p = found.adjusted_p;
  outcome.wrong = (found.conclusive && !found.agrees) || !found.mobile;
  outcome.verdict = !found.mobile ? "does not move" : found.tested;
  const VerifiedStatistic* worst = nullptr;
  for (const VerifiedStatistic& s : found.tests) {
    const bool first = worst == nullptr || (s.failed && !worst->failed);
    if (first || (s.failed == worst->failed && s.p < worst->p)) worst = &s;
  }
  if (worst != nullptr) outcome.by = fmt::format("{} on {}", worst->name, worst->target);
  return outcome;
}

Outcome verified(const Base& base, const std::string& mistake, VerifySettings settings,
                 std::int64_t seed) {
  settings.targets = base.targets;
  return of(verify(compose(base, mistake, seed), base.name, composing::registry(), settings));
}

Eigen::MatrixXd ends(const Composition& composition, const RunSettings& settings,
                     std::int64_t sweeps) {
  Sampler sampler(composition.compositor, settings, mixwell::compose(*composition.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, sweeps);
  return sampler.variable(composition.compositor->slots().front());
}

/// Variance of theta under theta' = theta + eps p, p' = (1 - C eps) p - eps theta' + sqrt(2 eps C)
/// z: what the scheme gives where the gradient's own noise and what is subtracted for it cancel.
double known_variance(double eps, double friction) {
  Eigen::Matrix2d step;
  step << 1.0, eps, -eps, 1.0 - friction * eps - eps * eps;
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Identity();
  for (int k = 0; k < 10000; ++k) {
    covariance = step * covariance * step.transpose();
    covariance(1, 1) += 2.0 * eps * friction;
  }
  return covariance(0, 0);
}

/// On a standard Gaussian, after time enough to forget the start. Wrong: |z| > 5.
Outcome by_variance(const Base& base, const std::string& mistake, std::int64_t seed) {
  const toml::table wanted = toml::parse(base.manifest);
  Base gaussian = base;
  const auto model = base.manifest.find("[model.m]");
  gaussian.manifest.replace(model, base.manifest.find('[', model + 1) - model,
                            "[model.m]\nuse = \"gaussian\"\ndimension = 2\n");
  const Composition composition = compose(gaussian, mistake, seed);
  RunSettings settings = composition.run;
  settings.replicates = 20000;
  settings.init.how = Init::How::exact;
  const Eigen::ArrayXXd squares = ends(composition, settings, 40).array().square();
  const double expected = known_variance(*wanted["kernel"]["k"]["step_size"].value<double>(),
                                         *wanted["integrator"]["i"]["friction"].value<double>());
  const double error = expected * std::sqrt(2.0 / static_cast<double>(squares.size()));
  const double z = (squares.mean() - expected) / error;
  Outcome outcome;
  outcome.wrong = std::abs(z) > 5.0;
  outcome.verdict = outcome.wrong ? "wrong variance" : "known variance";
  outcome.by =
      fmt::format("variance at eps = {}: {:.3f}, known {:.3f}",
                  *wanted["kernel"]["k"]["step_size"].value<double>(), squares.mean(), expected);
  return outcome;
}

/// Wrong: it is not certified as the right version is.
Outcome by_certificate(const Base& base, const Verdict& now) {
  Outcome outcome;
  outcome.verdict = now.label();
  outcome.wrong = outcome.verdict != base.certificate;
  outcome.by = fmt::format("rule {} of the certificate: {}", to_string(now.rule), now.reason);
  return outcome;
}

}  // namespace

Outcome check(const std::string& name, const Base& base, const std::string& mistake,
              const VerifySettings& settings, std::int64_t seed) {
  const Composition composition = compose(base, mistake, seed);
  const Verdict now = mixwell::compose(*composition.compositor).certificate.now;
  if (name == "certificate") return by_certificate(base, now);
  const std::string label = now.label();
  if (label != base.certificate) {
    throw InputError(base.name + " with mistake \"" + mistake + "\" is certified " + label +
                     ", not " + base.certificate);
  }
  const std::clock_t start = std::clock();
  Outcome outcome =
      name == "verify" ? verified(base, mistake, settings, seed) : by_variance(base, mistake, seed);
  outcome.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return outcome;
}

}  // namespace mutants
