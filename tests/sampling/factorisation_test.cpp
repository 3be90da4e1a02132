// Matrix factorisation by exact draws and by trajectories, against quadrature.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "coordinates.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace mixwell;
using sampling::coordinates;
using sampling::z_of_mean;

namespace {

constexpr double shape = 5.0;
constexpr double rate = 4.0;
constexpr double tau = 3.0;
constexpr double y = 1.2;

/// One user, one item, one factor, no biases: with their precisions integrated out, u and v have
///   exp(-tau (y - u v)^2 / 2) (rate + u^2 / 2)^-(shape + 1/2) (rate + v^2 / 2)^-(shape + 1/2),
/// and E log l given u is psi(shape + 1/2) - log(rate + u^2 / 2).
struct Answers {
  double product = 0.0, product_squared = 0.0, product_cubed = 0.0;  ///< of u v
  double square = 0.0;                                               ///< of u
  double log_precision = 0.0;                                        ///< of u

  Answers() {
    constexpr double psi = 1.6110931485817511;  // of shape + 1/2
    double total = 0.0;
    for (int i = -1200; i <= 1200; ++i) {
      for (int j = -1200; j <= 1200; ++j) {
        const double u = 0.01 * i;
        const double v = 0.01 * j;
        const double w = std::exp(-0.5 * tau * (y - u * v) * (y - u * v)) * prior(u) * prior(v);
        total += w;
        product += w * u * v;
        product_squared += w * u * v * u * v;
        product_cubed += w * std::pow(u * v, 3);
        square += w * u * u;
        log_precision += w * (psi - std::log(rate + 0.5 * u * u));
      }
    }
    for (double* one : {&product, &product_squared, &product_cubed, &square, &log_precision})
      *one /= total;
  }

 private:
  static double prior(double x) { return std::pow(rate + 0.5 * x * x, -shape - 0.5); }
};

std::string update(const std::string& parameters, const std::string& kernel) {
  return "[[compositor.c.update]]\nparameters = " + parameters + "\nkernel = \"" + kernel + "\"\n";
}

/// One rating, under the run and the kernels that are given.
std::string one_rating(const std::string& data, double noise_precision) {
  return "[run]\nseed = 3\nreplicates = 32\nwarmup = 300\ndraws = 3000\n[model.m]\nuse = "
         "\"matrix-factorisation\"\ndata = \"" +
         data + "\"\nrank = 1\nbiases = false\noffset = 0\nshape = 5\nrate = 4\n" +
         "noise_precision = " + std::to_string(noise_precision) +
         "\n[kernel.draw]\nuse = \"conditional\"\n[kernel.trees]\nuse = \"nuts\"\n"
         "[compositor.c]\nuse = \"blocks\"\n";
}

/// z-scores of five statistics.
std::array<double, 5> z_scores(const std::string& manifest) {
  static const Answers wanted;
  const auto x = coordinates(composing::compose(manifest));
  REQUIRE(x.size() == 4);  // u, v, and their precisions
  const Eigen::MatrixXd product = x[0].cwiseProduct(x[1]);
  return {z_of_mean(product, wanted.product),
          z_of_mean(product.array().square(), wanted.product_squared),
          z_of_mean(product.array().cube(), wanted.product_cubed),
          z_of_mean(x[0].array().square(), wanted.square),
          z_of_mean(x[2].array().log(), wanted.log_precision)};
}

double largest(const std::array<double, 5>& z) {
  double most = 0.0;
  for (const double one : z) most = std::max(most, std::abs(one));
  return most;
}

const std::string precisions = update("[\"user_precision\", \"item_precision\"]", "draw");
const std::string by_draws =
    precisions + update("[\"user_factors\"]", "draw") + update("[\"item_factors\"]", "draw");

/// z-score of the difference of two means, each with the error of dependent draws.
double z_of_difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (diagnostics::mean(a) - diagnostics::mean(b)) /
         std::hypot(diagnostics::mcse_mean(a), diagnostics::mcse_mean(b));
}

}  // namespace

// |z| <= 5 for 5 statistics of each: false alarm below 1e-5 for the case.
TEST_CASE("factors have their posterior by draws of each side, and by trajectories on both") {
  const mixwell::testing::TemporaryFolder folder;
  const std::string data = folder.file("one.dat", "1::1::" + std::to_string(y) + "\n");
  CHECK(largest(z_scores(one_rating(data, tau) + by_draws)) <= 5.0);
  CHECK(largest(z_scores(one_rating(data, tau) + precisions +
                         update("[\"user_factors\", \"item_factors\"]", "trees"))) <= 5.0);
  CHECK(largest(z_scores(one_rating(data, 1.1 * tau) + by_draws)) > 5.0);  // another posterior
}

// |z| <= 5 for 6 statistics: false alarm below 1e-5. By quadrature, as above.
TEST_CASE("factors of a given precision have their posterior by draws, and by trajectories") {
  constexpr double precision = 1.5;
  double total = 0.0;
  double product = 0.0;
  double square = 0.0;
  for (int i = -600; i <= 600; ++i) {
    for (int j = -600; j <= 600; ++j) {
      const double u = 0.01 * i;
      const double v = 0.01 * j;
      const double w =
          std::exp(-0.5 * tau * (y - u * v) * (y - u * v) - 0.5 * precision * (u * u + v * v));
      total += w;
      product += w * u * v;
      square += w * u * u;
    }
  }
  const mixwell::testing::TemporaryFolder folder;
  const std::string data = folder.file("one.dat", "1::1::" + std::to_string(y) + "\n");
  const auto model = [&](double given) {
    return "[run]\nseed = 3\nreplicates = 32\nwarmup = 300\ndraws = 3000\n[model.m]\nuse = "
           "\"matrix-factorisation\"\ndata = \"" +
           data + "\"\nrank = 1\nbiases = false\noffset = 0\nprior = \"fixed\"\nprecision = " +
           std::to_string(given) + "\nnoise_precision = " + std::to_string(tau) + "\n";
  };
  const auto largest_of = [&](const std::string& manifest) {
    const auto x = coordinates(composing::compose(manifest));
    REQUIRE(x.size() == 2);
    return std::max({std::abs(z_of_mean(x[0].cwiseProduct(x[1]), product / total)),
                     std::abs(z_of_mean(x[0].array().square(), square / total)),
                     std::abs(z_of_mean(x[1].array().square(), square / total))});
  };
  const std::string draws =
      "[kernel.draw]\nuse = \"conditional\"\n[compositor.c]\nuse = \"blocks\"\n" +
      update("[\"user_factors\"]", "draw") + update("[\"item_factors\"]", "draw");
  CHECK(largest_of(model(precision) + draws) <= 5.0);
  CHECK(largest_of(model(precision) + "[kernel.trees]\nuse = \"nuts\"\n") <= 5.0);
  CHECK(largest_of(model(1.2 * precision) + draws) > 5.0);  // another prior
}

// |z| <= 5 for 16 statistics: false alarm below 1e-5.
TEST_CASE("a normal-Wishart prior is kept by draws as it is by trajectories on all coordinates") {
  const mixwell::testing::TemporaryFolder folder;
  const std::string data = folder.file("some.dat", "1::1::2\n1::2::-1\n2::1::1\n3::2::-2\n");
  const std::string model =
      "[run]\nseed = 6\nreplicates = 16\nwarmup = 500\ndraws = 2500\n[model.m]\nuse = "
      "\"matrix-factorisation\"\ndata = \"" +
      data +
      "\"\nrank = 1\noffset = 0\nprior = \"normal-wishart\"\ndegrees = 5\nshape = 4\nrate = 4\n";
  const auto whole = coordinates(composing::compose(model + "[kernel.k]\nuse = \"nuts\"\n"
                                                            "target_acceptance = 0.9\n"));
  const auto drawn = coordinates(composing::compose(
      model + "[kernel.draw]\nuse = \"conditional\"\n[compositor.c]\nuse = \"blocks\"\n" +
      update("[\"user_mean\", \"user_precision_factor\", \"item_mean\", "
             "\"item_precision_factor\", \"user_bias_precision\", \"item_bias_precision\"]",
             "draw") +
      update("[\"user_factors\", \"user_bias\"]", "draw") +
      update("[\"item_factors\", \"item_bias\"]", "draw")));
  REQUIRE(drawn.size() ==
          2 * (3 + 2) + 2 + 2 + 2);  // factors and biases, means, spreads, precisions
  REQUIRE(whole.size() == drawn.size());
  const auto compare = [](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    CHECK(std::abs(z_of_difference(a, b)) <= 5.0);
  };
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    INFO("coordinate " << i);
    compare(drawn[i].array().square(), whole[i].array().square());
  }
}
