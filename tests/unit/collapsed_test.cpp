// Partially collapsed updates: which orders are right, what is refused, and what models contribute.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace mixwell;
using composing::refusal;
using composing::verdict;

namespace {

const std::string schools =
    "[model.m]\nuse = \"normal-groups\"\nvalues = [28, 8, -3, 7, -1, 1, 18, 12]\n"
    "sds = [15, 10, 16, 11, 9, 11, 10, 18]\n";

std::string update(const std::string& parameters, const std::string& kernel,
                   const std::string& more = "") {
  return "[[compositor.c.update]]\nparameters = " + parameters + "\nkernel = \"" + kernel + "\"\n" +
         more;
}

const std::string without = "without = [\"theta\"]\n";
const std::string tau = update("[\"tau\"]", "walk", without);
const std::string theta = update("[\"theta\"]", "draw");
const std::string mu = update("[\"mu\"]", "draw");

std::string blocks(const std::string& updates, const std::string& keys = "") {
  return schools +
         "[oracle.exact]\nuse = \"exact\"\n[estimator.identity]\nuse = \"identity\"\n"
         "[kernel.walk]\nuse = \"random-walk-metropolis\"\nstep_size = 0.7\n"
         "[kernel.draw]\nuse = \"conditional\"\n"
         "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.3\nsteps = 4\n"
         "[compositor.c]\nuse = \"blocks\"\n" +
         keys + updates;
}

contracts::Findings contract(const std::string& model) {
  return contracts::check_model(
      *composing::compose(model + "[kernel.k]\nuse = \"random-walk-metropolis\"\n").model());
}

bool holds(const contracts::Findings& findings, const std::string& clause) {
  for (const auto& finding : findings) {
    if (finding.clause == clause) return finding.holds;
  }
  FAIL("no clause " << clause);
  return false;
}

}  // namespace

TEST_CASE(
    "an update that integrates a block out is exact where the block is drawn right after it") {
  for (const std::string& updates :
       {tau + theta + mu, mu + tau + theta, update("[\"mu\"]", "walk", without) + tau + theta,
        update("[\"mu\", \"tau\"]", "hmc", without) + theta}) {
    const Verdict v = verdict(blocks(updates));
    INFO(updates << v.reason);
    CHECK(v.label() == "exact");
    CHECK(v.proved);
  }
}

TEST_CASE("a wrong order of collapsed updates is biased, and a right one is named") {
  struct Case {
    std::string updates;
    const char* says;
  };
  for (const Case& c :
       {Case{tau + mu + theta,
             "reads `theta`. This slot was integrated out of the law of the update `walk`"},
        Case{theta + mu + tau, "is not drawn again before the sweep ends"},
        Case{theta + tau + mu, "reads `theta`"}}) {
    const Verdict v = verdict(blocks(c.updates));
    INFO(c.updates << v.reason);
    CHECK(v.label() == "biased");
    CHECK(v.rule == Rule::collapsed);
    CHECK(v.proved);
    CHECK(v.reason.find(c.says) != std::string::npos);
    CHECK(v.reason.find("the updates are valid in the order ") != std::string::npos);
  }
  CHECK(verdict(blocks(theta + mu + tau))
            .reason.find("the updates are valid in the order draw2, walk, draw") !=
        std::string::npos);
}

TEST_CASE("where no order of collapsed updates is right, the certificate says what is missing") {
  const std::string moved = update("[\"theta\"]", "hmc");
  const Verdict v = verdict(blocks(tau + moved + mu));
  CHECK(v.label() == "biased");
  CHECK(v.rule == Rule::collapsed);
  CHECK(v.reason.find("starts from `theta`") != std::string::npos);
  CHECK(v.reason.find("these updates are not valid in any order") != std::string::npos);
}

TEST_CASE("a collapsed update that is not followed in every sweep is biased") {
  const std::string sometimes = update("[\"theta\"]", "draw", "every = 2\n");
  CHECK(verdict(blocks(tau + sometimes + mu)).rule == Rule::collapsed);
  CHECK(verdict(blocks(tau + theta + mu, "scan = \"random\"\n")).rule == Rule::collapsed);
}

TEST_CASE("a parameter that follows what is integrated out is refused by name") {
  CHECK(refusal(blocks(update("[\"tau\"]", "walk", "without = [\"mu\"]\n") + theta + mu))
            .find("can only integrate out [theta]") != std::string::npos);
  CHECK(refusal(blocks(update("[\"theta\"]", "draw", without) + tau + mu))
            .find("is moved by this update") != std::string::npos);
  CHECK(refusal(blocks(update("[\"tau\"]", "walk", "without = [\"thet\"]\n") + theta + mu))
            .find("without") != std::string::npos);
  CHECK(refusal("[model.m]\nuse = \"banana\"\n[kernel.walk]\nuse = \"random-walk-metropolis\"\n"
                "[compositor.c]\nuse = \"blocks\"\n" +
                update("[\"x[0]\"]", "walk", "without = [\"x[1]\"]\n") +
                update("[\"x[1]\"]", "walk"))
            .find("has no target density with parameters integrated out") != std::string::npos);
}

TEST_CASE("a kernel that draws given the rest refuses a law without some of it") {
  CHECK(refusal(blocks(update("[\"mu\"]", "draw", without) + tau + theta))
            .find("offers no exact draws given the other parameters") != std::string::npos);
}

TEST_CASE("marginal laws of models are held to their contract") {
  const std::string plane = "[model.m]\nuse = \"collapsed-plane\"\n";
  for (const std::string& model : {schools, plane}) {
    const contracts::Findings findings = contract(model);
    CHECK(holds(findings, "marginal gradients"));
    CHECK(holds(findings, "marginal laws do not depend on the parameters that are integrated out"));
    CHECK(holds(findings, "marginal laws integrate U"));
  }
  CHECK_FALSE(
      holds(contract(plane + "mistake = \"marginal-variance\"\n"), "marginal laws integrate U"));
  CHECK_FALSE(holds(contract(plane + "mistake = \"reads-b\"\n"),
                    "marginal laws do not depend on the parameters that are integrated out"));
}
