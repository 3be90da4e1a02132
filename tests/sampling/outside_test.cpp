// The plugins of examples/outside, written from docs/kernels.md alone.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <mixwell/lab/certificate.hpp>
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

/// T in the register that rule chees has at the end of warm-up.
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

}  // namespace

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
