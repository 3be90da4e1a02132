// Densities that are known by an estimate: the certificate, what is kept, what is refused.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "toy_graphs.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/law/capabilities.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace mixwell;
using composing::refusal;
using composing::verdict;

namespace {

const std::string effects =
    "[model.m]\nuse = \"random-effects\"\nvalues = [1.3, -0.4, 2.2]\nsds = [0.8, 0.5, 1.2]\n"
    "samples = 3\n[oracle.exact]\nuse = \"exact\"\n[estimator.identity]\nuse = \"identity\"\n";
const std::string walk = "[kernel.k]\nuse = \"random-walk-metropolis\"\nstep_size = 1.0\n";

}  // namespace

TEST_CASE("a walk that keeps the estimate where it is, is exact") {
  for (const char* correlation : {"0.0", "0.9"}) {
    const Verdict v = verdict(effects + walk + "estimate_correlation = " + correlation + "\n");
    INFO(v.reason);
    CHECK(v.label() == "exact");
    CHECK(v.proved);
    CHECK(std::count(v.assumes.begin(), v.assumes.end(), Assumption{"m", "unbiased_density", {}}) ==
          1);
  }
}

TEST_CASE("an estimate that is made anew where the state is, is biased by name") {
  const std::string kernel = "[kernel.k]\nuse = \"wrong-pseudo-marginal\"\nmistake = ";
  const Verdict v = verdict(effects + kernel + "\"declared-anew\"\n");
  CHECK(v.label() == "biased");
  CHECK(v.proved);
  CHECK(v.rule == Rule::estimate);
  CHECK(v.reason.find("`k/anew` computes the estimate at the state again") != std::string::npos);
  CHECK(verdict(effects + kernel + "\"none\"\n").label() == "exact");
}

namespace {

/// A slot whose normals are moved with it, as decide_by_estimate does. `keeps`: the move of the
/// normals declares that it keeps N(0, I).
void add_estimated_update(KernelGraph& graph, const toy::Slots& s, Variable z, bool keeps) {
  Traits normal;
  normal.keeps_law = keeps;
  const Variable x = s.slot[0];
  const Value end = graph
                        .add("propose", OperationKind::move, toy::reversible(),
                             {{graph.current(x), Role::state}, {graph.noise("x"), Role::noise}},
                             {Output::derived("x*", 2)}, nullptr)
                        .front();
  const Value z_end = graph
                          .add("normals", OperationKind::move, normal,
                               {{graph.current(z), Role::state}, {graph.noise("z"), Role::noise}},
                               {Output::derived("z*", 2)}, nullptr)
                          .front();
  graph.add("accept", OperationKind::accept, {},
            {{graph.current(x), Role::state},
             {graph.current(z), Role::state},
             {end, Role::proposed},
             {z_end, Role::proposed},
             {s.law[0], Role::law},
             {graph.noise("u"), Role::noise}},
            {Output::next(x), Output::next(z)}, nullptr);
}

}  // namespace

TEST_CASE("an estimate is moved with its slot, by what keeps normals, and by nothing else") {
  const auto verdict_of = [](bool keeps, bool moved_alone) {
    KernelGraph graph;
    const toy::Slots s = toy::add_slots(graph, 1);
    const Variable z = graph.estimate("x0/normals", s.slot[0], 2);
    add_estimated_update(graph, s, z, keeps);
    if (moved_alone) toy::add_update(graph, "alone", {.slot = s.slot[0], .law = s.law[0]});
    return certify(graph);
  };
  CHECK(verdict_of(true, false).label() == "exact");
  const Verdict unkept = verdict_of(false, false);
  CHECK(unkept.label() == "biased");
  CHECK(unkept.rule == Rule::estimate);
  CHECK_FALSE(unkept.proved);
  const Verdict left = verdict_of(true, true);
  CHECK(left.label() == "biased");
  CHECK(left.rule == Rule::estimate);
  CHECK(left.reason ==
        "`alone/accept` moves `x0` but does not update the estimate that is stored with it");
}

TEST_CASE("a Gaussian proposal goes with an estimate where it needs no gradient") {
  const std::string gaussian =
      "[kernel.k]\nuse = \"metropolis-gaussian\"\noracle = \"exact\"\nestimator = "
      "\"identity\"\nstep_size = 1.0\n";
  CHECK(verdict(effects + gaussian + "mean = \"current\"\n").label() == "exact");
  CHECK(refusal(effects + gaussian).find("has no gradient") != std::string::npos);
}

TEST_CASE("a Crank-Nicolson step goes with an estimate of a model that has a Gaussian prior") {
  const Verdict v = verdict(effects + "[kernel.k]\nuse = \"pcn\"\nstep_size = 0.5\n");
  CHECK(v.label() == "exact");
  CHECK(v.proved);
}

namespace {

/// How many of 200 chains a sweep moves if the data are uninformative and the prior is narrow.
int moved_by(const std::string& kernel) {
  Composition composition = composing::compose(
      "[model.m]\nuse = \"random-effects\"\nvalues = [1.0, 2.0]\nsds = [1e6, 1e6]\nprior_sd = 0.1\n"
      "[kernel.k]\nuse = \"" +
      kernel + "\"\nstep_size = 3.0\n");
  composition.run.replicates = 200;
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  const Eigen::MatrixXd before = sampler.position("theta");
  sampler.advance(PhaseKind::sampling, 1);
  return static_cast<int>((sampler.position("theta").array() != before.array()).count());
}

}  // namespace

TEST_CASE("a Crank-Nicolson step by an estimate has the likelihood alone in its ratio") {
  CHECK(moved_by("pcn") == 200);
  CHECK(moved_by("random-walk-metropolis") < 100);
}

TEST_CASE("what evaluates the likelihood itself refuses an estimate, whose prior it could take") {
  const std::string message = refusal(effects + "[kernel.k]\nuse = \"elliptical-slice\"\n");
  INFO(message);
  CHECK(message.find("`m` offers only an unbiased estimate of its density") != std::string::npos);
  CHECK(message.find("`random-walk-metropolis`, `metropolis-gaussian` or `pcn`") !=
        std::string::npos);
}

TEST_CASE("two kernels on one slot share what is kept of the estimate") {
  const std::string cycle = effects +
                            "[kernel.a]\nuse = \"random-walk-metropolis\"\nstep_size = 1.0\n"
                            "[kernel.b]\nuse = \"random-walk-metropolis\"\nstep_size = 0.2\n"
                            "[compositor.c]\nuse = \"cycle\"\nkernels = [\"a\", \"b\"]\n";
  CHECK(verdict(cycle).label() == "exact");
}

TEST_CASE("kernels that ask for U refuse a density that is known by an estimate, by name") {
  for (const char* kernel :
       {"use = \"hamiltonian\"\nstep_size = 0.1\nsteps = 3\n", "use = \"nuts\"\nstep_size = 0.1\n",
        "use = \"slice\"\n", "use = \"mala\"\nstep_size = 0.1\n"}) {
    const std::string message = refusal(effects + "[kernel.k]\n" + kernel);
    INFO(kernel << message);
    CHECK(message.find("`k`") != std::string::npos);
    CHECK(message.find("`m` offers only an unbiased estimate of its density") != std::string::npos);
    CHECK(message.find("with the key `estimate_correlation`") != std::string::npos);
  }
  CHECK(refusal(effects + walk +
                "[compositor.c]\nuse = \"blocks\"\n"
                "[[compositor.c.update]]\nparameters = [\"mu\"]\nkernel = \"k\"\n")
            .find("accepted") == 0);
}

TEST_CASE("an estimate is made once at the start and once a transition") {
  Composition composition = composing::compose(effects + walk);
  composition.run.replicates = 16;
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  const double before = sampler.gradients();
  sampler.advance(PhaseKind::sampling, 20);
  CHECK(sampler.gradients() - before == 16.0 * (1 + 20));
}

TEST_CASE("the estimate is kept through rejections and belongs to the state") {
  Composition composition = composing::compose(effects + walk);
  composition.run.replicates = 32;
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, 5);
  const auto& of = *composition.model()->offers<EstimatedDensity>();
  int kept = 0;
  for (int sweep = 0; sweep < 10; ++sweep) {
    const Eigen::MatrixXd z = sampler.variable("theta/normals");
    const Eigen::MatrixXd u = sampler.variable("theta/estimate");
    const Eigen::MatrixXd theta = sampler.position("theta");
    Workspace scratch;
    Eigen::RowVectorXd again(theta.cols());
    of.estimate(theta, z, again, scratch);
    CHECK(again.isApprox(u.row(0), 1e-12));
    sampler.advance(PhaseKind::sampling, 1);
    const Eigen::MatrixXd now = sampler.position("theta");
    for (Eigen::Index j = 0; j < theta.cols(); ++j) {
      if (now(0, j) != theta(0, j)) continue;
      ++kept;
      CHECK(sampler.variable("theta/estimate")(0, j) == u(0, j));
      CHECK(sampler.variable("theta/normals").col(j) == z.col(j));
    }
  }
  CHECK(kept > 20);
}

TEST_CASE("the estimate of random effects is held to their density") {
  const auto findings = contracts::check_model(*composing::compose(effects + walk).model());
  int seen = 0;
  for (const auto& finding : findings) {
    const bool of_estimate = finding.clause == "the estimate of the density is unbiased" ||
                             finding.clause == "draw_weighted() samples exp(-Uhat) N(z; 0, I)";
    if (!of_estimate) continue;
    ++seen;
    INFO(finding.clause << ": " << finding.detail);
    CHECK(finding.holds);
  }
  CHECK(seen == 2);
}
