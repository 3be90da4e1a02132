// Memory and time of a log density over a million cases, differentiated by a tape, beside the
// likelihood of the built-in regression, whose gradient is written by hand.
// SPDX-License-Identifier: Apache-2.0
#include "../models/logistic-regression/likelihood.hpp"
#include "logistic_density.hpp"
#include "ratio.hpp"

#include <mixwell/density.hpp>
#include <mixwell/lab/sampler.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

constexpr Index case_count = 1'000'000;
constexpr Index coefficients = 20;
constexpr Index batch_size = 500;
constexpr double megabyte = 1024.0 * 1024.0;
/// A row of inputs and a label.
constexpr double data_bytes = sizeof(double) * case_count * (coefficients + 1);

/// Of this process, in bytes: "VmRSS", or "VmHWM", the largest since forget_peak().
double memory(const std::string& what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what + ":")) return 1024.0 * std::stod(line.substr(what.size() + 1));
  return std::nan("");
}

void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

Eigen::MatrixXd normals(Index rows, Index cols, std::uint32_t draw) {
  Eigen::MatrixXd x(rows, cols);
  Stream(1, "bench/large-density").normals({0, draw, 0}, x);
  return x;
}

logistic::Likelihood by_hand() {
  return {normals(coefficients, case_count, 0).transpose(), bench::positives(case_count)};
}

Eigen::MatrixXd batches(Index columns) {
  Eigen::MatrixXd u(batch_size, columns);
  Stream(2, "bench/large-density").uniforms({0, 0, 0}, u);
  return (u.array() * static_cast<double>(case_count)).floor();
}

/// A gradient of the whole, and gradients of a hundred minibatches, none of which is in a cache.
struct Work {
  Eigen::MatrixXd theta = 0.1 * normals(coefficients, 1, 1);
  Eigen::MatrixXd g = theta;
  Eigen::MatrixXd indices = batches(100);
  Workspace scratch{};

  template <class Evaluate>
  void each_batch(const Evaluate& evaluate) {
    for (Index j = 0; j < indices.cols(); ++j)
      evaluate(theta, indices.col(j), Evaluation{nullptr, g, scratch});
  }
};

/// Megabytes, and how many times the data they are.
void print_memory(const char* what, double bytes) {
  std::printf("%-66s %8.0f MB  %5.2f of the data\n", what, bytes / megabyte, bytes / data_bytes);
}

bool within(const char* what, double bytes, double limit) {
  print_memory(what, bytes);
  const bool met = bytes <= limit * data_bytes;
  std::printf("%-66s goal <= %.2f  %s\n", "", limit, met ? "met" : "MISSED");
  return met;
}

}  // namespace

int main() {
  bool met = true;
  with_threads(1, [&] {
    print_memory("data: 10^6 rows of 20 numbers and a label", data_bytes);
    const bench::LogisticDensity<false> density(normals(coefficients, case_count, 0));
    Work work;
    const double before = memory("VmRSS");
    forget_peak();
    const double writing = bench::seconds(
        [&] {
          density.evaluate(work.theta, {nullptr, work.g, work.scratch});
        },
        bench::Clock::thread);
    met = within("the tape beside them", memory("VmRSS") - before, 1.1) && met;
    met = within("most while it is written", memory("VmHWM") - before, 1.15) && met;
    std::printf("%-66s %8.2f s\n", "to write it", writing);

    const logistic::Likelihood hand = by_hand();
    const auto whole = bench::ratio(
        [&] {
          density.evaluate(work.theta, {nullptr, work.g, work.scratch});
        },
        [&] {
          work.g.setZero();
          hand.add_to(work.theta, {nullptr, work.g, work.scratch});
        },
        9);
    std::printf("%-66s %8.1f ms, by hand %.1f ms\n", "a gradient", 1e3 * whole.a, 1e3 * whole.b);
    bench::print("the whole sum: density / by hand", whole, "none", true);
    const auto batch = bench::ratio(
        [&] {
          work.each_batch([&](const auto& theta, const auto& indices, const Evaluation& at) {
            density.evaluate_terms(theta, indices, at);
          });
        },
        [&] {
          work.each_batch([&](const auto& theta, const auto& indices, const Evaluation& at) {
            hand.evaluate_terms(theta, indices, at);
          });
        },
        21);
    std::printf("%-66s %8.1f us, by hand %.1f us\n", "a gradient of 500 cases", 1e4 * batch.a,
                1e4 * batch.b);
    bench::print("minibatches of 500: density / by hand", batch, "none", true);
  });
  return met ? 0 : 1;
}
