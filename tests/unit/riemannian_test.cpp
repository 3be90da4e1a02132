// The kernel `riemannian`: its order, its work, its failures and its errors.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/lab/sampler.hpp>

#include <map>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

constexpr const char* quartic = "use = \"quartic\"\ndimension = 2\n";

Composition composed(const std::string& model, const std::string& keys) {
  return parse_manifest("mixwell = 1\n[run]\nreplicates = 64\ninit = \"exact\"\n[model.target]\n" +
                            model + "[kernel.k]\nuse = \"riemannian\"\n" + keys,
                        "test.toml", support::registry());
}

/// Recorded statistics of some sweeps, one number for each sweep and replicate.
struct Run {
  std::map<std::string, Eigen::ArrayXd> statistics;
  double gradients = 0.0;
  std::int64_t divergences = 0;
  bool moved = false;

  double mean(const std::string& name) const { return statistics.at(name).mean(); }
};

Run run(const std::string& model, const std::string& keys, std::int64_t sweeps = 1) {
  const Composition composition = composed(model, keys);
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  const Eigen::MatrixXd before = sampler.variable("theta");
  const double started = sampler.gradients();
  DrawBuffers buffers;
  sampler.advance(PhaseKind::sampling, sweeps, &buffers);
  Run out;
  const auto& records = sampler.graph(PhaseKind::sampling).records();
  for (std::size_t r = 0; r < records.size(); ++r) {
    if (records[r].group != RecordGroup::sample_stats) continue;
    const auto& data = buffers.data[r];
    out.statistics[records[r].name] =
        Eigen::ArrayXd::Map(data.data(), static_cast<Index>(data.size()));
  }
  out.gradients = sampler.gradients() - started;
  out.divergences = sampler.divergence_count();
  out.moved = before != sampler.variable("theta");
  return out;
}

/// The message with which the composition is refused, or "accepted".
std::string refusal(const std::string& model, const std::string& keys) {
  try {
    const Composition composition = composed(model, keys);
    compose(*composition.compositor);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("the energy error of the generalised leapfrog is of order two") {
  for (const char* model : {quartic, "use = \"banana\"\n",
                            "use = \"funnel\"\ndimension = 3\n"
                            "scale = 1\n"}) {
    INFO(model);
    const auto error = [&](const char* keys) {
      return run(model, keys).statistics.at("energy_error").abs().mean();
    };
    const double coarse = error("step_size = 0.04\nsteps = 5\n");
    CHECK(coarse / error("step_size = 0.02\nsteps = 10\n") == Approx(4.0).epsilon(0.1));
    CHECK(coarse < 0.05);
  }
}

TEST_CASE("with a constant metric the generalised leapfrog is the leapfrog in other coordinates",
          "[slow]") {
  // With Sigma^-1 as the mass, every Gaussian becomes the standard normal, so the acceptance
  // probability has the same distribution for every Sigma. It is at most 1, so five standard errors
  // are below this bound.
  const std::string keys = "step_size = 1.2\nsteps = 3\n";
  const Run round = run("use = \"gaussian\"\ndimension = 3\n", keys, 2000);
  const Run narrow =
      run("use = \"gaussian\"\ndimension = 3\ncovariance = \"ones-plus\"\nc = 1e-4\n", keys, 2000);
  const double error = 5.0 / std::sqrt(static_cast<double>(round.statistics.at("lp").size()));
  CHECK(std::abs(round.mean("acceptance_rate") - narrow.mean("acceptance_rate")) < error);
  CHECK(round.mean("acceptance_rate") < 0.95);
  CHECK(round.divergences + narrow.divergences == 0);
}

TEST_CASE("gradients of a Riemannian transition are those of the way there and back") {
  const std::string gaussian = "use = \"gaussian\"\ndimension = 3\n";
  const std::string keys = "steps = 7\nstep_size = 0.5\n";
  const auto of_two_sweeps = [&](const std::string& more) {
    return run(gaussian, keys + more, 3).gradients - run(gaussian, keys + more, 1).gradients;
  };
  CHECK(of_two_sweeps("") == 2 * 64 * 2 * 7);
  CHECK(of_two_sweeps("check_reversibility = false\n") == 2 * 64 * 7);
}

TEST_CASE("implicit steps that are not solved are rejected and told") {
  const Run failed = run(quartic, "step_size = 50.0\n", 5);
  CHECK_FALSE(failed.moved);
  CHECK(failed.mean("fixed_point_failure") == 1.0);
  CHECK(failed.mean("reversibility_failure") == 0.0);
  CHECK(failed.mean("diverging") == 1.0);
  CHECK(failed.mean("acceptance_rate") == 0.0);
  CHECK(failed.divergences == 5 * 64);
}

TEST_CASE("trajectories that do not return are rejected and told") {
  const Run failed = run(quartic, "step_size = 0.1\nreversibility_tolerance = 1e-300\n", 5);
  CHECK(failed.mean("fixed_point_failure") == 0.0);
  CHECK(failed.mean("reversibility_failure") > 0.9);
  CHECK(failed.mean("acceptance_rate") < 0.1);
  const Run loose = run(quartic, "step_size = 0.1\n", 5);
  CHECK(loose.mean("reversibility_failure") == 0.0);
  CHECK(loose.mean("acceptance_rate") > 0.9);
}

TEST_CASE("a step so large that no implicit step has a solution is no end of the run") {
  const Run wild = run(quartic, "step_size = 50\n", 20);
  CHECK(wild.mean("acceptance_rate") < 0.05);
  CHECK(wild.statistics.at("energy").isFinite().all());
}

TEST_CASE("a Riemannian kernel on a model without a metric is refused") {
  CHECK_THAT(refusal("use = \"double-well\"\n", ""),
             Catch::Contains("kernel `k` needs a metric") &&
                 Catch::Contains("or use kernel `hamiltonian`"));
}

TEST_CASE("numbers of Riemannian steps that are not whole are refused") {
  CHECK_THAT(refusal(quartic, "steps_jitter = [1, 2.5]\n"),
             Catch::Contains("must be [low, high] with two whole numbers"));
}
