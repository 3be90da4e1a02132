// Compositions made in code: the same as from a manifest, with the same errors.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "temporary_folder.hpp"
#include "toy_components.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/composer.hpp>
#include <mixwell/lab/run.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>

using namespace mixwell;
using mixwell::testing::TemporaryFolder;

namespace {

template <class Action>
std::string failure_of(Action action) {
  try {
    action();
  } catch (const InputError& fault) {
    return fault.what();
  }
  FAIL("nothing was refused");
  return {};
}

void contains(const std::string& text, const std::string& part) {
  INFO("looking for \"" << part << "\" in \"" << text << "\"");
  CHECK(text.find(part) != std::string::npos);
}

/// The message about a manifest, without file and line.
std::string said_of_manifest(const std::string& body) {
  const std::string text = failure_of([&] { composing::compose(body); });
  return text.substr(text.find(": ") + 2);
}

/// The message about a composition called "c", without its name.
std::string said_of_code(const Composer& composer) {
  const std::string text = failure_of([&] { composer.compose(composing::registry()); });
  const std::string place = "composition c: ";
  CHECK(text.starts_with(place));
  return text.substr(std::min(place.size(), text.size()));
}

const std::string gaussian = "[model.m]\nuse = \"gaussian\"\ndimension = 3\n";

Composer gaussian_in_code() {
  Composer composer("c");
  composer.add(Kind::model, "gaussian", "m").set("dimension", 3);
  return composer;
}

}  // namespace

TEST_CASE(
    "a composition made in code has the effective manifest of the manifest that says the same") {
  Composer composer = gaussian_in_code();
  composer.run().set("draws", 300).set("init.uniform", 1).set("allow", {"biased"});
  composer.add(Kind::estimator, "dense", "metric").set("pool", true);
  composer.add(Kind::kernel, "hamiltonian", "hmc")
      .set("step_size", 0.1)
      .set("steps_jitter", {5, 15})
      .set("metropolis", true)
      .set("estimator", "metric");
  const Composition in_code = composer.compose(composing::registry());
  const Composition in_text = composing::compose(
      "[run]\ndraws = 300\ninit.uniform = 1\nallow = [\"biased\"]\n" + gaussian +
      "[estimator.metric]\nuse = \"dense\"\npool = true\n[kernel.hmc]\nuse = \"hamiltonian\"\n"
      "step_size = 0.1\nsteps_jitter = [5, 15]\nmetropolis = true\nestimator = \"metric\"\n");
  CHECK(in_code.effective_manifest == in_text.effective_manifest);
  CHECK(in_code.name == "c");
  CHECK(in_code.libraries == in_text.libraries);
}

TEST_CASE("mistakes in code are told in the words of the manifest, without a line") {
  const auto same = [](const Composer& composer, const std::string& body) {
    const std::string said = said_of_code(composer);
    INFO(said);
    CHECK(said == said_of_manifest(body));
    return said;
  };
  const std::string hmc = gaussian + "[kernel.k]\nuse = \"hamiltonian\"\n";
  const auto with = [](const std::string& key, KeyValue value) {
    Composer composer = gaussian_in_code();
    composer.add(Kind::kernel, "hamiltonian", "k").set(key, std::move(value));
    return composer;
  };
  contains(same(with("step_sise", 0.1), hmc + "step_sise = 0.1\n"), "did you mean \"step_size\"");
  contains(same(with("step_size", "small"), hmc + "step_size = \"small\"\n"), "must be a number");
  contains(same(with("steps", 2.5), hmc + "steps = 2.5\n"), "must be an integer");
  contains(same(with("step_size", -1), hmc + "step_size = -1\n"), "k.step_size = -1: must be");
  contains(same(with("integrator", "frog"), hmc + "integrator = \"frog\"\n"),
           "no [integrator.frog]");
  Composer of_nothing = gaussian_in_code();
  of_nothing.add(Kind::kernel, "hamiltonain");
  contains(same(of_nothing, gaussian + "[kernel.hamiltonain]\nuse = \"hamiltonain\"\n"),
           "did you mean \"hamiltonian\"");
  contains(same(Composer("c"), ""), "needs a model");
  Composer long_run = with("step_size", 0.1);
  long_run.run().set("draws", -5);
  contains(same(long_run, hmc + "step_size = 0.1\n[run]\ndraws = -5\n"), "run.draws = -5: must be");
}

TEST_CASE("a name that is there already is refused, with both ids") {
  Composer composer = gaussian_in_code();
  const std::string text = failure_of([&] { composer.add(Kind::model, "funnel", "m"); });
  CHECK(text ==
        "composition c: [model.m] already exists with use = \"gaussian\". Give the new component "
        "(use = \"funnel\") another name.");
}

TEST_CASE("a key cannot be both a value and a table") {
  Composer composer = gaussian_in_code();
  composer.run().set("init", "model").set("init.uniform", 1.0);
  contains(failure_of([&] { composer.compose(composing::registry()); }), "run.init.uniform");
}

TEST_CASE("a component of the program is made, run and named as its library") {
  Registry registry = composing::registry();
  registry.add<toy::Flat>({.id = "own-flat", .summary = "of this program"});
  const Entry& entry = registry.find(Kind::model, "own-flat");
  CHECK(std::filesystem::path(entry.library) == std::filesystem::read_symlink("/proc/self/exe"));
  contains(failure_of([&] { registry.add<toy::Flat>({.id = "own-flat", .summary = "again"}); }),
           "model \"own-flat\" is already offered by " + entry.library);
  contains(failure_of([&] { registry.add<toy::Flat>({.id = "gaussian", .summary = "again"}); }),
           "model-gaussian.so");
}

TEST_CASE("a library that cannot be used is refused by name") {
  Registry registry;
  contains(failure_of([&] { registry.add_library("/nowhere/model-x.so"); }), "/nowhere/model-x.so");
  const TemporaryFolder folder;
  const std::string path = folder.file("text.so", "no library");
  contains(failure_of([&] { registry.add_library(path); }), path);
  CHECK(registry.entries().empty());
}

TEST_CASE("a library is added by its path, and twice is refused") {
  Registry registry;
  const std::string path = composing::registry().find(Kind::model, "banana").library;
  registry.add_library(path);
  CHECK(registry.has(Kind::model, "banana"));
  contains(failure_of([&] { registry.add_library(path); }), "already offered by");
}

TEST_CASE("a run of a composition in code can be watched, stopped and read back") {
  const TemporaryFolder folder;
  Composer composer = gaussian_in_code();
  composer.run().set("draws", 200000);
  composer.add(Kind::kernel, "hamiltonian", "k").set("target_acceptance", 0.8).set("steps", 5);
  StopRequest stop;
  std::int64_t told = 0;
  RunOptions options;
  options.folder = folder.path() + "/out";
  options.threads = 1;
  options.stop = &stop;
  options.progress = [&](const Progress& now) {
    ++told;
    if (now.phase == PhaseKind::sampling) stop.make();
  };
  const RunResult result = run(composer.compose(composing::registry()), options);
  CHECK(told > 0);
  CHECK(result.record.outcome == Outcome::interrupted);
  CHECK(result.record.ended_by == EndedBy::interrupt);
  CHECK(result.resumable);
  CHECK_FALSE(result.summary);
  const Summary summary = summarise(result.folder);
  REQUIRE(summary.variables.size() == 3);
  CHECK(summary.find("x[1]") != nullptr);
  CHECK(read_run(result.folder).draws_sha256 == DrawsFile(result.folder).sha256());
  CHECK(read_run(result.folder).draws == result.record.draws);
  const CertificateRecord certificate = read_certificate(result.folder);
  CHECK(certificate.now.certificate_class() == CertificateClass::exact);
  CHECK(certificate.now.assumes == result.certificate.now.assumes);
}
