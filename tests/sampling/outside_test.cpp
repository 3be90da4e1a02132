// The plugins of examples/outside, written only from docs/kernels.md and docs/first-model.md.
// SPDX-License-Identifier: Apache-2.0
#include "temporary_folder.hpp"
#include "testing.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/sampler.hpp>

#include <cmath>
#include <string>

using namespace mixwell;
using sampling::expect_right;
using sampling::few_targets;
using sampling::on;

namespace {

constexpr contracts::InvarianceOptions short_test{.replicates = 8192, .sweeps = 4};

const std::string several = "[kernel.k]\nuse = \"multiple-try\"\nscale = 1.5\n";
const std::string slice = "[kernel.k]\nuse = \"direction-slice\"\nwidth = 2\n";

/// The value of T in the history of the rule chees at the end of warmup.
double learnt_time(const std::string& manifest, std::int64_t sweeps) {
  const Composition composition = composing::compose(manifest);
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::warmup, sweeps);
  for (const VariableInfo& v : sampler.graph(PhaseKind::warmup).variables()) {
    if (v.learns == "number of steps") return std::exp(sampler.variable(v.name)(0, 0));
  }
  return 0.0;
}

/// Means and their errors of alpha, beta and tau.
std::vector<SummaryRow> hierarchy_rows(const std::string& key) {
  const mixwell::testing::TemporaryFolder folder;
  const Composition composition = composing::compose(
      "[run]\nseed = 3\n[model.counts]\nuse = \"poisson-hierarchy\"\ndata = \"" MIXWELL_SOURCE_DIR
      "/examples/outside/poisson-hierarchy.csv\"\n" +
      key);
  std::vector<SummaryRow> rows =
      run(composition, {.folder = folder.path() + "/run", .force = true}).summary.value().variables;
  rows.resize(3);
  return rows;
}

}  // namespace

// Both are the same posterior. Each comparison fails by chance with probability 6e-5.
TEST_CASE("a hierarchy has one posterior, with its effects centred or not") {
  const auto apart = hierarchy_rows("");
  const auto centred = hierarchy_rows("centred = true\n");
  for (std::size_t k = 0; k < 3; ++k) {
    CAPTURE(apart[k].name);
    const auto& a = apart[k].standard;
    const auto& b = centred[k].standard;
    CHECK(std::abs(a.mean - b.mean) < 4 * std::hypot(a.mcse_mean, b.mcse_mean));
    CHECK(std::abs(a.sd - b.sd) < 4 * std::hypot(a.mcse_sd, b.mcse_sd));
  }
}

TEST_CASE("the model of the tutorial keeps the contract of a model, with named dims") {
  const Composition composition =
      composing::compose("[model.counts]\nuse = \"poisson-hierarchy\"\ndata = \"" MIXWELL_SOURCE_DIR
                         "/examples/outside/poisson-hierarchy.csv\"\n");
  const Model& model = *composition.model();
  const auto findings = contracts::check_model(model);
  INFO(contracts::report(findings));
  CHECK(contracts::all_hold(findings));
  CHECK(model.parameters().back().dims == std::vector<std::string>{"group"});
  CHECK(model.labels().front().labels.front() == "Aster");
}

// Each fails by chance with probability 1e-6.
TEST_CASE("multiple-try Metropolis and slices along directions leave three shapes invariant") {
  for (const std::string& kernel : {several, slice}) {
    for (const auto& t : few_targets()) {
      INFO(t.name << ", " << kernel);
      expect_right(contracts::check_invariance(on(t, kernel), short_test));
    }
  }
}

TEST_CASE("kernels from outside are exact by their author's word") {
  for (const std::string& kernel : {several, slice}) {
    const Composition composition = on(few_targets()[0], kernel);
    const Verdict verdict = compose(*composition.compositor).certificate.now;
    CHECK(verdict.label() == "exact");
    CHECK(verdict.evidence() == Evidence::declared);
  }
}

// On N(0, I) with exact flow E (|theta*|^2 - |theta|^2)^2 is proportional to sin^2 t at time t;
// with t uniform on (0, T) its gradient in log T is 0 where 2 T = tan 2 T: T = 2.2467. L is rounded
// up, which adds half an eps to t.
TEST_CASE("ChEES finds the time of a standard normal, by any start") {
  const std::string manifest =
      "[run]\nreplicates = 256\ninit = \"exact\"\nwarmup = 800\n"
      "[model.m]\nuse = \"gaussian\"\ndimension = 20\n[steps.s]\nuse = \"chees\"\n";
  const std::string kernel =
      "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
      "\"hamiltonian\"\nstep_size = 0.05\n";
  for (const char* time : {"time = 1.0\n", "time = 2.8\n"}) {
    const double T = learnt_time(manifest + time + kernel, 800);
    INFO(time);
    CHECK(std::abs(T + 0.025 - 2.2467) < 0.2);
  }
}

TEST_CASE("what ChEES has learnt in warm-up is frozen, and leaves targets invariant") {
  const std::string rest =
      "[steps.s]\nuse = \"chees\"\n[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
      "\"hamiltonian\"\ntarget_acceptance = 0.7\n"
      "pool = true\n";
  contracts::InvarianceOptions options = short_test;
  options.warmup = 100;
  for (const auto& t : few_targets()) {
    const Composition composition = on(t, rest);
    const Certificate certificate = compose(*composition.compositor).certificate;
    CHECK(certificate.now.label() == "exact");
    CHECK(certificate.learnt == std::vector<std::string>{"step size", "number of steps"});
    expect_right(contracts::check_invariance(composition, options));
  }
}
