// Keys that declare when they have an effect, and manifests that give them elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "support.hpp"

#include <mixwell/lab/composer.hpp>
#include <mixwell/lab/field_target.hpp>

#include <catch2/catch.hpp>

#include <optional>
#include <string>

using namespace mixwell;
using composing::refusal;
using support::contains;

namespace {

const std::string bowl = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";
const std::string langevin = bowl + "[kernel.k]\nuse = \"langevin\"\n";

struct Example {
  std::string shape = "flat";
  double bend = 1.0;
  std::optional<double> limit;
  double margin = 0.5;
  bool is_there = false;

  Fields fields() {
    Fields all;
    all.text("shape", shape).one_of({"flat", "round", "bent"});
    all.number("bend", bend).only_with("shape", {"round", "bent"});
    all.number("limit", limit);
    all.number("margin", margin).only_with("limit").only_where("a thing", [this] {
      return is_there;
    });
    return all;
  }
};

}  // namespace

TEST_CASE("a condition of a key is told in words, and why it does not hold") {
  Example keys;
  const Fields fields = keys.fields();
  const Field& bend = *fields.find("bend");
  const Field& margin = *fields.find("margin");
  CHECK(fields.find("shape")->condition().empty());
  CHECK(bend.condition() == "shape = \"round\" or \"bent\"");
  CHECK(margin.condition() == "limit, a thing");
  CHECK(fields.why_idle(*fields.find("shape")).empty());
  CHECK(fields.why_idle(bend) ==
        "has no effect because shape = \"flat\". It needs shape = \"round\" or \"bent\". Set that "
        "key accordingly, or leave this key out");
  keys.shape = "bent";
  CHECK(fields.why_idle(bend).empty());
  CHECK(contains(fields.why_idle(margin), "because limit is not set. It needs limit"));
  keys.limit = 2.0;
  CHECK(fields.why_idle(margin) ==
        "has no effect here. It needs a thing. Meet this condition, or leave this key out");
  keys.is_there = true;
  CHECK(fields.why_idle(margin).empty());
}

TEST_CASE("a condition on a key that is none is a fault of the plugin") {
  double one = 1.0;
  Fields fields;
  fields.number("one", one).only_with("other");
  CHECK_THROWS_WITH(fields.why_idle(fields.all().front()),
                    Catch::Contains("key `one` is declared to need the key `other`"));
}

TEST_CASE("a key without an effect is refused with its place, its value and what it goes with") {
  for (const std::string key : {"exponent = 0.33", "offset = 5.0", "hold = 3"}) {
    const std::string message = refusal(langevin + key + "\n");
    INFO(message);
    CHECK(contains(message, "test.toml:7:"));
    CHECK(contains(message, "kernel.k." + key.substr(0, key.find(' '))));
    CHECK(contains(message, "has no effect because schedule = \"constant\""));
    CHECK(refusal(langevin + "schedule = \"polynomial\"\n" + key + "\n") == "accepted");
  }
  CHECK(contains(refusal(langevin + "schedule = \"power\"\noffset = 5.0\n"),
                 "It needs schedule = \"polynomial\""));
  CHECK(contains(refusal(bowl + "[kernel.k]\nuse = \"hamiltonian\"\nsteps = 4\n[compositor.c]\nuse "
                                "= \"ensemble-chain\"\nhistory = 7\n"),
                 "It needs memory = \"own-history\" or \"published\""));
}

TEST_CASE("a key that another one rules out says which") {
  const auto said = [](const std::string& keys) {
    return refusal(bowl + "[kernel.k]\nuse = \"hamiltonian\"\n" + keys);
  };
  CHECK(contains(said("steps = 5\nsteps_jitter = [2, 4]\n"),
                 "It needs a fixed number of steps, without steps_jitter. Meet this condition"));
  CHECK(contains(said("refresh_every = 3\npersistence = 1.0\n"),
                 "It needs persistence below 1, because at 1 the momentum is never redrawn. "
                 "Meet this condition"));
}

TEST_CASE("a key of [run] without an effect is refused with its place and what it goes with") {
  const auto said = [](const std::string& keys) { return refusal("[run]\n" + keys + bowl); };
  CHECK(contains(said("check_every = 50\n"),
                 "test.toml:3:15: run.check_every = 50: has no effect here. It needs a stop rule "
                 "(stop_gradients, stop_seconds, stop_min_ess or stop_mcse)"));
  for (const std::string rule :
       {"stop_gradients = 9.0", "stop_seconds = 9.0", "stop_min_ess = 9.0", "stop_mcse = 0.1"})
    CHECK(said("check_every = 50\n" + rule + "\n") == "accepted");
  CHECK(said("check_every = 100\n") == "accepted");
  for (const std::string rule : {"stop_gradients = 9.0", "stop_min_ess = 9.0", "stop_mcse = 0.1"}) {
    const std::string text = said("draws = 20\nthin = 2\n" + rule + "\n");
    CHECK(contains(text, "test.toml:5:"));
    CHECK(
        contains(text,
                 "Mixwell checks this stop rule for the first time after check_every = 100 "
                 "sweeps, but the run ends after draws * thin = 40 sweeps. Set check_every = 40 or "
                 "less"));
    CHECK(said("draws = 20\nthin = 2\ncheck_every = 40\n" + rule + "\n") == "accepted");
  }
  CHECK(said("draws = 20\nstop_seconds = 9.0\n") == "accepted");
  CHECK(contains(said("record_warmup = true\nwarmup = 0\n"),
                 "run.record_warmup = true: has no effect here. It needs warmup above 0"));
  CHECK(said("record_warmup = true\n") == "accepted");
}

TEST_CASE("a key without an effect may have its default, so that effective manifests run") {
  CHECK(refusal(langevin + "exponent = 0.51\nhold = 1\n") == "accepted");
  const std::string effective = composing::compose(langevin).effective_manifest;
  CHECK(contains(
      effective,
      "exponent = 0.51  # exponent in the formula of the schedule; only with schedule = "));
  CHECK_NOTHROW(parse_manifest(effective, "again.toml", composing::registry()));
}

TEST_CASE("a reference without an effect is refused where it is given by name") {
  const std::string recipe = bowl +
                             "[estimator.e]\nuse = \"rms-diagonal\"\n[kernel.k]\nuse = "
                             "\"recipe\"\ndynamics = \"sgnht\"\n";
  CHECK(refusal(recipe) == "accepted");
  CHECK(contains(refusal(recipe + "estimator = \"e\"\n"), "It needs dynamics = \"sgrld\""));
}

TEST_CASE("compositions made in code have the same conditions") {
  Composer composer("mine");
  composer.add(Kind::model, "quartic").set("dimension", std::int64_t{2});
  composer.add(Kind::kernel, "langevin").set("exponent", 0.4);
  CHECK_THROWS_WITH(composer.compose(composing::registry()), Catch::Contains("has no effect"));
}
