// The kernel `blocks` inside other compositors: slots, certificates, bits, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include "blocks_manifest.hpp"
#include "support.hpp"

#include <mixwell/contracts/sampler.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

using blocks_manifest::head;

/// The kernel `b`, of two updates.
std::string blocks(const std::string& keys = "", const std::string& first = "x[0:3]",
                   const std::string& second = "x[2:]") {
  return "[kernel.b]\nuse = \"blocks\"\n" + keys + "[[kernel.b.update]]\nparameters = [\"" + first +
         "\"]\nkernel = \"hmc\"\n[[kernel.b.update]]\nparameters = [\"" + second +
         "\"]\nkernel = \"walk\"\n";
}

std::string compositor(const std::string& keys) { return "[compositor.c]\n" + keys; }

const std::string cycle = compositor("use = \"cycle\"\nkernels = [\"b\", \"hmc\"]\n");
const std::string mixture = compositor("use = \"mixture\"\nkernels = [\"hmc\", \"b\"]\n");
const std::string ensemble = compositor("use = \"ensemble-chain\"\nkernel = \"b\"\nslots = 3\n");
const std::string tempering =
    compositor("use = \"tempering\"\nkernel = \"b\"\ninverse_temperatures = [1, 0.5, 0.2]\n");
const std::string chain = compositor("use = \"chain\"\nkernel = \"b\"\n");

const std::vector<std::string>& compositors() {
  static const std::vector<std::string> all{cycle, mixture, ensemble, tempering, chain};
  return all;
}

Composition parsed(const std::string& body) {
  return parse_manifest(head + body, "test.toml", support::registry());
}

Program composed(const std::string& body) { return compose(*parsed(body).compositor); }

std::string refusal(const std::string& body) {
  try {
    composed(body);
    return "accepted";
  } catch (const InputError& fault) {
    return fault.what();
  }
}

std::vector<std::string> statistics(const KernelGraph& graph, Index slot) {
  std::vector<std::string> names;
  for (const Record& record : graph.records()) {
    if (record.group == RecordGroup::sample_stats && record.slot == slot)
      names.push_back(record.name);
  }
  return names;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

TEST_CASE(
    "blocks within other compositors are exact, in a given order, by chance and now and then") {
  for (const std::string& within : compositors()) {
    for (const std::string& body :
         {blocks(), blocks("", "x[0:2]", "x[2:]"), blocks("scan = \"random\"\n")}) {
      INFO(body << within);
      const Verdict now = composed(body + within).certificate.now;
      CHECK(now.label() == "exact");
      CHECK(now.proved);
      CHECK(now.declared.empty());
    }
  }
}

TEST_CASE("simultaneous blocks are biased wherever they stand") {
  for (const std::string& within : compositors()) {
    INFO(within);
    const Verdict now =
        composed(blocks("scan = \"simultaneous\"\n", "x[0:2]", "x[2:]") + within).certificate.now;
    CHECK(now.label() == "biased");
    CHECK(now.rule == Rule::stale_value);
  }
}

TEST_CASE("the slots of a position are those that the kernels of all its blocks need") {
  const std::string other =
      "[kernel.b2]\nuse = \"blocks\"\nfixed = [\"x[1:]\"]\n[[kernel.b2.update]]\nparameters = "
      "[\"x[0]\"]\nkernel = \"walk\"\n";
  const KernelGraph graph = composed(blocks("", "x[0:2]", "x[2:]") + other +
                                     compositor("use = \"cycle\"\nkernels = [\"b\", \"b2\"]\n"))
                                .sampling;
  std::vector<std::vector<Index>> held;
  for (const Variable slot : slots_of(graph, "theta")) {
    held.push_back(graph[slot].coordinates);
    CHECK_FALSE(graph[slot].fixed);
  }
  CHECK(held == std::vector<std::vector<Index>>{{0}, {1}, {2, 3}});
}

TEST_CASE("blocks within other compositors keep the contract of samplers") {
  for (const std::string& within : compositors()) {
    const contracts::Findings findings =
        contracts::check_sampler(parsed(blocks("scan = \"random\"\n") + within));
    INFO(within << contracts::report(findings));
    CHECK(contracts::all_hold(findings));
  }
}

TEST_CASE("in a mixture blocks move where they are chosen, and nowhere else") {
  const Composition c = parsed(blocks("fixed = [\"x[3]\"]\n", "x[0]", "x[1:3]") +
                               "[kernel.last]\nuse = \"blocks\"\nfixed = [\"x[:3]\"]\n"
                               "[[kernel.last.update]]\nparameters = [\"x[3]\"]\nkernel = "
                               "\"walk\"\n" +
                               compositor("use = \"mixture\"\nkernels = [\"b\", \"last\"]\n"));
  Sampler sampler(c.compositor, c.run, compose(*c.compositor));
  sampler.initialise();
  int moves = 0;
  for (int sweep = 0; sweep < 12; ++sweep) {
    const Eigen::MatrixXd before = sampler.position("theta");
    sampler.advance(PhaseKind::sampling, 1);
    const Eigen::MatrixXd after = sampler.position("theta");
    for (Index j = 0; j < after.cols(); ++j) {
      const bool first = after.col(j).head(3) != before.col(j).head(3);
      const bool last = after(3, j) != before(3, j);
      CHECK_FALSE((first && last));
      moves += first || last ? 1 : 0;
    }
  }
  CHECK(moves > 20);
}

TEST_CASE("statistics of blocks stand under the labels of the kernels that they are in") {
  const std::vector<std::string> of_cycle = statistics(composed(blocks() + cycle).sampling, 0);
  for (const char* const name : {"b_hmc_acceptance_rate", "b_walk_acceptance_rate",
                                 "b_acceptance_rate", "hmc_acceptance_rate", "acceptance_rate"}) {
    INFO(name);
    CHECK(has(of_cycle, name));
  }
  const KernelGraph graph = composed(blocks("scan = \"random\"\n") + ensemble).sampling;
  for (const Index slot : {0, 1, 2}) {
    CHECK(has(statistics(graph, slot), "walk_acceptance_rate"));
    CHECK(has(statistics(graph, slot), "acceptance_rate"));
    CHECK(has(statistics(graph, slot), "branch"));
  }
}

TEST_CASE("a block of an ensemble fits its preconditioner to its rows of the others") {
  const std::string fitted =
      "mixwell = 1\n[run]\nseed = 5\nreplicates = 6\nwarmup = 20\ndraws = 20\n"
      "[model.m]\nuse = \"gaussian\"\ndimension = 4\ncovariance = \"ones-plus\"\nc = 2.0\n"
      "[estimator.fit]\nuse = \"bfgs\"\n[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.3\n"
      "steps = 3\n[kernel.walk]\nuse = \"random-walk-metropolis\"\nstep_size = 0.5\n" +
      blocks("", "x[0:2]", "x[2:]") + ensemble;
  const Composition c = parse_manifest(fitted, "test.toml", support::registry());
  CHECK(compose(*c.compositor).certificate.now.label() == "exact");
  const contracts::Findings findings = contracts::check_sampler(c);
  INFO(contracts::report(findings));
  CHECK(contracts::all_hold(findings));
}

TEST_CASE("blocks where a position is not cut, or of another position, are refused with the cure") {
  const std::string nested =
      "[kernel.outer]\nuse = \"blocks\"\n[[kernel.outer.update]]\nparameters = [\"x[0:2]\"]\n"
      "kernel = \"b\"\n[[kernel.outer.update]]\nparameters = [\"x[2:]\"]\nkernel = \"walk\"\n";
  CHECK_THAT(refusal(blocks() + nested + compositor("use = \"chain\"\nkernel = \"outer\"\n")),
             Catch::Contains("kernel `b` moves blocks of model `m`"));
  CHECK_THAT(
      refusal(blocks() + compositor("use = \"pilot-chain\"\nkernel = \"b\"\npilot = \"walk\"\n")),
      Catch::Contains("here the whole position is one slot") && Catch::Contains("`cycle`"));
  CHECK_THAT(refusal("[kernel.b]\nuse = \"blocks\"\n[[kernel.b.update]]\nparameters = "
                     "[\"x[0]\"]\nkernel = \"walk\"\n" +
                     chain),
             Catch::Contains("test.toml:") && Catch::Contains("no update moves `x[1]`"));
}
