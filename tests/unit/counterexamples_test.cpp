// Compositions whose verdict was once wrong. Each must have its class, its evidence and its joint
// density.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "temporary_folder.hpp"

#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

const std::filesystem::path folder = MIXWELL_SOURCE_DIR "/tests/counterexamples";

/// A row of expected.tsv; "any" prescribes nothing.
struct Expected {
  std::string name;
  std::string label;
  std::string evidence;
  std::string joint;
};

std::vector<Expected> expectations() {
  std::vector<Expected> all;
  std::ifstream in(folder / "expected.tsv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream row(line);
    Expected one;
    row >> one.name >> one.label >> one.evidence >> one.joint;
    all.push_back(one);
  }
  return all;
}

Composition load(const std::string& name) {
  std::ifstream in(folder / (name + ".toml"));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse_manifest(text, (folder / (name + ".toml")).string(), composing::registry());
}

void check(const std::string& wanted, const std::string& found) {
  if (wanted != "any") CHECK(found == wanted);
}

}  // namespace

TEST_CASE("every counterexample has the verdict that its draws ask for") {
  const auto all = expectations();
  CHECK(all.size() >= 20);
  for (const Expected& one : all) {
    const Certificate certificate = compose(*load(one.name).compositor).certificate;
    INFO(one.name << "\n" << certificate.to_text());
    check(one.label, certificate.now.label());
    check(one.evidence, std::string(to_string(certificate.now.evidence())));
    check(one.joint, certificate.now.coupled ? "coupled" : "product");
    CHECK_FALSE(certificate.now.reason.empty());
  }
}

TEST_CASE("every counterexample runs a few sweeps") {
  for (const Expected& one : expectations()) {
    INFO(one.name);
    const Composition composition = load(one.name);
    RunSettings settings = composition.run;
    settings.replicates = 16;
    Sampler sampler(composition.compositor, settings, compose(*composition.compositor));
    sampler.initialise();
    CHECK_NOTHROW(sampler.advance(PhaseKind::sampling, 3));
  }
}

TEST_CASE("every counterexample has a row, and every row a counterexample") {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path().stem());
  }
  CHECK(files.size() == expectations().size());
}

TEST_CASE("a body that takes one edge for another is refused before anything runs") {
  const Composition composition = composing::compose(
      "[model.m]\nuse = \"quartic\"\ndimension = 2\n"
      "[kernel.k]\nuse = \"wired-walk\"\nwiring = \"exchanged\"\n");
  CHECK_THROWS_WITH(probe_wiring(composition.compositor), Catch::Contains("`k/propose`") &&
                                                              Catch::Contains("input 1") &&
                                                              Catch::Contains("read as `law`"));
}

TEST_CASE("a right wiring is probed without a word") {
  const Composition composition = composing::compose(
      "[model.m]\nuse = \"quartic\"\ndimension = 2\n[kernel.k]\nuse = \"wired-walk\"\n");
  CHECK_NOTHROW(probe_wiring(composition.compositor));
}

TEST_CASE("a slot that nothing moves and nothing reads is left out of a run") {
  const Composition composition = composing::compose(
      "[model.m]\nuse = \"banana\"\n"
      "[kernel.still]\nuse = \"wired-steps\"\nprogram = [\"keep "
      "register=r of=noise:n\"]\n"
      "[kernel.k]\nuse = \"wired-steps\"\n"
      "[compositor.c]\nuse = \"pilot-chain\"\npilot = \"still\"\nkernel = \"k\"\n");
  CHECK_NOTHROW(probe_wiring(composition.compositor));
}

TEST_CASE("a run that starts from the draws of another does not replay its noise") {
  const mixwell::testing::TemporaryFolder place;
  const std::string draws = place.file("draws.csv", "x[0],x[1]\n0.5,0.5\n");
  const std::string body =
      "[model.m]\nuse = \"quartic\"\ndimension = 2\n[estimator.identity]\nuse = "
      "\"identity\"\n[kernel.k]\nuse = "
      "\"hamiltonian\"\nstep_size = 0.1\nsteps = 2\n[run]\nseed = 7\n";
  const auto from = [&](const std::string& init) {
    return composing::compose(body + init).run.stream_seed();
  };
  const auto fresh = from("");
  const auto first = from("init = { file = \"" + draws + "\" }\n");
  CHECK(fresh == 7);
  CHECK(first != fresh);
  place.file("draws.csv", "x[0],x[1]\n0.5,0.6\n");
  CHECK(from("init = { file = \"" + draws + "\" }\n") != first);
}
