// Minibatches: which cases they contain, and that they are unbiased.
// SPDX-License-Identifier: Apache-2.0
#include "../../plugins/oracles/noise/batch.hpp"
#include "composing.hpp"
#include "oracle_contract.hpp"
#include "support.hpp"

#include <mixwell/lab/sampler.hpp>
#include <mixwell/oracle.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

using oracle_contract::logistic;
using oracle_contract::OracleLaw;

std::vector<Index> drawn(const noise::BatchDraw& batch, std::uint64_t seed, std::uint32_t draw) {
  Workspace scratch;
  Eigen::MatrixXd indices(batch.size(), 1);
  batch.draw(Stream(seed, "law"), draw, indices, scratch);
  std::vector<Index> all;
  for (Index k = 0; k < batch.size(); ++k) all.push_back(static_cast<Index>(indices(k, 0)));
  return all;
}

struct Gradients {
  Eigen::VectorXd mean;
  Eigen::VectorXd error;
  Eigen::VectorXd whole;
};

/// For the density that the manifest's oracle makes, at one point, over many seeds.
Gradients over_seeds(const std::string& oracle, Index count) {
  const support::TemporaryFolder folder;
  const OracleLaw law(logistic(folder) + oracle);
  Eigen::MatrixXd g(law.dimension(), count);
  Workspace scratch;
  const Eigen::MatrixXd seeds = law.seeds(count);
  law->evaluate(Numbers{ConstBatch(seeds)}, law.points(count), {nullptr, g, scratch});
  Gradients result;
  result.mean = g.rowwise().mean();
  const Eigen::MatrixXd centred = g.colwise() - result.mean;
  result.error =
      (centred.rowwise().squaredNorm().array() / static_cast<double>(count * (count - 1))).sqrt();
  result.whole = law.whole_gradient();
  return result;
}

}  // namespace

TEST_CASE("a batch without replacement has distinct cases, all equally often") {
  const noise::BatchDraw batch(70, 20, false);
  Eigen::ArrayXd count = Eigen::ArrayXd::Zero(70);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const auto all = drawn(batch, seed, 0);
    CHECK(std::set<Index>(all.begin(), all.end()).size() == 20);
    for (const Index k : all) count(k) += 1.0;
  }
  // Each is in 4000 * 2 / 7 batches; |z| <= 5 for each of 70.
  const double mean = 4000.0 * 20.0 / 70.0;
  const double sd = std::sqrt(mean * (1.0 - 20.0 / 70.0));
  CHECK((count - mean).abs().maxCoeff() <= 5.0 * sd);
}

TEST_CASE("equal draws are equal batches, others differ") {
  for (const bool replacement : {false, true}) {
    const noise::BatchDraw batch(1000, 10, replacement);
    CHECK(drawn(batch, 1, 3) == drawn(batch, 1, 3));
    CHECK(drawn(batch, 1, 3) != drawn(batch, 1, 4));
    CHECK(drawn(batch, 1, 3) != drawn(batch, 2, 3));
  }
}

TEST_CASE("a minibatch is right in the mean, with and without replacement") {
  for (const char* replacement : {"true", "false"}) {
    const Gradients g =
        over_seeds(std::string("[oracle.o]\nuse = \"minibatch\"\nsize = 7\nreplacement = ") +
                       replacement + "\n",
                   20000);
    INFO(replacement << ": " << g.mean.transpose() << " +- " << g.error.transpose() << ", whole "
                     << g.whole.transpose());
    CHECK(((g.mean - g.whole).array().abs() <= 5.0 * g.error.array()).all());
    CHECK((g.error.array() > 0.0).all());
  }
}

TEST_CASE("a batch of all cases without replacement is the whole") {
  const Gradients g = over_seeds("[oracle.o]\nuse = \"minibatch\"\nsize = 60\n", 3);
  CHECK((g.mean - g.whole).norm() <= 1e-10 * g.whole.norm());
}

TEST_CASE("minibatches that cannot be are refused") {
  CHECK_THROWS_AS(over_seeds("[oracle.o]\nuse = \"minibatch\"\nsize = 61\n", 2), InputError);
  const std::string quartic = "[model.m]\nuse = \"quartic\"\n[oracle.o]\nuse = \"minibatch\"\n";
  const Composition c = composing::compose(quartic + "[kernel.k]\nuse = \"langevin\"\n");
  CHECK_THROWS_AS(compose(*c.compositor), InputError);
}

namespace {

/// The densities that an oracle made, each once for every operation that moves a slot with it.
std::vector<Value> laws_of_moves(const KernelGraph& graph) {
  std::vector<Value> laws;
  for (const OperationInfo& o : graph.operations()) {
    if (o.kind != OperationKind::move) continue;
    for (const Input& input : o.inputs) {
      if (input.role == Role::law && graph[input.value].producer >= 0) laws.push_back(input.value);
    }
  }
  return laws;
}

const std::string shared_batch = "[oracle.o]\nuse = \"minibatch\"\nsize = 7\nshared = true\n";
const std::string pair_of_kernels =
    "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 2\n"
    "[kernel.k]\n";

}  // namespace

TEST_CASE("a shared oracle makes one law in a graph, others one for each use") {
  const support::TemporaryFolder folder;
  const auto laws = [&](const std::string& oracle) {
    const Composition c =
        composing::compose(logistic(folder) + oracle + pair_of_kernels + "use = \"langevin\"\n");
    return laws_of_moves(compose(*c.compositor).sampling);
  };
  const auto own = laws("[oracle.o]\nuse = \"minibatch\"\nsize = 7\n");
  REQUIRE(own.size() == 2);
  CHECK_FALSE(own[0] == own[1]);
  for (const std::string& oracle :
       {shared_batch, std::string("[oracle.o]\nuse = \"noisy\"\nshared = true\n")}) {
    const auto one = laws(oracle);
    REQUIRE(one.size() == 2);
    CHECK(one[0] == one[1]);
  }
}

TEST_CASE("two oracles that are shared do not share with one another") {
  const support::TemporaryFolder folder;
  const Composition c =
      composing::compose(logistic(folder) + shared_batch +
                         "[oracle.other]\nuse = \"minibatch\"\nsize = 7\nshared = true\n"
                         "[kernel.a]\nuse = \"langevin\"\noracle = \"o\"\n"
                         "[kernel.b]\nuse = \"langevin\"\noracle = \"other\"\n"
                         "[compositor.c]\nuse = \"cycle\"\nkernels = [\"a\", \"b\", \"a\"]\n");
  const auto laws = laws_of_moves(compose(*c.compositor).sampling);
  REQUIRE(laws.size() == 3);
  CHECK_FALSE(laws[0] == laws[1]);
  CHECK(laws[0] == laws[2]);
}

TEST_CASE("slots with a shared minibatch move by the same cases") {
  const support::TemporaryFolder folder;
  const auto slots_agree = [&](const std::string& oracle) {
    const Composition c = composing::compose(
        "[run]\nreplicates = 4\ninit = { value = [0.1, 0.2, 0.3] }\nallow = [\"none\"]\n" +
        logistic(folder) + oracle + pair_of_kernels + "use = \"gradient-descent\"\n");
    Sampler sampler(c.compositor, c.run, compose(*c.compositor));
    sampler.initialise();
    sampler.advance(PhaseKind::sampling, 20);
    const Eigen::MatrixXd first = sampler.variable("x0");
    CHECK((first.col(0) - first.col(1)).norm() > 0.0);
    return (first - sampler.variable("x1")).norm() == 0.0;
  };
  CHECK(slots_agree(shared_batch));
  CHECK_FALSE(slots_agree("[oracle.o]\nuse = \"minibatch\"\nsize = 7\n"));
}

TEST_CASE("branches of a mixture may share a minibatch") {
  const support::TemporaryFolder folder;
  const Composition c = composing::compose(
      "[run]\nreplicates = 8\n" + logistic(folder) + shared_batch +
      "[kernel.a]\nuse = \"langevin\"\n[kernel.b]\nuse = \"langevin\"\nstep_size = 0.01\n"
      "[compositor.c]\nuse = \"mixture\"\n");
  const Program program = compose(*c.compositor);
  const auto laws = laws_of_moves(program.sampling);
  REQUIRE(laws.size() >= 2);
  CHECK(laws.front() == laws.back());
  const auto producer = static_cast<std::size_t>(program.sampling[laws.front()].producer);
  CHECK_FALSE(static_cast<bool>(program.sampling.operations()[producer].guard));
}

TEST_CASE("an ensemble of Langevin slots with one minibatch for all is asymptotic") {
  const support::TemporaryFolder folder;
  const Composition c = composing::compose(logistic(folder) + shared_batch + pair_of_kernels +
                                           "use = \"langevin\"\n");
  const Verdict verdict = compose(*c.compositor).certificate.now;
  CHECK(verdict.label() == "asymptotic");
  CHECK(verdict.order == 1);
}
