// Strata of the cases: which there are, that their gradients are right on average, and what a
// Langevin scheme samples that uses them in turn. Its drift is linear, so its mean is known: the
// mean of the posterior if the weight is the number of strata, and the mean with reweighted cases
// for the other weight.
// SPDX-License-Identifier: Apache-2.0
#include "temporary_folder.hpp"
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

/// Strata of 4 cases: {0, 1}, {2}, {3}.
constexpr Index case_count = 4;
constexpr Index strata_count = 3;
const std::string model_table =
    "[model.m]\nuse = \"linear-gaussian\"\ndimension = 1\ncases = 4\nnoise_variance = 0.5\n"
    "simulate_seed = 2\n";

Composition composed(const std::string& keys, double eps = 0.001) {
  return composing::compose(model_table + "[oracle.o]\nuse = \"strata\"\nstrata = 3\n" + keys +
                            "[kernel.k]\nuse = \"langevin\"\nstep_size = " + std::to_string(eps) +
                            "\n[compositor.c]\nuse = \"chain\"\n");
}

/// Where sum w_n grad u_n + grad U_0 vanishes: the gradients are linear.
double mean_of(const Model& model, const std::array<double, case_count>& weights) {
  Workspace scratch;
  const auto slope_at = [&](double theta) {
    const Eigen::MatrixXd at = Eigen::MatrixXd::Constant(1, 1, theta);
    const Eigen::VectorXd all = Eigen::VectorXd::LinSpaced(case_count, 0.0, case_count - 1.0);
    Eigen::MatrixXd each(1, case_count);
    Eigen::MatrixXd rest(1, 1);
    model.offers<SumOfTerms>()->gradients_of_terms(at, all, each, scratch);
    model.offers<SumOfTerms>()->evaluate_rest(at, {nullptr, rest, scratch});
    double slope = rest(0);
    for (Index n = 0; n < case_count; ++n) slope += weights[static_cast<std::size_t>(n)] * each(n);
    return slope;
  };
  const double at_zero = slope_at(0.0);
  return -at_zero / (slope_at(1.0) - at_zero);
}

/// The mean over replicates and over the last four cycles, and its standard error.
struct Settled {
  double mean;
  double error;
};

Settled settled(const std::string& keys) {
  constexpr std::int64_t replicates = 2048;
  const Composition c = composed(keys);
  RunSettings settings = c.run;
  settings.seed = 4;
  settings.replicates = replicates;
  settings.init.how = Init::How::exact;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, 1500);
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(replicates);
  constexpr int sweeps = 4 * strata_count;
  for (int k = 0; k < sweeps; ++k) {
    sampler.advance(PhaseKind::sampling, 1);
    sum += sampler.variable(c.compositor->slots().front()).row(0).array().transpose();
  }
  sum /= sweeps;
  const double spread = (sum - sum.mean()).square().sum() / (replicates - 1.0);
  return {sum.mean(), std::sqrt(spread / replicates)};
}

/// With strata = 3 in turn.
Verdict verdict(const std::string& oracle, const std::string& rest) {
  return composing::verdict(model_table + "[oracle.o]\nuse = \"strata\"\nstrata = 3\n" + oracle +
                            rest);
}

}  // namespace

TEST_CASE(
    "strata are stretches of the data, and blocks of ratings that share no user and no item") {
  const Composition c = composed("");
  std::vector<Index> found;
  for (Index n = 0; n < case_count; ++n)
    found.push_back(c.model()->offers<SumOfTerms>()->stratum(n, strata_count));
  CHECK(found == std::vector<Index>{0, 0, 1, 2});

  const mixwell::testing::TemporaryFolder place;
  std::string lines;
  for (int i = 1; i <= 7; ++i)
    for (int j = 1; j <= 5; ++j)
      if ((i + j) % 4 != 0) lines += std::to_string(i) + "::" + std::to_string(j) + "::3\n";
  const std::string file = place.file("ratings.dat", lines);
  const Composition ratings = composing::compose(
      "[model.m]\nuse = \"matrix-factorisation\"\ndata = \"" + file +
      "\"\nrank = 1\n[kernel.k]\nuse = \"langevin\"\nstep_size = 1e-3\n[compositor.c]\nuse = "
      "\"chain\"\n");
  const SumOfTerms& sum = *ratings.model()->offers<SumOfTerms>();
  // Users and items whose factors a stratum's gradient moves, block by block: none is in two
  // blocks.
  const Index d = ratings.model()->dimension();
  Workspace scratch;
  const Eigen::MatrixXd theta = Eigen::VectorXd::LinSpaced(d, 0.5, 1.5);
  std::array<std::set<Index>, strata_count> touched;
  Index members = 0;
  for (Index n = 0; n < sum.terms(); ++n) {
    const Index s = sum.stratum(n, strata_count);
    REQUIRE((s >= 0 && s < strata_count));
    Eigen::MatrixXd g(d, 1);
    sum.gradients_of_terms(theta, Eigen::MatrixXd::Constant(1, 1, static_cast<double>(n)), g,
                           scratch);
    std::vector<Index> rows;
    for (Index i = 0; i < 12; ++i)
      if (g(i) != 0.0) rows.push_back(i);
    REQUIRE(rows.size() == 2);  // a user's factor, an item's
    const Index user = rows[0];
    const Index item = rows[1] - 7;
    CHECK((item % strata_count - user % strata_count + strata_count) % strata_count == s);
    touched[static_cast<std::size_t>(s)].insert(n);
    ++members;
  }
  CHECK(members == sum.terms());
  for (const auto& one : touched) CHECK(!one.empty());
}

/// Three |z| of 4.5: a false alarm in 5e4. The means are 0.1 and more apart, some 20 standard
/// errors.
TEST_CASE(
    "strata in turn are right with their number as weight alone, drawn ones with N / |stratum|") {
  const Composition c = composed("");
  const double right = mean_of(*c.model(), {1, 1, 1, 1});
  const double shares = mean_of(*c.model(), {2.0 / 3, 2.0 / 3, 4.0 / 3, 4.0 / 3});
  const double counts = mean_of(*c.model(), {1.5, 1.5, 0.75, 0.75});
  const auto z = [](const Settled& found, double wanted) {
    return (found.mean - wanted) / found.error;
  };
  for (const std::string order : {"cyclic", "shuffled"}) {
    const Settled found = settled("order = \"" + order + "\"\n");
    INFO(order << ": " << found.mean << " +- " << found.error << ", right " << right);
    CHECK(std::abs(z(found, right)) < 4.5);
  }
  const Settled drawn = settled("");
  INFO("drawn: " << drawn.mean << " +- " << drawn.error << ", right " << right);
  CHECK(std::abs(z(drawn, right)) < 4.5);
  // The mutants are where they must be, and not at the truth.
  const Settled mutant = settled("order = \"cyclic\"\nweight = \"share\"\n");
  INFO("cyclic, shares: " << mutant.mean << " +- " << mutant.error << ", " << shares);
  CHECK(std::abs(z(mutant, shares)) < 4.5);
  CHECK(std::abs(z(mutant, right)) > 8.0);
  const Settled other = settled("weight = \"count\"\n");
  INFO("drawn, B: " << other.mean << " +- " << other.error << ", " << counts);
  CHECK(std::abs(z(other, counts)) < 4.5);
  CHECK(std::abs(z(other, right)) > 8.0);
}

TEST_CASE("strata in turn are certified under small steps that take nothing else of them") {
  const std::string langevin = "[kernel.k]\nuse = \"langevin\"\nstep_size = 1e-3\n";
  const std::string chain = "[compositor.c]\nuse = \"chain\"\n";
  const std::string cyclic = "order = \"cyclic\"\n";
  const Verdict right = verdict(cyclic, langevin + chain);
  CHECK(right.accuracy == Accuracy::asymptotic);
  CHECK(right.order == 1);
  CHECK(verdict(cyclic + "shared = true\n",
                langevin + "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 3\n")
            .accuracy == Accuracy::asymptotic);
  CHECK(verdict("", langevin + chain).accuracy == Accuracy::asymptotic);
  // Pairs of exact gradients do not depend on the stratum whose turn it is; those of `lagged` below
  // do.
  CHECK(verdict(cyclic, "[estimator.e]\nuse = \"lbfgs\"\neigenvalues = [0.1, 10]\n" + langevin +
                            "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 3\n")
            .accuracy == Accuracy::asymptotic);
  for (const std::string& oracle :
       {cyclic + "weight = \"share\"\n", std::string("weight = \"count\"\n")})
    CHECK(verdict(oracle, langevin + chain).accuracy == Accuracy::none);
  const std::string hamiltonian = "[kernel.k]\nuse = \"hamiltonian\"\nstep_size = 1e-2\n";
  for (const std::string& rest :
       {hamiltonian + "steps = 5\nmetropolis = false\n" + chain,
        hamiltonian + "steps = 1\n" + chain,
        "[estimator.e]\nuse = \"rms-diagonal\"\ngamma = \"stationary\"\n" + langevin + chain,
        "[estimator.e]\nuse = \"lbfgs\"\neigenvalues = [0.1, 10]\n" + langevin +
            "[compositor.c]\nuse = \"lagged\"\nslots = 3\nmemory = \"cross\"\n",
        langevin + "[compositor.c]\nuse = \"blocks\"\n[[compositor.c.update]]\nparameters = "
                   "[\"theta\"]\nkernel = \"k\"\nevery = 3\n"}) {
    INFO(rest);
    CHECK(verdict(cyclic, rest).accuracy == Accuracy::none);
  }
}
