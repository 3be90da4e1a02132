// Metropolis that decides with some of the cases: what it samples, and what its certificate says.
// SPDX-License-Identifier: Apache-2.0
#include "../unit/support.hpp"
#include "moments.hpp"

#include <cmath>
#include <string>

using namespace mixwell;
using support::contains;

namespace {

constexpr int cases = 400;

/// x_n ~ N(theta, 1), half of them at 1 and half at -1: the posterior is N(0, 1/400) but for a
/// prior of variance 1e8, and |u_n(x) - u_n(y)| = |x - y| |(x + y) / 2 - x_n| is below 2 |x - y|
/// near it.
std::string model(const support::TemporaryFolder& folder) {
  std::string text = "one,y\n";
  for (int n = 0; n < cases; ++n) text += n % 2 == 0 ? "1,1\n" : "1,-1\n";
  return "[model.m]\nuse = \"linear-gaussian\"\nnoise_variance = 1\nprior_variance = 1e8\nresponse "
         "= \"y\"\ndata = \"" +
         folder.file("cases.csv", text) + "\"\n";
}

std::string kernel(const std::string& lines) {
  return "[kernel.k]\nuse = \"subsampled-metropolis\"\nscale = 0.1\nsize = 50\n" + lines;
}

const sampling::Moment exact{1.0 / cases, 0.0};
const sampling::Length length{500, 20, 100};

}  // namespace

TEST_CASE("with a small error subsampled Metropolis has the law of Metropolis") {
  const support::TemporaryFolder folder;
  for (const std::string lines : {"error = 1e-5\n", "error = 1e-3\nlipschitz = 2\n"}) {
    INFO(lines);
    sampling::expect(sampling::second_moment(model(folder) + kernel(lines), length), exact);
  }
}

TEST_CASE("a test that errs often has another law") {
  const support::TemporaryFolder folder;
  const sampling::Moment found =
      sampling::second_moment(model(folder) + kernel("error = 0.4\n"), length);
  INFO(found.mean << " +- " << found.error);
  CHECK(std::abs(found.mean - exact.mean) > 8.0 * found.error);
}

TEST_CASE("nothing is guaranteed of subsampled Metropolis but a bound that is declared") {
  const support::TemporaryFolder folder;
  const auto verdict = [&](const std::string& lines) {
    return composing::verdict(model(folder) + kernel(lines));
  };
  for (const std::string lines : {"", "lipschitz = 2\n"}) {
    CHECK(verdict(lines).label() == "biased");
    CHECK_FALSE(verdict(lines).proved);
  }
  const Verdict bounded = verdict("error = 0.01\nlipschitz = 2\ncontraction = 0.9\n");
  CHECK(bounded.label() == "approximate");
  CHECK(contains(bounded.density, "within 0.1 of pi in total variation"));
  CHECK(contains(composing::refusal(model(folder) + kernel("contraction = 0.9\n")),
                 "has no effect because lipschitz is not set. It needs lipschitz"));
  CHECK(contains(composing::refusal("[model.m]\nuse = \"quartic\"\ndimension = 2\n" + kernel("")),
                 "the model does not offer its potential as a sum"));
}

TEST_CASE("a case that changes faster than lipschitz says ends the run") {
  const support::TemporaryFolder folder;
  try {
    sampling::second_moment(model(folder) + kernel("lipschitz = 0.5\n"), {8, 1, 1});
    FAIL("the run went on");
  } catch (const InputError& error) {
    CHECK(contains(error.what(),
                   "which is more than `lipschitz` allows. Raise `lipschitz` to at least"));
  }
}

TEST_CASE("a proposal that is far off is turned down by some of the cases") {
  const support::TemporaryFolder folder;
  constexpr int replicates = 200;
  const auto cost = [&](const std::string& lines) {
    const Composition c = composing::compose(
        model(folder) + "[kernel.k]\nuse = \"subsampled-metropolis\"\nscale = 8\nsize = 50\n" +
        lines);
    RunSettings settings = c.run;
    settings.replicates = replicates;
    settings.init.how = Init::How::exact;
    Sampler sampler(c.compositor, settings, compose(*c.compositor));
    sampler.initialise();
    const double before = sampler.gradients();
    sampler.advance(PhaseKind::sampling, 1);
    return (sampler.gradients() - before) / replicates;
  };
  // 50, 100 and 200 cases, and then all 400, at two points each.
  const double all = cost("lipschitz = 1e9\n");
  CHECK(all - cost("error = 1e-5\n") > 2.0);
  CHECK(all - cost("lipschitz = 25\n") > 0.2);
  CHECK(all == Approx(2.0 * (200 + cases) / cases));
}
