// mixwell verify as a user calls it: what it prints, and what it exits with.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using end_to_end::contains;
using end_to_end::Outcome;
using end_to_end::Workplace;
using Json = nlohmann::json;

namespace {

const std::string wrong_plugins =
    std::string("MIXWELL_PLUGIN_PATH=\"") + MIXWELL_BUILD_DIR + "/tests/wrong\"";

std::string manifest(const std::string& integrator) {
  return "mixwell = 1\n[model.m]\nuse = \"quartic\"\ndimension = 2\n[integrator.scheme]\n" +
         integrator +
         "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nstep_size = "
         "0.3\nsteps = 4\n";
}

bool all_hold(const Json& clauses) {
  return std::all_of(clauses.begin(), clauses.end(),
                     [](const Json& law) { return law["holds"] == true; });
}

}  // namespace

TEST_CASE("Verify tells the contracts of components and the traits behind the certificate",
          "[slow]") {
  const Workplace place;
  place.write("m.toml", manifest("use = \"leapfrog\"\n"));
  const Outcome outcome = place.mixwell("verify m.toml --target own --budget 1e5 --json");
  CHECK(outcome.code == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json["agree"] == true);
  CHECK(json["targets"][0]["starts"] == "exact draws");
  std::vector<std::string> names;
  for (const Json& component : json["components"]) {
    names.push_back(component["name"]);
    CHECK(all_hold(component["laws"]));
  }
  CHECK(names == std::vector<std::string>{"model.m", "integrator.scheme", "estimator.identity",
                                          "composition"});
  REQUIRE(json["traits"].size() == 2);
  CHECK(json["traits"][1]["trait"] == "k/trajectory: volume");
  CHECK(json["traits"][1]["law"] == "integrator.scheme: volume");
  CHECK(json["traits"][1]["run"] == true);
  const Outcome text = place.mixwell("verify m.toml --target own --budget 1e5");
  contains(text.out, "assumed k/trajectory: involution: tested, holds");
}

TEST_CASE("A certificate that rests on a trait whose law is broken disagrees", "[slow]") {
  const Workplace place;
  place.write("m.toml", manifest("use = \"wrong-leapfrog\"\nmistake = \"volume-lost\"\n"));
  // A budget that the test of the whole sees nothing with: the law alone tells.
  const Outcome outcome =
      place.mixwell("verify m.toml --target quartic --alpha 1e-200", wrong_plugins);
  CHECK(outcome.code == 4);
  contains(outcome.out, "assumed k/trajectory: volume: tested, VIOLATED");
  contains(outcome.out,
           "a component violates a trait that it declares, and the certificate relies on this "
           "trait");
  contains(outcome.out, "the test DISAGREES with the certificate");
}

TEST_CASE("A certificate tells what verify saw of this very composition", "[slow]") {
  const Workplace place;
  place.write("m.toml", manifest("use = \"leapfrog\"\n"));
  const auto tested = [&](const std::string& arguments) {
    const Outcome outcome = place.mixwell("check m.toml --json " + arguments);
    CHECK(outcome.code == 0);
    return Json::parse(outcome.out).at("tested");
  };
  CHECK(tested("").is_null());
  CHECK(place.mixwell("verify m.toml --target quartic --budget 2e5").code == 0);
  CHECK(tested("").is_null());  // one target is not all of them
  CHECK(place.mixwell("verify m.toml --budget 2e5 --alpha 1e-4").code == 0);
  const Json found = tested("");
  REQUIRE(found.is_object());
  CHECK(found["agrees"] == true);
  CHECK(found["alpha"] == 1e-4);
  CHECK(found["smallest_visible_bias"] > 0.0);
  CHECK(found["composition"].get<std::string>().size() == 64);
  contains(place.mixwell("check m.toml").out, "tested     agrees with the certificate, 20");
  // What is not of the transitions does not count, and all else does.
  CHECK(tested("--set run.seed=2 --set run.draws=7") == found);
  CHECK(tested("--set kernel.k.steps=5").is_null());
  CHECK(tested("--set run.warmup=7").is_null());
  // The certificate of a run has it too; none is of a better class for it.
  CHECK(place.mixwell("run m.toml --quiet --set run.draws=10").code == 0);
  const Json certificate = Json::parse(end_to_end::read(place.path("out/m/certificate.json")));
  CHECK(certificate["tested"] == found);
  CHECK(certificate["evidence"] == "proved");
  // A damaged record is named, and not believed.
  const std::string record =
      ".state/mixwell/verified/" + found["composition"].get<std::string>() + ".json";
  place.write(record, "{\"agrees\": tr");
  CHECK(tested("").is_null());
  contains(place.mixwell("check m.toml").out, record);
}

TEST_CASE("Verify tells its outcome where it cannot be kept", "[slow]") {
  const Workplace place;
  place.write("m.toml", manifest("use = \"leapfrog\"\n"));
  place.write("file", "");
  const Outcome outcome =
      place.mixwell("verify m.toml --budget 2e5", "XDG_STATE_HOME=\"" + place.path("file") + "\"");
  CHECK(outcome.code == 0);
  contains(outcome.err, "Mixwell could not store the outcome for later certificates: " +
                            place.path("file/mixwell/verified"));
}
