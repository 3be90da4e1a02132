// Long runs that start away from equilibrium, against published and exact moments.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "coordinates.hpp"
#include "data_files.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

using namespace mixwell;
using sampling::coordinates;
using sampling::z_of_mean;

namespace {

constexpr const char* run_table = "[run]\nseed = 3\nreplicates = 64\nwarmup = 200\ndraws = 3000\n";

}  // namespace

// |z| <= 5 for each of a few statistics: false alarm below 1e-5 for the file.
TEST_CASE("the quartic has its known second moment and vanishing odd ones") {
  const auto x = coordinates(composing::compose(
      std::string(run_table) +
      "[model.q]\nuse = \"quartic\"\ndimension = 2\n"
      "[estimator.identity]\nuse = \"identity\"\n[kernel.hmc]\nuse = \"hamiltonian\"\n"
      "target_acceptance = 0.8\nsteps_jitter = [2, 8]\n"));
  REQUIRE(x.size() == 2);
  // E theta^2 = 2 Gamma(3/4) / Gamma(1/4) = 0.675978
  const double truth = 2.0 * std::tgamma(0.75) / std::tgamma(0.25);
  CHECK(truth == Approx(0.675978).margin(1e-6));
  for (const auto& c : x) {
    CHECK(std::abs(z_of_mean(c.array().square(), truth)) <= 5.0);
    CHECK(std::abs(z_of_mean(c.array().pow(4), 1.0)) <= 5.0);  // E theta U' = 1
    CHECK(std::abs(z_of_mean(c, 0.0)) <= 5.0);
    CHECK(std::abs(z_of_mean(c.array().cube(), 0.0)) <= 5.0);
  }
  CHECK(std::abs(z_of_mean(x[0].array().square() * x[1].array().square(), truth * truth)) <= 5.0);
}

TEST_CASE("the double well has its known second moment") {
  const auto x = coordinates(composing::compose(
      std::string(run_table) +
      "[model.w]\nuse = \"double-well\"\ndimension = 1\n"
      "[estimator.identity]\nuse = \"identity\"\n[kernel.hmc]\nuse = \"hamiltonian\"\n"
      "step_size = 0.2\nsteps_jitter = [4, 12]\n"));
  // U = -2 theta^2 + theta^4; E theta U' = 1 gives 4 E theta^4 = 1 + 4 E theta^2.
  CHECK(std::abs(z_of_mean(x[0].array().square(), 0.83273)) <= 5.0);
  CHECK(std::abs(z_of_mean(4.0 * x[0].array().pow(4) - 4.0 * x[0].array().square(), 1.0)) <= 5.0);
  CHECK(std::abs(z_of_mean(x[0].array().cube(), 0.0)) <= 5.0);
}

TEST_CASE("Hamiltonian Monte Carlo without Metropolis has the energy error its step size gives") {
  // On N(0, 1) the leapfrog's stationary distribution has variance 1 / (1 - eps^2 / 4): 1.3333 at
  // eps = 1.
  const auto x =
      coordinates(composing::compose(std::string(run_table) +
                                     "[model.g]\nuse = \"gaussian\"\ndimension = 1\n"
                                     "[kernel.hmc]\nuse = \"hamiltonian\"\nmetropolis = false\n"
                                     "step_size = 1.0\nsteps_jitter = [1, 5]\n"));
  CHECK(std::abs(z_of_mean(x[0].array().square(), 4.0 / 3.0)) <= 5.0);
  CHECK(std::abs(z_of_mean(x[0].array().square(), 1.0)) >= 20.0);
}

namespace {

constexpr const char* hamiltonian =
    "use = \"hamiltonian\"\ntarget_acceptance = 0.8\nsteps_jitter = [5, 20]\n";

/// Reference means and standard deviations with their errors, from a long run of another program.
void compare_with_reference(const std::string& set, const std::string& model,
                            const std::string& kernel = hamiltonian, int draws = 4000) {
  data_files::found(set + "/" + set + ".csv");
  std::ifstream file(data_files::found("logistic.json"));
  const auto reference = nlohmann::json::parse(file).at("sets").at(set);
  const auto x = coordinates(composing::compose(
      "[run]\nseed = 11\nreplicates = 8\nwarmup = " + std::to_string(draws / 4) +
      "\ndraws = " + std::to_string(draws) + "\n[model.m]\nuse = \"logistic-regression\"\n" +
      model + "[kernel.k]\n" + kernel));
  REQUIRE(x.size() == reference.at("D").get<std::size_t>());
  for (std::size_t i = 0; i < x.size(); ++i) {
    INFO(set << " coefficient " << i);
    const double mean = reference.at("mean")[i];
    const double sd = reference.at("sd")[i];
    const double mcse = reference.at("mcse")[i];
    CHECK(diagnostics::rhat(x[i]) < 1.01);
    CHECK(std::abs(diagnostics::mean(x[i]) - mean) <=
          4.0 * std::hypot(diagnostics::mcse_mean(x[i]), mcse));
    const double sd_error = sd / std::sqrt(2.0 * (sd / mcse) * (sd / mcse));
    CHECK(std::abs(diagnostics::sd(x[i]) - sd) <=
          4.0 * std::hypot(diagnostics::mcse_sd(x[i]), sd_error));
  }
}

}  // namespace

TEST_CASE("the German credit posterior equals the reference", "[data]") {
  compare_with_reference("german",
                         "data = \"german/german.csv\"\nresponse = \"class\"\npositive = 2\n");
}

TEST_CASE("the Heart posterior equals the reference", "[data]") {
  compare_with_reference("heart",
                         "data = \"heart/heart.csv\"\nresponse = \"class\"\npositive = 2\n");
}

TEST_CASE("the Pima posterior equals the reference", "[data]") {
  compare_with_reference("pima", "data = \"pima/pima.csv\"\nresponse = \"type\"\npositive = 1\n");
}

TEST_CASE("with the expected information as its mass a sampler finds the Pima posterior too",
          "[data][nightly]") {
  compare_with_reference("pima", "data = \"pima/pima.csv\"\nresponse = \"type\"\npositive = 1\n",
                         "use = \"riemannian\"\ntarget_acceptance = 0.9\nsteps_jitter = [2, 6]\n",
                         2000);
}
