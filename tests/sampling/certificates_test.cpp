// Every composition of examples/certificates against its certificate. An exact one stays at
// equilibrium on every target; a biased one is detected on one of them. A right case fails by
// chance with probability 1e-6.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using mixwell::contracts::check_invariance;
using mixwell::contracts::Findings;
using mixwell::contracts::InvarianceOptions;
using sampling::Target;

namespace {

const std::string model_table = "use = \"quartic\"\ndimension = 2\n";

struct Example {
  std::string name;
  std::string text;
  std::string wanted;  ///< what follows "-> " in its head
};

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Example example(const std::filesystem::path& path) {
  const std::string text = read(path);
  const auto from = text.find("-> ") + 3;
  return {path.stem(), text, text.substr(from, text.find('\n', from) - from)};
}

std::vector<Example> examples() {
  std::vector<Example> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(MIXWELL_SOURCE_DIR "/examples/certificates")) {
    if (entry.path().extension() == ".toml") all.push_back(example(entry.path()));
  }
  std::sort(all.begin(), all.end(),
            [](const Example& a, const Example& b) { return a.name < b.name; });
  return all;
}

/// The example with another model in its only table of that kind.
mixwell::Composition compose(const Example& example, const std::string& model) {
  std::string text = example.text;
  const std::string head = "[model.bowl]\n";
  const auto from = text.find(head) + head.size();
  text.replace(from, text.find("\n\n", from) + 1 - from, model);
  return mixwell::parse_manifest(text, example.name + ".toml", composing::registry());
}

std::string described(const mixwell::Certificate& certificate) {
  const mixwell::Verdict& now = certificate.now;
  std::string words = now.label();
  if (certificate.after_warmup) words += " after warm-up";
  if (now.order > 0) words += ", order " + std::to_string(now.order);
  return words;
}

/// Small steps suit all of them.
const std::vector<Target>& common_targets() {
  static const std::vector<Target> all = {
      {"geometric Gaussian",
       "use = \"gaussian\"\ndimension = 2\ncovariance = \"geometric\"\ncondition = 9.0\n", 0.0},
      {"quartic, d = 1", "use = \"quartic\"\ndimension = 1\n", 0.0},
      {"quartic, d = 2", model_table.c_str(), 0.0},
      {"double well", "use = \"double-well\"\ndimension = 2\n", 0.0},
      {"banana", "use = \"banana\"\n", 0.0},
  };
  return all;
}

/// No target here is a sum over cases.
bool wants_cases(const Example& example) {
  return example.text.find("use = \"minibatch\"") != std::string::npos ||
         example.text.find("use = \"strata\"") != std::string::npos;
}

/// Hot slots have no exact draws to start from. Unadjusted and learning chains are right only in
/// the limit.
bool has_equilibrium(const Example& example) {
  return example.name != "tempering" && example.wanted.find("asymptotic") == std::string::npos &&
         example.wanted != "adaptive" && !wants_cases(example);
}

/// Surrogates are scaled to the Hessian at the mode.
bool is_flat_at_mode(const Target& target) { return std::string(target.name).find("quartic") == 0; }

bool offers_metric(const Target& target) {
  return composing::compose("[model.m]\n" + std::string(target.model) +
                            "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                            "\"hamiltonian\"\nsteps = 10\n")
             .model()
             ->offers<mixwell::Metric>() != nullptr;
}

/// Two blocks need two coordinates.
bool suits(const Example& example, const Target& target) {
  return example.name.find("blocks") != 0 || std::string(target.name) != "quartic, d = 1";
}

bool is_caught(const Example& example, const InvarianceOptions& options) {
  return std::any_of(common_targets().begin(), common_targets().end(), [&](const Target& target) {
    return suits(example, target) &&
           !all_hold(check_invariance(compose(example, target.model), options));
  });
}

}  // namespace

TEST_CASE("examples have the certificates that they name") {
  const auto all = examples();
  CHECK(all.size() >= 29);
  for (const Example& example : all) {
    INFO(example.name);
    const mixwell::Composition as_it_is =
        mixwell::parse_manifest(example.text, example.name + ".toml", composing::registry());
    CHECK(described(mixwell::compose(*as_it_is.compositor).certificate) == example.wanted);
  }
}

TEST_CASE("examples with an exact certificate stay at equilibrium", "[nightly]") {
  for (const Example& example : examples()) {
    if (!has_equilibrium(example) || example.wanted.find("exact") == std::string::npos) continue;
    const bool learns = example.wanted != "exact";
    const InvarianceOptions options{
        .replicates = learns ? 1024 : 4096, .sweeps = 4, .warmup = learns ? 200 : 0};
    for (const Target& target : common_targets()) {
      INFO(example.name << " on " << target.name);
      if (!suits(example, target)) continue;
      if (example.name == "riemannian" && !offers_metric(target)) continue;
      if (example.name.find("surrogate") != std::string::npos && is_flat_at_mode(target)) continue;
      Findings findings = check_invariance(compose(example, target.model), options);
      // Frozen without limits it may be stuck, which its certificate does not deny.
      if (example.name == "qnhmc-frozen") {
        std::erase_if(findings, [](const auto& finding) { return finding.clause == "moves"; });
      }
      sampling::expect_right(findings);
    }
  }
}

TEST_CASE("examples with an approximate certificate keep the density that it names") {
  int seen = 0;
  for (const Example& example : examples()) {
    if (example.wanted != "approximate") continue;
    ++seen;
    for (const Target& target : common_targets()) {
      INFO(example.name << " on " << target.name);
      sampling::expect_right(
          check_invariance(compose(example, target.model), {.replicates = 4096, .sweeps = 4}));
    }
  }
  CHECK(seen > 0);
}

TEST_CASE("examples with a biased certificate are caught") {
  for (const Example& example : examples()) {
    if (example.wanted != "biased") continue;
    if (wants_cases(example)) continue;  // lagged_test.cpp, strata_test.cpp: on regressions
    INFO(example.name);
    CHECK((is_caught(example, {.replicates = 2048, .sweeps = 20}) ||
           is_caught(example, {.replicates = 16384, .sweeps = 40})));
  }
}

TEST_CASE("a kernel that declares nothing is not proved wrong, and may be right") {
  const Example outside = example(MIXWELL_SOURCE_DIR "/examples/undeclared/undeclared.toml");
  const auto composition = compose(outside, model_table);
  const auto certificate = mixwell::compose(*composition.compositor).certificate;
  CHECK(described(certificate) == outside.wanted);
  CHECK_FALSE(certificate.now.proved);
  for (const Target& target : common_targets()) {
    INFO(target.name);
    sampling::expect_right(
        check_invariance(compose(outside, target.model), {.replicates = 2048, .sweeps = 3}));
  }
}
