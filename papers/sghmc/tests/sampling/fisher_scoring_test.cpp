// Kernel `fisher-scoring`: exact for a Gaussian whose precision is the information.
// SPDX-License-Identifier: Apache-2.0
#include "sampling/moments.hpp"
#include "unit/support.hpp"

#include <cmath>
#include <string>

using namespace mixwell;
using support::contains;

namespace {

constexpr int cases = 200;

/// x_n ~ N(theta, 1), for a sample of mean 0.5 and variance exactly 1. The gradients of the cases
/// are theta - x_n, with covariance 1 everywhere. The posterior is N(0.5, 1/200), apart from a
/// prior of variance 1e8. The variance is divided by N - 1, as batches without replacement see it,
/// or by N.
std::string model(const support::TemporaryFolder& folder, bool replacement) {
  const double divisor = replacement ? cases : cases - 1.0;
  const double half = std::sqrt(divisor / cases);
  std::string text = "one,y\n";
  for (int n = 0; n < cases; ++n) {
    text += "1," + std::to_string(0.5 + (n % 2 == 0 ? half : -half)) + "\n";
  }
  return "[model.m]\nuse = \"linear-gaussian\"\nnoise_variance = 1\nprior_variance = 1e8\nresponse "
         "= \"y\"\ndata = \"" +
         folder.file(replacement ? "with.csv" : "without.csv", text) + "\"\n";
}

std::string batch(int size, bool replacement) {
  return "[oracle.o]\nuse = \"minibatch\"\nsize = " + std::to_string(size) +
         (replacement ? "\nreplacement = true\n" : "\n");
}

std::string kernel(const std::string& lines) {
  return "[kernel.k]\nuse = \"fisher-scoring\"\n" + lines;
}

/// Mean and variance over the sweeps of each replicate, as means over replicates with errors.
struct Found {
  sampling::Moment mean;
  sampling::Moment variance;
};

Found found(const std::string& body) {
  const Composition c = composing::compose(body);
  RunSettings settings = c.run;
  settings.seed = 8;
  settings.replicates = 400;
  settings.warmup = 300;
  settings.init.how = Init::How::exact;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::warmup, settings.warmup);
  constexpr int sweeps = 200;
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(settings.replicates);
  Eigen::ArrayXd squares = sum;
  for (int k = 0; k < sweeps; ++k) {
    sampler.advance(PhaseKind::sampling, 1);
    const Eigen::ArrayXd x = sampler.variable("theta").row(0).transpose().array() - 0.5;
    sum += x / sweeps;
    squares += x.square() / sweeps;
  }
  const auto moment = [](const Eigen::ArrayXd& each) {
    const auto n = static_cast<double>(each.size());
    return sampling::Moment{each.mean(),
                            std::sqrt((each - each.mean()).square().sum() / (n - 1.0) / n)};
  };
  return {moment(sum), moment(squares)};
}

const sampling::Moment exact{1.0 / cases, 0.0};

}  // namespace

TEST_CASE("Fisher scoring leaves a Gaussian invariant at every step size and batch size") {
  const support::TemporaryFolder folder;
  for (const bool replacement : {false, true}) {
    for (const int size : {5, 50}) {
      // eps = 0.02 is 4 posterior variances, far too large for a Langevin step.
      for (const std::string lines :
           {"", "step_size = 0.02\n", "step_size = 0.002\n", "information = \"diagonal\"\n"}) {
        INFO("n = " << size << (replacement ? ", with replacement, " : ", ") << lines);
        const Found at =
            found(model(folder, replacement) + batch(size, replacement) + kernel(lines));
        sampling::expect(at.variance, exact);
        sampling::expect(at.mean, {0.0, 0.0});
      }
    }
  }
}

TEST_CASE("Fisher scoring without the gradient's own noise in the step would be wrong") {
  // K = 2 kappa / (A + V) gives kappa V / (A + V - kappa A) of the variance. With the gamma of the
  // other way of drawing, kappa = (1 + N/n) / (N/n) = 1.25 at n = 50, so the variance is a third
  // too large.
  const support::TemporaryFolder folder;
  const Found at = found(model(folder, true) + batch(50, true) + kernel(""));
  CHECK(std::abs(at.variance.mean - 1.25 * 4.0 / (5.0 - 1.25) / cases) > 8.0 * at.variance.error);
}

TEST_CASE("Fisher scoring with a preconditioner is a Langevin step for small eps") {
  const support::TemporaryFolder folder;
  const std::string H =
      "[estimator.e]\nuse = \"curvature-file\"\nfile = \"" + folder.file("H.csv", "4\n") + "\"\n";
  const std::string law = model(folder, false) + batch(100, false) + H;
  sampling::expect(found(law + kernel("step_size = 0.001\n")).variance, exact);
}

TEST_CASE("the certificate of Fisher scoring depends on the step size") {
  const support::TemporaryFolder folder;
  const std::string law = model(folder, false) + batch(5, false);
  const Verdict small = composing::verdict(law + kernel("step_size = 0.01\n"));
  CHECK(small.label() == "asymptotic");
  CHECK(small.order == 1);
  const Verdict large = composing::verdict(law + kernel(""));
  CHECK(large.label() == "biased");
}

TEST_CASE("Fisher scoring refuses oracles that do not provide the information") {
  const support::TemporaryFolder folder;
  const auto refusal = [&](const std::string& oracle, const std::string& lines = "") {
    return composing::refusal(model(folder, false) + oracle + kernel(lines));
  };
  CHECK(refusal(batch(5, false)) == "accepted");
  for (const std::string& oracle :
       {batch(1, false), batch(cases, false), std::string("[oracle.o]\nuse = \"exact\"\n"),
        std::string("[oracle.o]\nuse = \"noisy\"\n")}) {
    CHECK(contains(refusal(oracle), "estimates the Fisher information from the spread"));
  }
  CHECK(contains(refusal(batch(5, false) + "[estimator.e]\nuse = \"curvature-file\"\nfile = \"" +
                             folder.file("H.csv", "4\n") + "\"\n",
                         "information = \"diagonal\"\n"),
                 "must be \"full\""));
  CHECK(contains(refusal(batch(5, false) + "[estimator.e]\nuse = \"diagonal\"\n"),
                 "must be a constant preconditioner"));
}

TEST_CASE("a warmup that is too short to learn the information ends the run with a remedy") {
  const support::TemporaryFolder folder;
  const auto failure = [&](std::int64_t warmup) {
    const Composition c = composing::compose(model(folder, false) + batch(5, false) + kernel(""));
    RunSettings settings = c.run;
    settings.replicates = 8;
    settings.warmup = warmup;
    Sampler sampler(c.compositor, settings, compose(*c.compositor));
    sampler.initialise();
    sampler.advance(PhaseKind::warmup, warmup);
    try {
      sampler.advance(PhaseKind::sampling, 1);
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  CHECK(contains(failure(10), "the mean of 10 estimates"));
  CHECK(contains(failure(10), "but dimension 1 needs 11 estimates. Raise `run.warmup`"));
  CHECK(failure(11) == "accepted");
}
