// Names of dimensions and of their elements from the manifest: in files, tables and messages.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

using namespace end_to_end;

namespace {

std::string labelled_manifest(const std::string& keys) {
  return "mixwell = 1\n[run]\nreplicates = 4\nwarmup = 50\ndraws = 200\n[model.g]\nuse = "
         "\"gaussian\"\ndimension = 3\n" +
         keys + "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.5\nsteps = 4\n";
}

const std::string towns = "dims.x = [\"town\"]\ncoords.town = [\"Ulm\", \"Bonn\", \"Bad Orb\"]\n";

/// Of `mixwell check`.
std::string refusal(const std::string& keys) {
  const Workplace place;
  place.write("m.toml", labelled_manifest(keys));
  const Outcome outcome = place.mixwell("check m.toml");
  CHECK(outcome.code == 2);
  return outcome.err;
}

}  // namespace

TEST_CASE("labels of the manifest stand in draws, in every table and in the effective manifest") {
  const Workplace place;
  place.write("m.toml", labelled_manifest(towns));
  const Outcome run = place.mixwell("run m.toml --out out");
  INFO(run.err);
  REQUIRE(run.code == 0);
  const Outcome shown = place.mixwell("summary out");
  for (const char* const name : {"x[Ulm]", "x[Bonn]", "x[Bad Orb]"}) contains(shown.out, name);
  CHECK(shown.out.find("x[0]") == std::string::npos);
  const auto summary = nlohmann::json::parse(read(place.path("out/summary.json")));
  CHECK(summary.at("variables").at("x[2]").at("label") == "x[Bad Orb]");
  contains(read(place.path("out/manifest.toml")), "coords = { town = [\"Ulm\", \"Bonn\"");
  CHECK(place.mixwell("check out/manifest.toml").code == 0);
  const Outcome page = place.mixwell("report out");
  CHECK(page.code == 0);
  contains(read(place.path("out/report.html")), "x[Bad Orb]");
}

TEST_CASE("rows are asked for by label, and a label that is none is refused with the nearest") {
  const Workplace place;
  const std::string run = "run m.toml --out out --set 'run.summary_rows=[\"x[Bad Orb]\"]'";
  place.write("m.toml", labelled_manifest(towns));
  REQUIRE(place.mixwell(run).code == 0);
  CHECK(place.mixwell("summary out --rows 'x[Bad Orb]' --rows 'x[1]'").code == 0);
  const Outcome refused = place.mixwell("summary out --rows 'x[Bad Ort]'");
  CHECK(refused.code == 2);
  contains(refused.err,
           "--rows x[Bad Ort]: \"x[Bad Ort]\" has \"Bad Ort\", which must be an index, a slice or "
           "a label (did you mean \"Bad Orb\"?)");
}

TEST_CASE("directions and references take labels, and mean what the numbers mean") {
  const Workplace place;
  place.write("m.toml", labelled_manifest(towns));
  REQUIRE(place.mixwell("run m.toml --out out").code == 0);
  const auto figures = [&](const std::string& option, const std::string& table) {
    place.write("t.csv", table);
    const Outcome outcome = place.mixwell("summary out --json " + option + " t.csv");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return nlohmann::json::parse(outcome.out).at(option.substr(2));
  };
  CHECK(figures("--directions", "x[Ulm],x[Bad Orb]\n3,-4\n") ==
        figures("--directions", "x[0],x[2]\n3,-4\n"));
  CHECK(figures("--reference", "x[Bad Orb],x[Ulm]\n1,2\n3,5\n") ==
        figures("--reference", "x[2],x[0]\n1,2\n3,5\n"));
  for (const char* const option : {"--directions", "--reference"}) {
    place.write("t.csv", "x[Bonm]\n1\n");
    const Outcome refused = place.mixwell(std::string("summary out ") + option + " t.csv");
    CHECK(refused.code == 2);
    contains(refused.err,
             "has \"Bonm\", which must be an index, a slice or a label (did you mean "
             "\"Bonn\"?)");
  }
}

TEST_CASE("blocks take labels of the manifest, and draw the same bits as by numbers") {
  const Workplace place;
  const auto blocks = [&](const std::string& first, const std::string& second) {
    return labelled_manifest(towns) +
           "[compositor.main]\nuse = \"blocks\"\n[[compositor.main.update]]\nparameters = [\"" +
           first + "\"]\nkernel = \"hmc\"\n[[compositor.main.update]]\nparameters = [\"" + second +
           "\"]\nkernel = \"hmc\"\n";
  };
  place.write("labels.toml", blocks("x[Bad Orb]", "x[0:2]"));
  place.write("numbers.toml", blocks("x[2]", "x[0:2]"));
  REQUIRE(place.mixwell("run labels.toml --out labels").code == 0);
  REQUIRE(place.mixwell("run numbers.toml --out numbers").code == 0);
  CHECK(draws_hash(place, "labels") == draws_hash(place, "numbers"));
  contains(read(place.path("labels/manifest.toml")), "parameters = [\"x[Bad Orb]\"]");
  REQUIRE(place.mixwell("run labels/manifest.toml --out again").code == 0);
  CHECK(draws_hash(place, "again") == draws_hash(place, "labels"));
  place.write("wrong.toml", blocks("x[Bad Ort]", "x[0:2]"));
  const Outcome refused = place.mixwell("check wrong.toml");
  CHECK(refused.code == 2);
  contains(refused.err,
           "wrong.toml:18:15: compositor.main.update[0].parameters[0] = \"x[Bad Ort]\"");
  contains(refused.err, "did you mean \"Bad Orb\"?");
}

TEST_CASE("without labels no row of a summary has one") {
  const Workplace place;
  place.write("m.toml", labelled_manifest("dims.x = [\"town\"]\n"));
  REQUIRE(place.mixwell("run m.toml --out out").code == 0);
  const auto summary = nlohmann::json::parse(read(place.path("out/summary.json")));
  CHECK_FALSE(summary.at("variables").at("x[2]").contains("label"));
  contains(place.mixwell("summary out").out, "x[2]");
}

TEST_CASE("dims and coords that do not fit what is recorded are refused with line and cure") {
  contains(
      refusal("dims.y = [\"town\"]\n"),
      "m.toml:9:10: model.g.dims.y = [ 'town' ]: the model records no variable with this name");
  contains(refusal("dims.x = [\"town\", \"year\"]\n"),
           "must have 1 names, one for each dimension, because `x` has the shape {3}");
  contains(
      refusal("coords.town = [\"Ulm\"]\n"),
      "no recorded variable has a dimension with this name. Name dimensions with `dims` in the "
      "same table");
  contains(refusal("dims.x = [\"town\"]\ncoords.towns = [\"a\", \"b\", \"c\"]\n"),
           "did you mean \"town\"?");
  contains(refusal("dims.x = [\"town\"]\ncoords.town = [\"Ulm\"]\n"),
           "must have 3 labels, because the dimension has length 3 (got 1 labels)");
  contains(refusal("dims.x = [\"town\"]\ncoords.town = [\"Ulm\", \"Bonn\", \"Ulm\"]\n"),
           "must not repeat the label \"Ulm\"");
  contains(refusal("dims.x = [\"draw\"]\n"), "is reserved for draws.nc");
  contains(refusal("coords = [\"Ulm\"]\n"), "must be a table of lists of strings");
  contains(refusal("dim.x = [\"town\"]\n"), "did you mean \"dims\"?");
}

TEST_CASE("the schema of manifests has dims and coords of every model") {
  const auto schema = nlohmann::json::parse(Workplace().mixwell("schema").out);
  const auto& rules = schema.at("properties").at("model").at("additionalProperties").at("allOf");
  for (const auto& rule : rules)
    for (const char* const key : {"dims", "coords"})
      CHECK(rule.at("then").at("properties").at(key).at("type") == "object");
}
