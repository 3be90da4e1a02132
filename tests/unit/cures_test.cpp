// Fixes in messages must change the sampler. A key that only makes a component declare more is not
// a fix.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "manifest/manifest_arguments.hpp"
#include "temporary_folder.hpp"

#include <mixwell/lab/advice.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

const std::string model = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";

/// What `check` prints of each, for a composition of that class.
std::vector<std::string> cures_of(const std::string& kernel, const std::string& now = "biased") {
  const Composition composition = composing::compose(model + kernel);
  const Certificate certificate = compose(*composition.compositor).certificate;
  INFO(certificate.to_text());
  CHECK(certificate.label() == now);
  std::vector<std::string> all;
  for (const Cure& cure : cures(composition, certificate, composing::registry()))
    all.push_back(cure.change + ": " + cure.in_words());
  return all;
}

std::string label(const std::string& kernel) { return composing::verdict(model + kernel).label(); }

/// Nothing for a study, and for a manifest of a library or of results that are not there.
std::optional<Composition> composed(const std::string& path) {
  try {
    return load({.path = path}, composing::registry());
  } catch (const Error&) {
    return std::nullopt;
  }
}

struct Applied {
  std::int64_t manifests = 0;
  std::int64_t cures = 0;
};

/// Applies a printed fix to the manifest that it is for.
void apply(const std::string& path, const Cure& cure) {
  INFO(path << ": " << cure.change);
  const Composition cured = load({.path = path, .settings = {cure.change}}, composing::registry());
  const Certificate found = compose(*cured.compositor).certificate;
  CHECK(found.label() == cure.label);
  CHECK(found.now.evidence() == cure.evidence);
  CHECK_NOTHROW(probe_wiring(cured.compositor));
}

void apply_all(const std::string& path, Applied& applied) {
  const std::optional<Composition> composition = composed(path);
  if (!composition) return;
  ++applied.manifests;
  const Certificate certificate = compose(*composition->compositor).certificate;
  for (const Cure& cure : cures(*composition, certificate, composing::registry())) {
    apply(path, cure);
    ++applied.cures;
  }
}

/// A Stan program is a density as any other, and compiling one takes a minute.
bool is_stan(const std::filesystem::path& path) { return path.filename() == "stan"; }

Applied applied_in(const std::string& folder) {
  Applied applied;
  auto entry = std::filesystem::recursive_directory_iterator(MIXWELL_SOURCE_DIR "/" + folder);
  for (; entry != end(entry); ++entry) {
    if (is_stan(entry->path())) entry.disable_recursion_pending();
    if (entry->path().extension() == ".toml") apply_all(entry->path().string(), applied);
  }
  return applied;
}

}  // namespace

TEST_CASE("a key that hides what is wrong behind a declared move is no cure") {
  const std::string walk = "[kernel.k]\nuse = \"hiding-walk\"\n";
  CHECK(composing::verdict(model + walk).evidence() == Evidence::proved);
  CHECK(label(walk + "opaque = true\n") == "exact");
  CHECK(cures_of(walk) == std::vector<std::string>{"kernel.k.follows = false: exact, declared"});
}

TEST_CASE("a key that declares more of the same operations is no cure") {
  const std::string walk = "[kernel.k]\nuse = \"hiding-walk\"\nfollows = false\n";
  const std::string silent = walk + "claims = false\n";
  CHECK(label(walk) == "exact");
  CHECK(label(silent + "opaque = true\n") == "exact");
  CHECK(cures_of(silent).empty());
}

TEST_CASE("what rests on no author's word is proposed without that remark") {
  const auto found = cures_of(
      "[estimator.e]\nuse = \"lbfgs\"\n[kernel.k]\nuse = \"hamiltonian\"\nsteps = 3\n"
      "step_size = 0.1\n[compositor.c]\nuse = \"ensemble-chain\"\nslots = 3\n"
      "memory = \"own-history\"\n");
  REQUIRE_FALSE(found.empty());
  for (const std::string& cure : found) CHECK(cure.find("declared") == std::string::npos);
}

TEST_CASE("a cure that is set as it is printed gives the verdict that it promises") {
  Applied examples = applied_in("examples");
  for (const char* paper : {"hamcmc", "hmc-bfgs"}) {
    const Applied guests = applied_in(std::string("papers/") + paper + "/examples");
    CHECK(guests.manifests > 0);
    examples.manifests += guests.manifests;
    examples.cures += guests.cures;
  }
  CHECK(examples.manifests >= 75);
  CHECK(examples.cures >= 20);
  const Applied others = applied_in("tests/counterexamples");
  CHECK(others.manifests >= 30);
  CHECK(others.cures >= 10);
}

TEST_CASE("defaults that follow a cure are part of its verdict") {
  // The metric is learnt where there is a Metropolis step, unless an estimator is named.
  const std::string unadjusted =
      "[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = false\nstep_size = 0.1\nsteps = 4\n";
  const std::string constant = "[estimator.e]\nuse = \"identity\"\n";
  const std::string cure = "kernel.k.metropolis = true: exact";
  CHECK(cures_of(unadjusted, "asymptotic") == std::vector<std::string>{cure + " after warm-up"});
  CHECK(cures_of(unadjusted + constant, "asymptotic") == std::vector<std::string>{cure});
}

TEST_CASE("a cure is found for a manifest with files beside it and labels of its own") {
  const testing::TemporaryFolder folder;
  folder.file("start.csv", "x[0],x[1]\n0.1,0.2\n");
  folder.file("m.toml",
              "mixwell = 1\n[run]\ninit = { file = \"start.csv\" }\nreplicates = 1\n" + model +
                  "dims.x = [\"who\"]\ncoords.who = [\"ann\", \"bob\"]\n[kernel.w]\nuse = "
                  "\"random-walk-metropolis\"\nstep_size = 0.5\n[compositor.c]\nuse = \"blocks\"\n"
                  "scan = \"simultaneous\"\n[[compositor.c.update]]\nparameters = "
                  "[\"x[ann]\"]\nkernel = \"w\"\n[[compositor.c.update]]\nparameters = "
                  "[\"x[bob]\"]\nkernel = \"w\"\n");
  Applied applied;
  apply_all(folder.path() + "/m.toml", applied);
  CHECK(applied.cures >= 1);
}
