// The scheme with friction: its two notations, noise estimated from minibatches, and refusals.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "support.hpp"

#include <mixwell/lab/sampler.hpp>

#include <nlohmann/json.hpp>

#include <string>

using namespace mixwell;
using support::contains;

namespace {

const std::string model_table = "[model.m]\nuse = \"linear-gaussian\"\ncases = 40\ndimension = 3\n";
const std::string noisy_table = "[oracle.o]\nuse = \"noisy\"\nvariance = 4\n";
const std::string batch_table = "[oracle.o]\nuse = \"minibatch\"\nsize = 10\n";

std::string integrator(const std::string& lines) {
  return "[integrator.i]\nuse = \"euler-maruyama-friction\"\n" + lines;
}

std::string kernel(const std::string& lines) {
  return "[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = false\npersistence = 1\nsteps = 3\n" +
         lines;
}

/// Positions of 20 replicates after 50 sweeps.
Eigen::MatrixXd after_50(const std::string& body) {
  const Composition c = composing::compose("[run]\nreplicates = 20\ninit = \"exact\"\n" + body);
  Sampler sampler(c.compositor, c.run, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, 50);
  return sampler.variable(c.compositor->slots().front());
}

double distance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).norm() / b.norm();
}

std::string refusal(const std::string& body) {
  try {
    compose(*composing::compose(model_table + body).compositor);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("friction in either notation draws the same numbers") {
  const std::string law = model_table + batch_table;
  const auto C_and_B = after_50(law + integrator("friction = 2\nnoise_estimate = 0.5\n") +
                                kernel("step_size = 0.2\n"));
  const auto alpha_and_beta =
      after_50(law + integrator("alpha = 0.4\nbeta = 0.1\n") + kernel("learning_rate = 0.04\n"));
  CHECK(distance(alpha_and_beta, C_and_B) <= 1e-12);
  CHECK(distance(after_50(law + integrator("alpha = 0.4\nbeta = 0.2\n") +
                          kernel("learning_rate = 0.04\n")),
                 C_and_B) > 1e-3);
  const std::string full = "noise_from = \"empirical-full\"\n";
  CHECK(distance(
            after_50(law + integrator("alpha = 1.2\n" + full) + kernel("learning_rate = 0.01\n")),
            after_50(law + integrator("friction = 12\n" + full) + kernel("step_size = 0.1\n"))) <=
        1e-12);
}

TEST_CASE("alpha and beta follow a step size that is jittered") {
  const std::string jitter = "step_size = 0.2\nstep_size_jitter = [0.5, 1.5]\n";
  const auto by_share =
      after_50(model_table + batch_table + integrator("alpha = 0.4\n") + kernel(jitter));
  const auto by_rate =
      after_50(model_table + batch_table + integrator("friction = 2\n") + kernel(jitter));
  CHECK(distance(by_share, by_rate) > 1e-3);
}

TEST_CASE("noise that is known is estimated to be what it is") {
  // D = eps V / 2 = 0.2 for A = I; with A = H = 1.5 I it is 0.45.
  const auto drawn = [&](const std::string& lines, const std::string& preconditioner) {
    return after_50(
        model_table + noisy_table + preconditioner + integrator("friction = 2\n" + lines) +
        kernel("step_size = 0.1\n" +
               std::string(preconditioner.empty() ? "" : "coupling = \"symmetric\"\n")));
  };
  const support::TemporaryFolder folder;
  const std::string H = "[estimator.e]\nuse = \"curvature-file\"\nfile = \"" +
                        folder.file("H.csv", "1.5,1.5,1.5\n") + "\"\n";
  for (const std::string from : {"empirical-diagonal", "empirical-full"}) {
    const std::string lines = "noise_from = \"" + from + "\"\n";
    CHECK(distance(drawn(lines, ""), drawn("noise_estimate = 0.2\n", "")) <= 1e-12);
    CHECK(distance(drawn(lines, H), drawn("noise_estimate = 0.45\n", H)) <= 1e-12);
    CHECK(distance(drawn(lines, H), drawn("noise_estimate = 0.2\n", H)) > 1e-3);
  }
}

TEST_CASE("an estimate of the noise counts as one more gradient") {
  const auto gradients = [&](const std::string& lines) {
    const Composition c =
        composing::compose("[run]\nreplicates = 20\n" + model_table + batch_table +
                           integrator("friction = 12\n" + lines) + kernel("step_size = 0.05\n"));
    Sampler sampler(c.compositor, c.run, compose(*c.compositor));
    sampler.initialise();
    const double before = sampler.gradients();
    sampler.advance(PhaseKind::sampling, 1);
    return sampler.gradients() - before;
  };
  // Three steps with batches of a quarter of the cases, 20 columns.
  const double difference = gradients("noise_from = \"empirical-full\"\n") - gradients("");
  CHECK(difference == Approx(3 * 0.25 * 20));
}

TEST_CASE("one quantity in two notations is refused") {
  const std::string k = kernel("");
  CHECK(contains(refusal(batch_table + integrator("friction = 1\nalpha = 0.1\n") + k),
                 "integrator.i.alpha = 0.1: `friction` sets the same thing. Remove one"));
  CHECK(contains(refusal(batch_table + integrator("noise_estimate = 1\nbeta = 0.1\n") + k),
                 "integrator.i.beta = 0.1: `noise_estimate` sets the same thing"));
  CHECK(contains(refusal(batch_table + integrator("beta = 0.1\n") + k), "It needs alpha"));
  CHECK(contains(refusal(batch_table + integrator("alpha = 0.1\nnoise_estimate = 0.05\n") + k),
                 "must not be given with `alpha`. Use `beta` with `alpha`"));
  CHECK(contains(refusal(batch_table + integrator("alpha = 0.1\nbeta = 0.2\n") + k),
                 "must be at most `alpha`"));
  CHECK(contains(refusal(batch_table + integrator("friction = 0.1\nnoise_estimate = 0.2\n") + k),
                 "must be at most `friction`"));
  CHECK(contains(refusal(batch_table +
                         integrator("noise_estimate = 0.2\nnoise_from = \"empirical-full\"\n") + k),
                 "estimates the gradient noise D from each minibatch"));
  CHECK(contains(refusal(batch_table + kernel("step_size = 0.1\nlearning_rate = 0.01\n")),
                 "kernel.k.learning_rate = 0.01: `step_size` sets the same thing"));
}

TEST_CASE("friction that is a matrix draws what the number draws where it is a multiple of I") {
  const std::string law = model_table + noisy_table;
  const std::string k = kernel("step_size = 0.1\n");
  for (const std::string more :
       {"", "noise_estimate = 0.2\n", "noise_from = \"empirical-diagonal\"\n",
        "noise_from = \"empirical-full\"\n"}) {
    const auto number = after_50(law + integrator("friction = 2\n" + more) + k);
    const auto diagonal = after_50(law + integrator("friction_matrix = [2, 2, 2]\n" + more) + k);
    CHECK(distance(diagonal, number) <= 1e-12);
    const auto matrix =
        after_50(law + integrator("friction_matrix = [2, 0, 0, 0, 2, 0, 0, 0, 2]\n" + more) + k);
    CHECK(distance(matrix, number) <= 1e-12);
    const auto other =
        after_50(law + integrator("friction_matrix = [2, 1, 0, 1, 2, 0, 0, 0, 2]\n" + more) + k);
    CHECK(distance(other, number) > 1e-3);
  }
}

TEST_CASE("entries that are no friction are refused") {
  const auto why = [](const std::string& lines) {
    return refusal(noisy_table + integrator(lines) + kernel("step_size = 0.1\n"));
  };
  CHECK(contains(why("friction_matrix = [1, 2]\n"),
                 "integrator `i`: `friction_matrix` has 2 entries, but the dimension is 3. Give 3 "
                 "entries for a diagonal, or 9 for a matrix, row by row."));
  CHECK(contains(why("friction_matrix = [1, 0, 2]\n"), "must contain only positive entries"));
  CHECK(contains(why("friction_matrix = [1, 2, 0, 2, 1, 0, 0, 0, 1]\n"),
                 "must be symmetric, and all its eigenvalues must be above 0"));
  CHECK(contains(why("friction_matrix = [2, 1, 0, 0, 2, 0, 0, 0, 2]\n"), "must be symmetric"));
  CHECK(contains(why("friction_matrix = [1, 2, 3]\nnoise_estimate = 1.5\n"),
                 "`noise_estimate` must be at most the least eigenvalue 1.0"));
  CHECK(contains(why("friction_matrix = [1, 2, 3]\nalpha = 0.1\n"),
                 "gives the friction as a number"));
  CHECK(contains(why("friction_matrix = [1, 2, 3]\nfriction = 1\n"),
                 "`friction` sets the same thing"));
}

TEST_CASE("what the other notation says is left out of the effective manifest and of the schema") {
  const Composition c = composing::compose(model_table + batch_table + integrator("alpha = 0.1\n") +
                                           kernel("learning_rate = 0.01\n"));
  CHECK(contains(c.effective_manifest, "# friction is not set"));
  CHECK(contains(c.effective_manifest, "# step_size is not set"));
  CHECK(contains(c.effective_manifest, "alpha = 0.1"));
  const Composition again =
      parse_manifest(c.effective_manifest, "test.toml", composing::registry());
  CHECK(again.effective_manifest == c.effective_manifest);
  const Composition plain =
      composing::compose(model_table + batch_table + integrator("") + kernel("step_size = 0.1\n"));
  CHECK(contains(plain.effective_manifest, "friction = 1.0"));
  CHECK(contains(plain.effective_manifest, "# alpha is not set"));
  const auto schema = nlohmann::json::parse(manifest_schema(composing::registry()));
  CHECK(contains(schema["properties"]["integrator"].dump(),
                 R"({"not":{"required":["friction","alpha"]}})"));
}

TEST_CASE("noise is estimated only where the oracle tells it") {
  const std::string rest =
      integrator("noise_from = \"empirical-diagonal\"\n") + kernel("step_size = 0.01\n");
  CHECK(contains(refusal("[oracle.o]\nuse = \"exact\"\n" + rest),
                 "kernel `k`: integrator `i` needs an estimate of the gradient noise, but oracle "
                 "`o` offers none. Use an oracle with minibatches of at least 2 cases"));
  CHECK(contains(refusal("[oracle.o]\nuse = \"minibatch\"\nsize = 1\n" + rest),
                 "oracle `o` offers none. Use an oracle with minibatches of at least 2 cases"));
  CHECK(refusal(batch_table + rest) == "accepted");
  CHECK(refusal(noisy_table + rest) == "accepted");
}

TEST_CASE("friction below the noise that was estimated ends the run with its cure") {
  const auto failure = [&](const std::string& lines, const std::string& step) {
    try {
      after_50(model_table + noisy_table + integrator(lines) + kernel(step));
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  for (const std::string from : {"empirical-diagonal", "empirical-full"}) {
    const std::string lines = "noise_from = \"" + from + "\"\n";
    const std::string rates = failure(lines + "friction = 0.1\n", "step_size = 0.1\n");
    CHECK(contains(rates, "integrator `i`: friction = 0.1 is too small for the estimated noise"));
    CHECK(
        contains(rates, "D = eps V / 2 = 0.2 in the direction of the largest noise, at eps = 0.1"));
    CHECK(contains(rates, "Raise friction, use larger minibatches, or use a smaller step size"));
    const std::string shares = failure(lines + "alpha = 0.01\n", "learning_rate = 0.01\n");
    CHECK(contains(shares, "alpha = 0.01 is too small for the estimated noise"));
    CHECK(contains(shares, "beta = eps^2 V / 2 = 0.02"));
    CHECK(failure(lines + "friction = 0.21\n", "step_size = 0.1\n") == "accepted");
  }
}
