// The model `callback`: right C functions, from a library or offered, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/callback.h>
#include <mixwell/contracts/model.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/sampler.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using Eigen::MatrixXd;
using mixwell::Constraint;
using mixwell::Index;
using support::contains;
using support::evaluate;

const std::string functions = MIXWELL_BUILD_DIR "/tests/callback/functions.so";

std::string keys_in(const std::string& library, const std::string& symbol,
                    const std::string& more = "parameters = [\"x[3]\"]\n") {
  return "use = \"callback\"\nlibrary = \"" + library + "\"\nsymbol = \"" + symbol + "\"\n" + more;
}

std::string keys(const std::string& symbol, const std::string& more = "parameters = [\"x[3]\"]\n") {
  return keys_in(functions, symbol, more);
}

void* symbol_at(const char* name) {
  void* const handle = ::dlopen(functions.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  return ::dlsym(handle, name);
}

mixwell::Composition composed(const std::string& model, const std::string& kernel) {
  return mixwell::parse_manifest(
      "mixwell = 1\n[run]\nreplicates = 16\nwarmup = 50\ndraws = 300\nblock_width = 8\n"
      "[model.target]\n" +
          model + "[kernel.k]\n" + kernel,
      "test.toml", support::registry());
}

const std::string nuts = "use = \"nuts\"\n";

mixwell::RunResult run(const mixwell::Composition& composition, int threads = 1) {
  const support::TemporaryFolder folder;
  mixwell::RunOptions options;
  options.folder = folder.path() + "/out";
  options.threads = threads;
  return mixwell::run(composition, options);
}

int most_at_once(bool threads) {
  const auto count = reinterpret_cast<int (*)()>(symbol_at("most_at_once"));
  count();
  run(composed(keys("slow_normal", "parameters = [\"x\"]\nthreads = " +
                                       std::string(threads ? "true" : "false") + "\n"),
               nuts),
      4);
  return count();
}

mixwell::Verdict verdict_of(const std::string& model, const std::string& kernel) {
  return compose(*composed(model, kernel).compositor).certificate.now;
}

bool is_declared(const mixwell::Verdict& v, const std::string& what) {
  return std::any_of(v.declared.begin(), v.declared.end(),
                     [&](const mixwell::Assumption& one) { return one.trait == what; });
}

}  // namespace

TEST_CASE("a C function satisfies the contract of a model", "[callback][slow]") {
  const auto findings = mixwell::contracts::check_model(*support::make_model(keys("normal")));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("a C function that computes what a built-in model does has its draws", "[callback]") {
  const auto own = run(composed("use = \"gaussian\"\ndimension = 1\n", nuts)).record.draws_sha256;
  const std::string more = "parameters = [\"x[1]\"]\nthreads = true\n";
  CHECK(run(composed(keys("normal", more), nuts)).record.draws_sha256 == own);
  CHECK(run(composed(keys("normal", more), nuts), 2).record.draws_sha256 == own);
}

TEST_CASE("one thread at a time calls a C function unless the manifest says more", "[callback]") {
  CHECK(most_at_once(false) == 1);
  CHECK(most_at_once(true) > 1);
}

TEST_CASE("parameters have the names, shapes and constraints of the manifest", "[callback]") {
  const auto model = support::make_model(
      keys("normal",
           "parameters = [\"mu\", \" L [2, 3]\", \"p[1]\", \"s\"]\nexponential = "
           "[\"s\"]\nlogistic = [\"p\"]\nabsolute = [\"mu\"]\n"));
  const auto all = model->parameters();
  CHECK(mixwell::coordinate_names(all) == std::vector<std::string>{"mu", "L[0, 0]", "L[0, 1]",
                                                                   "L[0, 2]", "L[1, 0]", "L[1, 1]",
                                                                   "L[1, 2]", "p[0]", "s"});
  CHECK(all[0].constraint == Constraint::absolute());
  CHECK(all[1].constraint == Constraint());
  CHECK(all[2].constraint == Constraint::interval(0, 1));
  CHECK(all[3].constraint == Constraint::positive());
  const auto said = [](const std::string& more) { return support::refusal(keys("normal", more)); };
  CHECK(contains(said("parameters = [\"x[0]\"]\n"),
                 "has a length that is not a whole number from 1 to 2^32"));
  CHECK(contains(said("parameters = [\"x[2,]\"]\n"), "has a length that is not a whole number"));
  CHECK(contains(said("parameters = [\"x[2\"]\n"), "must end with ]"));
  CHECK(contains(said("parameters = [\"x\", \"x[2]\"]\n"), "\"x\" appears twice"));
  CHECK(contains(said("parameters = [\"draw\"]\n"), "has a name that is reserved for draws.nc"));
  CHECK(contains(said("parameters = [\"x\"]\nlogistic = [\"y\"]\n"), "\"y\" is not one of"));
  CHECK(contains(
      said("parameters = [\"x\"]\nlogistic = [\"x\"]\nabsolute = [\"x\"]\n"),
      "already has a constraint (lower = 0, upper = 1). Give each parameter only one constraint."));
  CHECK(
      contains(said("parameters = [\"x[99999, 99999]\"]\n"), "must have at most 2^32 coordinates"));
  CHECK(contains(said(""), "parameters"));
}

TEST_CASE("a C function that breaks its rules is refused before a run", "[callback]") {
  const auto said = [](const std::string& symbol, const std::string& part) {
    const std::string words = support::refusal(keys(symbol));
    INFO(words);
    return contains(words, part) && contains(words, "test.toml:4:11: model.target.library") &&
           contains(words, "`" + symbol + "` of ");
  };
  CHECK(said("failing", "returned 3 at points with coordinates in (-2, 2), but it must return 0"));
  CHECK(said("wandering", "returns a different U when it is called again at the same points"));
  CHECK(
      said("wavering", "returns a different gradient when it is called again at the same points"));
  CHECK(said("single", "does not write U for point 1 of 3"));
  CHECK(said("short_of_one", "does not write derivative 2 of 3 for point 0"));
  CHECK(said("halving", "returns a different U when it is called without a gradient"));
}

TEST_CASE("a C function that is not there is refused with the cure", "[callback]") {
  CHECK(contains(support::refusal(keys("absent")), "`nm -D` lists the functions of a library"));
  CHECK(contains(support::refusal(keys_in(functions + "x", "normal")), "no such file"));
  const support::TemporaryFolder folder;
  const std::string file = folder.path() + "/text.so";
  std::ofstream(file) << "no library";
  CHECK(contains(support::refusal(keys_in(file, "normal")), "cannot be loaded: " + file));
  const auto said = [](const std::string& more) {
    return support::refusal("use = \"callback\"\nparameters = [\"x\"]\n" + more);
  };
  CHECK(contains(said(""), "Give a library, or give `function` instead."));
  CHECK(contains(said("library = \"" + functions + "\"\n"), "Give the name of the function"));
  CHECK(contains(said("function = \"f\"\nlibrary = \"" + functions + "\"\n"), "function"));
  CHECK(contains(said("function = \"f\"\nsymbol = \"f\"\n"), "It needs library"));
}

extern "C" int offered_bowl(size_t dimension, size_t columns, const double* theta, double* u,
                            double* gradient, void* calls) {
  ++*static_cast<int*>(calls);
  for (size_t j = 0; j < columns; ++j) {
    u[j] = 0.0;
    for (size_t i = 0; i < dimension; ++i) {
      const double x = theta[j * dimension + i];
      u[j] += 0.5 * x * x;
      if (gradient != nullptr) gradient[j * dimension + i] = x;
    }
  }
  return 0;
}

TEST_CASE("a function that the program offers is found by name and version alone", "[callback]") {
  int calls = 0;
  const auto said = [](const std::string& more) {
    return support::refusal("use = \"callback\"\nparameters = [\"x[3]\"]\nfunction = \"bowl\"\n" +
                            more);
  };
  CHECK(contains(said("version = \"1\"\n"), "this process offers no function with this name"));
  REQUIRE(mixwell_offer_function("bowl", "1", offered_bowl, &calls) == 0);
  CHECK(said("version = \"1\"\n") == "accepted");
  CHECK(calls > 0);
  CHECK(contains(said("version = \"2\"\n"), "is offered with version \"1\""));
  CHECK(contains(said(""), "the manifest has no version"));
  REQUIRE(mixwell_offer_function("bowl", nullptr, offered_bowl, &calls) == 0);
  CHECK(said("") == "accepted");
  REQUIRE(mixwell_offer_function("bowl", nullptr, nullptr, nullptr) == 0);
  CHECK(contains(said(""), "this process offers no function with this name"));
  CHECK(mixwell_offer_function("", nullptr, offered_bowl, nullptr) == 1);
}

TEST_CASE("what an offered function was is on record where it has a version", "[callback]") {
  int calls = 0;
  mixwell_offer_function("bowl", "7", offered_bowl, &calls);
  const std::string keys = "use = \"callback\"\nparameters = [\"x[3]\"]\nfunction = \"bowl\"\n";
  const auto known = run(composed(keys + "version = \"7\"\n", nuts)).record.remarks;
  mixwell_offer_function("bowl", nullptr, offered_bowl, &calls);
  const auto unknown = run(composed(keys, nuts)).record.remarks;
  mixwell_offer_function("bowl", nullptr, nullptr, nullptr);
  const auto tells = [](const std::vector<std::string>& remarks) {
    return std::any_of(remarks.begin(), remarks.end(), [](const std::string& remark) {
      return contains(remark, "results do not record which version ran");
    });
  };
  CHECK_FALSE(tells(known));
  CHECK(tells(unknown));
}

TEST_CASE("a library of functions in a folder with a blank in its name is loaded", "[callback]") {
  const support::TemporaryFolder folder;
  const std::string copy = folder.path() + "/with a blank";
  std::filesystem::create_directory(copy);
  std::filesystem::copy(functions, copy + "/x y.so");
  CHECK(support::refusal(keys_in(copy + "/x y.so", "normal")) == "accepted");
}

TEST_CASE("a C function that fails later ends the run in its words", "[callback]") {
  CHECK_THROWS_WITH(run(composed(keys("failing_later"), nuts)),
                    Catch::Contains("in [model.target]") &&
                        Catch::Contains("`failing_later` of " + functions + " returned 7 for"));
}

TEST_CASE("what a C function is said to be is its author's word", "[callback]") {
  const std::string langevin = "use = \"langevin\"\nstep_size = 0.1\n";
  const auto exact = verdict_of(keys("normal"), nuts);
  CHECK(exact.label() == "exact");
  CHECK(exact.evidence() == mixwell::Evidence::declared);
  CHECK(is_declared(exact, "deterministic"));
  const auto metropolis = verdict_of(keys("normal"), "use = \"random-walk-metropolis\"\n");
  CHECK(metropolis.evidence() == mixwell::Evidence::declared);
  CHECK(is_declared(metropolis, "deterministic"));
  CHECK(verdict_of("use = \"gaussian\"\ndimension = 3\n", "use = \"random-walk-metropolis\"\n")
            .evidence() == mixwell::Evidence::proved);
  CHECK(verdict_of(keys("normal"), langevin).evidence() == mixwell::Evidence::unproven);
  const auto limit = verdict_of(
      keys("normal", "parameters = [\"x[3]\"]\ngradient_growth = \"lipschitz\"\n"), langevin);
  CHECK(limit.label() == "asymptotic");
  CHECK(limit.evidence() == mixwell::Evidence::declared);
  CHECK(is_declared(limit, "gradient_growth"));
  const auto folded =
      verdict_of("use = \"mirrored\"\nof = \"base\"\n[model.base]\n" + keys("normal") +
                     "[compositor.c]\nuse = \"chain\"\nmodel = \"target\"\n",
                 "use = \"random-walk-metropolis\"\n");
  CHECK(is_declared(folded, "deterministic"));
}
