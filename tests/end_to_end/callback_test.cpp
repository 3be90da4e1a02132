// The example of a density in C, made and run as its manifest says.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <array>
#include <cmath>

using namespace end_to_end;
using Json = nlohmann::json;

namespace {

constexpr std::array y = {9.2, 11.1, 8.7, 10.4, 12.3, 9.9, 10.8, 9.5, 11.6, 10.1};

double log_density(double mu, double sigma) {
  double squares = 0;
  for (const double value : y) squares += (value - mu) * (value - mu) / (sigma * sigma);
  return -0.5 * squares - 10 * std::log(sigma) - 0.5 * mu * mu / 100 - sigma;
}

/// Posterior means of mu and sigma, by sums over a grid.
std::array<double, 2> means() {
  double weight = 0;
  std::array<double, 2> sums{};
  for (double mu = 6; mu < 14; mu += 0.02) {
    for (double sigma = 0.3; sigma < 6; sigma += 0.01) {
      const double w = std::exp(log_density(mu, sigma) + 15);
      weight += w;
      sums[0] += w * mu;
      sums[1] += w * sigma;
    }
  }
  return {sums[0] / weight, sums[1] / weight};
}

void check_means(const Json& summary) {
  CHECK(summary.at("variables").size() == 2);
  for (const auto& [name, row] : summary.at("variables").items()) {
    const double expected = means()[name == "mu" ? 0 : 1];
    INFO(row.dump());
    CHECK(std::abs(row.at("mean").get<double>() - expected) <
          5 * row.at("mcse_mean").get<double>());
  }
}

}  // namespace

TEST_CASE("The example of a density in C is made and run as its manifest says") {
  const Workplace place;
  std::filesystem::copy(MIXWELL_SOURCE_DIR "/examples/callback", place.path("my example"));
  const Outcome missing = place.mixwell("check \"my example/normal.toml\"");
  CHECK(missing.code == 2);
  contains(missing.err, "normal.so");
  const Outcome made =
      place.shell("cc -shared -fPIC -O2 -std=c99 -Wall -Wextra -Werror -I " MIXWELL_SOURCE_DIR
                  "/framework/include -o 'my example/normal.so' 'my example/normal.c' -lm");
  INFO(made.err);
  REQUIRE(made.code == 0);
  const Outcome checked = place.mixwell("check \"my example/normal.toml\" --gradient");
  CHECK(checked.code == 0);
  contains(checked.out, "deterministic");
  contains(checked.out,
           "constraint: sigma: lower = 0; 1 value from 1 coordinate; the model's U includes the "
           "Jacobian");
  const Outcome run = place.mixwell("run \"my example/normal.toml\" --quiet");
  CHECK(run.code == 0);
  contains(read(place.path("out/normal/certificate.json")), "\"evidence\": \"declared\"");
  contains(read(place.path("out/normal/run.json")), "normal.so");
  check_means(Json::parse(read(place.path("out/normal/summary.json"))));
}
