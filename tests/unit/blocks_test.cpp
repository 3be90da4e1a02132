// The compositor `blocks`: its slots, its certificates, and what it refuses.
// SPDX-License-Identifier: Apache-2.0
#include "blocks_manifest.hpp"
#include "support.hpp"

#include <mixwell/contracts/sampler.hpp>
#include <mixwell/lab/composer.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace mixwell;

namespace {

using blocks_manifest::head;

std::string update(const std::string& parameters, const std::string& kernel,
                   const std::string& more = "") {
  return "[[compositor.c.update]]\nparameters = " + parameters + "\nkernel = \"" + kernel + "\"\n" +
         more;
}

std::string blocks(const std::string& keys, const std::string& updates) {
  return head + "[compositor.c]\nuse = \"blocks\"\n" + keys + updates;
}

Composition parsed(const std::string& text) {
  return parse_manifest(text, "test.toml", support::registry());
}

Program composed(const std::string& text) { return compose(*parsed(text).compositor); }

std::string refusal(const std::string& text) {
  try {
    composed(text);
    return "accepted";
  } catch (const InputError& fault) {
    return fault.what();
  }
}

Eigen::MatrixXd after(const Composition& c, std::int64_t sweeps) {
  Sampler sampler(c.compositor, c.run, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, sweeps);
  return sampler.position("theta");
}

std::vector<std::string> slots_in(const KernelGraph& graph) {
  std::vector<std::string> names;
  for (const Variable slot : slots_of(graph, "theta")) names.push_back(graph[slot].name);
  return names;
}

const std::string two = update("[\"x[0:2]\"]", "hmc") + update("[\"x[2:]\"]", "walk");
const std::string overlapping = update("[\"x[0:3]\"]", "hmc") + update("[\"x[1:]\"]", "walk");

}  // namespace

TEST_CASE("blocks are slots of one position, and overlapping ones share slots") {
  CHECK(slots_in(composed(blocks("", two)).sampling) ==
        std::vector<std::string>{"x[0:2]", "x[2:]"});
  const KernelGraph graph = composed(blocks("", overlapping)).sampling;
  CHECK(slots_in(graph) == std::vector<std::string>{"hmc", "hmc & walk", "walk"});
  CHECK(graph[slots_of(graph, "theta")[1]].coordinates == std::vector<Index>{1, 2});
}

TEST_CASE("blocks with Metropolis in any order are exact, each on its own evidence") {
  for (const std::string& text :
       {blocks("", two), blocks("", overlapping), blocks("scan = \"random\"\n", two),
        blocks("scan = \"random\"\n", overlapping),
        blocks("", update("[\"x[0:3]\"]", "hmc", "every = 3\n") + update("[\"x\"]", "walk")),
        blocks("", update("[\"x[0:2]\"]", "hmc") + two)}) {
    const Verdict now = composed(text).certificate.now;
    INFO(text);
    CHECK(now.label() == "exact");
    CHECK(now.proved);
    CHECK(now.declared.empty());
  }
}

TEST_CASE("blocks given the rest as it was before the sweep are biased, and the rule says why") {
  const Verdict now = composed(blocks("scan = \"simultaneous\"\n", two)).certificate.now;
  CHECK(now.label() == "biased");
  CHECK(now.proved);
  CHECK(now.rule == Rule::stale_value);
}

TEST_CASE("a block without Metropolis makes the whole asymptotic, and the verdict names it") {
  const std::string loose =
      "[kernel.loose]\nuse = \"hamiltonian\"\nstep_size = 0.5\nsteps = 3\n"
      "metropolis = false\n";
  const Verdict now =
      composed(blocks("", update("[\"x[0:2]\"]", "hmc") + update("[\"x[2:]\"]", "loose")) + loose)
          .certificate.now;
  CHECK(now.label() == "asymptotic");
  REQUIRE(now.nodes.size() == 1);
  CHECK_THAT(now.nodes.front(), Catch::StartsWith("loose/"));
}

TEST_CASE("what is fixed keeps its numbers, and the verdict says that it does") {
  const Composition c = parsed(blocks("fixed = [\"x[3]\"]\n", update("[\"x[0:3]\"]", "hmc")));
  const Verdict now = compose(*c.compositor).certificate.now;
  CHECK(now.label() == "exact");
  REQUIRE(now.notes.size() == 1);
  CHECK_THAT(now.notes.front(), Catch::Contains("`x[3]` keeps its starting value"));
  const Eigen::MatrixXd start = after(c, 0);
  const Eigen::MatrixXd end = after(c, 5);
  CHECK(start.row(3) == end.row(3));
  CHECK((start.topRows(3).array() != end.topRows(3).array()).any());
}

TEST_CASE("one block of all parameters has the bits of a chain") {
  const std::string chain = head + "[compositor.c]\nuse = \"chain\"\nkernel = \"hmc\"\n";
  CHECK(after(parsed(blocks("", update("[\"x\"]", "hmc"))), 7) == after(parsed(chain), 7));
}

TEST_CASE("blocks start where a chain starts, coordinate by coordinate") {
  const std::string chain = head + "[compositor.c]\nuse = \"chain\"\nkernel = \"hmc\"\n";
  const std::string strided = update("[\"x[::2]\"]", "hmc") + update("[\"x[1::2]\"]", "walk");
  for (const auto how : {Init::How::model, Init::How::exact, Init::How::uniform}) {
    const auto at_start = [how](Composition c) {
      c.run.init.how = how;
      return after(c, 0);
    };
    const Eigen::MatrixXd wanted = at_start(parsed(chain));
    CHECK(at_start(parsed(blocks("", two))) == wanted);
    CHECK(at_start(parsed(blocks("", strided))) == wanted);
  }
}

TEST_CASE("an update that runs in every n-th sweep moves its block in those alone") {
  const Composition c = parsed(
      blocks("", update("[\"x[0:2]\"]", "hmc", "every = 3\n") + update("[\"x[2:]\"]", "walk")));
  Sampler sampler(c.compositor, c.run, compose(*c.compositor));
  sampler.initialise();
  for (int sweep = 0; sweep < 7; ++sweep) {
    const Eigen::MatrixXd before = sampler.position("theta");
    sampler.advance(PhaseKind::sampling, 1);
    const bool moved = (sampler.position("theta").topRows(2) != before.topRows(2));
    INFO("sweep " << sweep);
    CHECK(moved == (sweep % 3 == 0));
  }
}

TEST_CASE("a block that has no turn costs no evaluation") {
  const auto gradients = [](const std::string& more) {
    const Composition c =
        parsed(blocks("", update("[\"x[0:2]\"]", "hmc", more) + update("[\"x[2:]\"]", "walk")));
    Sampler sampler(c.compositor, c.run, compose(*c.compositor));
    sampler.initialise();
    const double before = sampler.gradients();
    sampler.advance(PhaseKind::sampling, 6);
    return (sampler.gradients() - before) / 6.0;
  };
  // A sweep of a replicate: 1 + 3 evaluations of hmc, 1 + 1 of walk.
  CHECK(gradients("") == 6 * (4 + 2));
  CHECK(gradients("every = 3\n") == 2 * 4 + 6 * 2);
}

TEST_CASE("samplers of blocks keep their contract: bits on any threads, widths, after a restart") {
  for (const std::string& text :
       {blocks("", two), blocks("", overlapping), blocks("scan = \"random\"\n", overlapping)}) {
    const contracts::Findings findings = contracts::check_sampler(parsed(text));
    INFO(contracts::report(findings));
    CHECK(contracts::all_hold(findings));
  }
}

TEST_CASE("the effective manifest of blocks gives the same composition again") {
  const Composition once = parsed(blocks("fixed = [\"x[3]\"]\n", update("[\"x[0:3]\"]", "hmc")));
  const Composition again = parsed(once.effective_manifest);
  CHECK(again.effective_manifest == once.effective_manifest);
  CHECK(after(again, 4) == after(once, 4));
}

TEST_CASE("blocks composed in code are those of a manifest") {
  Composer composer("in code");
  composer.run().set("seed", std::int64_t{5}).set("replicates", std::int64_t{6});
  composer.run().set("warmup", std::int64_t{20}).set("draws", std::int64_t{20});
  composer.add(Kind::model, "gaussian", "m")
      .set("dimension", std::int64_t{4})
      .set("covariance", std::string("ones-plus"))
      .set("c", 2.0);
  composer.add(Kind::estimator, "identity");
  composer.add(Kind::kernel, "hamiltonian", "hmc")
      .set("step_size", 0.5)
      .set("steps", std::int64_t{3});
  composer.add(Kind::kernel, "random-walk-metropolis", "walk").set("step_size", 0.9);
  composer.add(Kind::compositor, "blocks", "c")
      .add("update", Keys().set("parameters", {"x[0:2]"}).set("kernel", std::string("hmc")))
      .add("update", Keys().set("parameters", {"x[2:]"}).set("kernel", std::string("walk")));
  CHECK(after(composer.compose(support::registry()), 3) == after(parsed(blocks("", two)), 3));
}

TEST_CASE("blocks that cannot be are refused with place, value, rule and cure") {
  const auto says = [](const std::string& text, const std::vector<std::string>& words) {
    const std::string refused = refusal(text);
    for (const std::string& word : words) {
      INFO(word);
      CHECK_THAT(refused, Catch::Contains(word));
    }
  };
  says(blocks("", update("[\"x[0:3]\", \"y\"]", "hmc")),
       {"test.toml:", "compositor.c.update[0].parameters[1] = \"y\"", "no parameter \"y\""});
  says(blocks("", two + update("[\"x[9]\"]", "hmc")),
       {"compositor.c.update[2].parameters[0] = \"x[9]\"", "is out of range"});
  says(blocks("", update("[\"x[2:2]\"]", "hmc")), {"selects nothing"});
  says(blocks("", update("[\"x\", \"x[1]\"]", "hmc")),
       {"update[0].parameters[1]", "`x[1]`, which is already in this list"});
  says(blocks("", update("[\"x[0:3]\"]", "hmc")),
       {"compositor.c.update", "no update moves `x[3]`", "`fixed`"});
  says(blocks("fixed = [\"x[1]\"]\n", two),
       {"compositor.c.fixed", "`x[1]` is moved by the update"});
  says(blocks("scan = \"simultaneous\"\n", overlapping),
       {"update[1].parameters", "`x[1]` is moved by update[0] at the same time", "\"fixed\""});
  says(blocks("scan = \"random\"\n", update("[\"x\"]", "hmc", "every = 2\n")),
       {"update[0].every", "works only with scan = \"fixed\""});
  says(blocks("", update("[\"x\"]", "hmc", "weight = 2.0\n")), {"update[0].weight", "random"});
  says(blocks("", update("[\"x\"]", "hmc", "every = 0\n")),
       {"update[0].every = 0", "must be at least 1"});
  says(blocks("", update("[\"x\"]", "hm")), {"update[0].kernel = \"hm\"", "did you mean \"hmc\"?"});
  says(blocks("", update("[\"x\"]", "hmc", "evry = 2\n")),
       {"update[0].evry: unknown key (did you mean \"every\"?)"});
  says(blocks("", "[[compositor.c.update]]\nkernel = \"hmc\"\n"),
       {"[compositor.c.update[0]] needs the key \"parameters\""});
  says(blocks("update = 3\n", ""),
       {"compositor.c.update = 3", "must be a list of tables [[compositor.c.update]]"});
  says(blocks("update = []\n", ""), {"must be a list of tables"});
  says(blocks("", "[compositor.c.update]\nkernel = \"hmc\"\n"),
       {"compositor.c.update = { kernel = \"hmc\" }: must be a list of tables "
        "[[compositor.c.update]]"});
  says(blocks("", update("[]", "hmc")), {"update[0].parameters = []: must not be empty"});
  says(blocks("update = [3]\n", ""), {"update[0] = 3", "must be a table [[compositor.c.update]]"});
  says(blocks("", ""), {"[compositor.c] needs the key \"update\""});
  says(blocks("", update("[\"x\"]", "g")) + "[kernel.g]\nuse = \"gibbs\"\n",
       {"compositor.c.update[0].kernel = \"g\": kernel `g`", "`x[0]`", "takes real numbers"});
}
