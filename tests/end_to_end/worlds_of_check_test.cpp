// mixwell check on finite worlds: what stands beside the evidence, contradictions,
// counter-examples.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <sstream>

using namespace end_to_end;
using nlohmann::json;

namespace {

std::string certificate_example(const std::string& name) {
  return std::string(MIXWELL_SOURCE_DIR) + "/examples/certificates/" + name + ".toml";
}

/// Metropolis by a law that calls its density pi, and is another one.
std::string misnamed_manifest() {
  return "mixwell = 1\n[run]\nwarmup = 0\ndraws = 10\n[model.q]\nuse = \"quartic\"\n"
         "[oracle.o]\nuse = \"misnamed-density\"\n[kernel.k]\nuse = "
         "\"random-walk-metropolis\"\nstep_size = 0.5\n";
}

std::string with_misnamed(const Workplace& place) {
  return with_plugins(place, {"tests/wrong/misnamed_density.so"});
}

/// What a script prints after a colon: the probability before, and after.
std::vector<std::string> probabilities(const Workplace& place, const std::string& script) {
  const Outcome printed = place.shell("python3 " + script);
  INFO(printed.err);
  REQUIRE(printed.code == 0);
  std::vector<std::string> found;
  std::istringstream in(printed.out);
  for (std::string line; std::getline(in, line);) found.push_back(line.substr(line.find(": ") + 2));
  REQUIRE(found.size() == 2);
  return found;
}

json phase_of(const json& document, const std::string& name) {
  for (const json& one : document["worlds"])
    if (one["phase"] == name) return one;
  return nullptr;
}

}  // namespace

TEST_CASE("check says beside the evidence what finite worlds say") {
  const Workplace place;
  contains(place.mixwell("check " + certificate_example("hmc")).out,
           "evidence   proved, and exactly invariant in 20 finite worlds\n");
  contains(place.mixwell("check " + certificate_example("sgld")).out,
           "evidence   proved, and invariant in 20 finite worlds to first order in the step\n");
  contains(place.mixwell("check " + certificate_example("qnhmc-published")).out,
           "evidence   proved, and in a finite world the distribution of the slots departs from "
           "the target in sweep 2\n");
  contains(place.mixwell("check " + certificate_example("hmc-never-frozen")).out,
           "evidence   proved; finite worlds cannot test compositions of class `adaptive`\n");
  contains(place.mixwell("check --no-worlds " + certificate_example("hmc")).out,
           "evidence   proved\n");
}

TEST_CASE("check notes that a rule may be too strict where all worlds are invariant") {
  const Workplace place;
  // A slice is decided by U, which this oracle leaves exact; no trait says so of an opaque move.
  place.write("m.toml",
              "mixwell = 1\n[run]\nwarmup = 0\ndraws = 10\nallow = [\"biased\"]\n[model.q]\nuse = "
              "\"quartic\"\n[oracle.o]\nuse = \"noisy\"\n[kernel.k]\nuse = \"slice\"\n");
  const Outcome text = place.mixwell("check m.toml");
  contains(text.out, "evidence   unproven, but exactly invariant in 20 finite worlds\n");
  contains(text.out,
           " may be too strict here, because the composition is exactly invariant in 20 ");
  const json document = json::parse(place.mixwell("check m.toml --json").out);
  CHECK(phase_of(document, "sampling")["judgement"] == "strict");
}

TEST_CASE("check reads fewer worlds where they are large, and says how many") {
  const Workplace place;
  const std::string text = place.mixwell("check " + certificate_example("qnhmc-ensemble")).out;
  const std::string before = "exactly invariant in ";
  contains(text, before);
  const int worlds = std::stoi(text.substr(text.find(before) + before.size()));
  CHECK(worlds > 0);
  CHECK(worlds < 20);
}

TEST_CASE("check --json has every phase that finite worlds read") {
  const Workplace place;
  const auto document = [&](const std::string& words) {
    return json::parse(place.mixwell("check --json " + words).out);
  };
  const json exact = phase_of(document(certificate_example("hmc")), "sampling");
  CHECK(exact["judgement"] == "right");
  CHECK(exact["worlds"] == 20);
  CHECK(exact["first_order"] == false);
  CHECK(exact["joint"] == true);
  CHECK(exact["departure"].is_null());
  CHECK(exact["unread"].is_null());
  const json adaptive = document(certificate_example("hmc-never-frozen"));
  CHECK(phase_of(adaptive, "sampling")["judgement"] == "silent");
  CHECK(phase_of(adaptive, "frozen")["judgement"] == "right");
  CHECK(phase_of(adaptive, "warmup").is_null());
  const json biased = phase_of(document(certificate_example("qnhmc-published")), "sampling");
  CHECK(biased["judgement"] == "wrong");
  CHECK(biased["departure"]["sweep"] == 2);
  CHECK(document("--no-worlds " + certificate_example("hmc"))["worlds"].is_null());
}

TEST_CASE("a finite world that contradicts an exact certificate ends check with exit code 3") {
  const Workplace place;
  const std::string plugins = with_misnamed(place);
  place.write("m.toml", misnamed_manifest());
  CHECK(place.mixwell("check --no-worlds m.toml", plugins).code == 0);
  const Outcome text = place.mixwell("check m.toml --counterexample w.py", plugins);
  CHECK(text.code == 3);
  contains(text.out, "class      contradicted: ");
  contains(text.out, "by rules   exact: each update leaves pi invariant at any step size\n");
  contains(text.err, "the rules call the sampling phase exact");
  const std::vector<std::string> both = probabilities(place, "w.py");
  contains(text.err, " is " + both[0] + " under the target and " + both[1] + " after ");
  const Outcome shown = place.mixwell("check m.toml --json", plugins);
  CHECK(shown.code == 3);
  const json document = json::parse(shown.out);
  CHECK(document["class"] == "contradicted");
  CHECK(document["class_by_rules"] == "exact");
  CHECK(document["code"] == 3);
  CHECK(phase_of(document, "sampling")["judgement"] == "hole");
}

TEST_CASE("a counter-example is a short script that Python recomputes") {
  const Workplace place;
  const std::string manifest = certificate_example("qnhmc-published") + " --set 'run.allow=[]'";
  CHECK(place.mixwell("check " + manifest + " --counterexample q.py").code == 3);
  const std::string script = read(place.path("q.py"));
  CHECK(std::count(script.begin(), script.end(), '\n') <= 120);
  const std::vector<std::string> both = probabilities(place, "q.py");
  CHECK(both[0] != both[1]);
  CHECK(both[0].find('/') != std::string::npos);
}

TEST_CASE("Python finds the fractions of a counter-example that Mixwell found") {
  const Workplace place;
  // Of registers, branches of a mixture, parts of a position, momenta, and small steps.
  for (const char* name :
       {"qnhmc-published", "mixture-by-position", "../../tests/counterexamples/collapsed-order",
        "ensemble-one-fit", "naive-unadjusted", "psgld-published"}) {
    INFO(name);
    const Outcome shown =
        place.mixwell("check --json --counterexample w.py " + certificate_example(name));
    const json example = json::parse(shown.out)["counterexample"];
    const std::vector<std::string> both = probabilities(place, "w.py");
    CHECK(both[0] == example["expected"].get<std::string>());
    CHECK(both[1] == example["found"].get<std::string>());
    CHECK(both[0] != both[1]);
  }
}

TEST_CASE("a counter-example to first order in the step has a slope") {
  const Workplace place;
  place.mixwell("check " + certificate_example("psgld-published") + " --counterexample q.py");
  const std::vector<std::string> both = probabilities(place, "q.py");
  CHECK(both[1].starts_with(both[0] + " + "));
  CHECK(both[1].ends_with(" eps"));
}

TEST_CASE("check refuses a counter-example where no world departs, or where it cannot be written") {
  const Workplace place;
  const Outcome none = place.mixwell("check " + certificate_example("hmc") + " --counterexample w");
  CHECK(none.code == 1);
  contains(none.err,
           "there is no counterexample to write: the composition is exactly invariant in 20 "
           "finite worlds");
  CHECK_FALSE(std::filesystem::exists(place.path("w")));
  const std::string biased = "check " + certificate_example("qnhmc-published");
  const Outcome nowhere = place.mixwell(biased + " --counterexample none/w.py");
  CHECK(nowhere.code == 1);
  contains(nowhere.err, "`none/w.py` could not be written");
  CHECK(place.mixwell(biased + " --no-worlds --counterexample w.py").code == 2);
  place.write("w.py", "old");
  CHECK(place.mixwell(biased + " --counterexample w.py").code == 0);
  CHECK(read(place.path("w.py")) != "old");
}
