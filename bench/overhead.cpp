// What the framework costs beyond the gradient, against hand-written loops, and on two threads.
// SPDX-License-Identifier: Apache-2.0
#include "ratio.hpp"

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/sampler.hpp>

#include <Random123/threefry.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

using namespace mixwell;

namespace {

const Registry& registry() {
  static const Registry all = Registry::load(Registry::default_folders());
  return all;
}

/// Simulated data of German credit size: 1000 cases, 24 inputs (25 coefficients).
std::string simulated_csv() {
  const auto path = (std::filesystem::temp_directory_path() / "mixwell-bench.csv").string();
  std::ofstream out(path);
  Eigen::MatrixXd x(25, 1000);
  Stream(1, "bench/data").normals({}, x);
  for (Index i = 0; i < 24; ++i) out << 'x' << i << ',';
  out << "y\n";
  for (Index n = 0; n < x.cols(); ++n) {
    for (Index i = 0; i < 24; ++i) out << x(i, n) << ',';
    out << (x(24, n) + 0.5 * x(0, n) > 0.0 ? 1 : 0) << '\n';
  }
  return path;
}

Composition german(Index replicates, const std::string& compositor = "") {
  const std::string path = simulated_csv();
  return parse_manifest("mixwell = 1\n[run]\nreplicates = " + std::to_string(replicates) +
                            "\n[model.m]\nuse = \"logistic-regression\"\ndata = \"" + path +
                            "\"\nresponse = \"y\"\n[estimator.identity]\nuse = "
                            "\"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\n"
                            "step_size = 0.02\nsteps = 10\n" +
                            compositor,
                        "bench.toml", registry());
}

/// Half of the coefficients in each of two updates.
std::string two_blocks() {
  std::string first = "\"intercept\"";
  std::string second;
  for (int i = 0; i < 24; ++i) {
    std::string& list = i < 12 ? first : second;
    list += (list.empty() ? "\"x" : ", \"x") + std::to_string(i) + "\"";
  }
  return "[compositor.c]\nuse = \"blocks\"\n[[compositor.c.update]]\nparameters = [" + first +
         "]\nkernel = \"k\"\n[[compositor.c.update]]\nparameters = [" + second +
         "]\nkernel = \"k\"\n";
}

Sampler started(const Composition& composition) {
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, 10);
  return sampler;
}

/// A transition of L = 10 against its ten gradients, the last with U.
bool gradient_overhead() {
  const Composition composition = german(1);
  Sampler sampler = started(composition);
  DrawBuffers buffers;
  const auto model = composition.model();
  Eigen::MatrixXd theta = sampler.variable("theta");
  Eigen::MatrixXd g(theta.rows(), 1);
  double u = 0.0;
  Workspace scratch;
  constexpr int transitions = 40;
  const auto chain = [&] { sampler.advance(PhaseKind::sampling, transitions, &buffers); };
  const auto gradients = [&] {
    for (int t = 0; t < transitions; ++t) {
      for (int step = 1; step <= 10; ++step) {
        model->evaluate(theta, {step == 10 ? &u : nullptr, g, scratch});
      }
    }
  };
  const auto r = bench::ratio(chain, gradients, 101);
  return bench::print("hamiltonian in chain, N = 1000, d = 25, R = 1 / its gradients alone", r,
                      "<= 1.05", r.median <= 1.05);
}

/// A sweep of two blocks against the evaluations that it counts.
bool blocks_overhead() {
  const Composition composition = german(1, two_blocks());
  Sampler sampler = started(composition);
  DrawBuffers buffers;
  const auto model = composition.model();
  const Eigen::MatrixXd theta = sampler.position("theta");
  Eigen::MatrixXd g(theta.rows(), 1);
  double u = 0.0;
  Workspace scratch;
  constexpr int sweeps = 20;
  const double before = sampler.gradients();
  sampler.advance(PhaseKind::sampling, sweeps, &buffers);
  const int evaluations = static_cast<int>(sampler.gradients() - before);
  const auto chain = [&] { sampler.advance(PhaseKind::sampling, sweeps, &buffers); };
  const auto alone = [&] {
    // Of 11 evaluations of a trajectory the first and the last ask for U.
    for (int k = 0; k < evaluations; ++k) {
      model->evaluate(theta, {k % 11 == 0 || k % 11 == 10 ? &u : nullptr, g, scratch});
    }
  };
  const auto r = bench::ratio(chain, alone, 101);
  return bench::print("two blocks of hamiltonian, N = 1000, d = 25, R = 1 / its evaluations alone",
                      r, "<= 1.05", r.median <= 1.05);
}

/// Plain HMC on N(0, I), d = 2: one chain at a time, state in registers, the same counter-based
/// generator (Threefry2x64-20), Box-Muller, every draw stored.
class HandWritten {
 public:
  explicit HandWritten(std::size_t chains) : theta_(2 * chains, 0.1) {}

  void run(std::uint64_t first, int sweeps, std::vector<double>& draws) {
    const std::size_t chains = theta_.size() / 2;
    draws.resize(static_cast<std::size_t>(sweeps) * theta_.size());
    for (std::size_t c = 0; c < chains; ++c) {
      double x = theta_[2 * c];
      double y = theta_[2 * c + 1];
      for (int s = 0; s < sweeps; ++s) {
        transition(first + static_cast<std::uint64_t>(s), c, x, y);
        double* to = draws.data() + static_cast<std::size_t>(s) * theta_.size() + 2 * c;
        to[0] = x;
        to[1] = y;
      }
      theta_[2 * c] = x;
      theta_[2 * c + 1] = y;
    }
  }

 private:
  static double uniform(std::uint64_t bits) {
    return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
  }

  static void transition(std::uint64_t sweep, std::size_t chain, double& x, double& y) {
    constexpr double eps = 0.2;
    const threefry2x64_key_t momentum_key = {{1, 2}};
    const threefry2x64_key_t accept_key = {{1, 3}};
    const threefry2x64_ctr_t counter = {{sweep << 24, static_cast<std::uint64_t>(chain) << 36}};
    const auto bits = threefry2x64(counter, momentum_key);
    const double radius = std::sqrt(-2.0 * std::log(uniform(bits.v[0])));
    const double angle = 2.0 * std::numbers::pi * uniform(bits.v[1]);
    double p = radius * std::cos(angle);
    double q = radius * std::sin(angle);
    const double before = 0.5 * (x * x + y * y + p * p + q * q);
    double a = x;
    double b = y;
    p -= 0.5 * eps * a;
    q -= 0.5 * eps * b;
    for (int step = 1; step <= 10; ++step) {
      a += eps * p;
      b += eps * q;
      const double kick = step == 10 ? 0.5 * eps : eps;
      p -= kick * a;
      q -= kick * b;
    }
    const double after = 0.5 * (a * a + b * b + p * p + q * q);
    if (uniform(threefry2x64(counter, accept_key).v[0]) < std::exp(before - after)) {
      x = a;
      y = b;
    }
  }

  std::vector<double> theta_;
};

bool small_gaussian() {
  constexpr int sweeps = 100;  // 1.8 MB of draws: a stretch of `mixwell run`
  constexpr Index replicates = 256;
  const Composition composition = parse_manifest(
      "mixwell = 1\n[run]\nreplicates = 256\n[model.g]\nuse = \"gaussian\"\ndimension = 2\n"
      "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nstep_size = "
      "0.2\nsteps = 10\n",
      "bench.toml", registry());
  Sampler sampler = started(composition);
  DrawBuffers buffers;
  HandWritten loop(static_cast<std::size_t>(replicates));
  std::vector<double> draws;
  std::uint64_t sweep = 0;
  const auto ours = [&] { sampler.advance(PhaseKind::sampling, sweeps, &buffers); };
  const auto theirs = [&] {
    loop.run(sweep, sweeps, draws);
    sweep += sweeps;
  };
  const auto r = bench::ratio(ours, theirs, 161);
  std::printf("%-66s %6.1f ns, hand-written %.1f ns\n", "  a transition of one chain",
              1e9 * r.a / (sweeps * replicates), 1e9 * r.b / (sweeps * replicates));
  return bench::print("hamiltonian in chain, Gaussian d = 2, R = 256 / hand-written scalar loop", r,
                      "<= 1", r.median <= 1.0);
}

/// Both cores must be free for the ratio to mean anything: its best decides, not its median.
bool two_threads() {
  const Composition composition = german(64);
  Sampler one = started(composition);
  Sampler two = started(composition);
  DrawBuffers buffers;
  const auto slow = [&] {
    with_threads(1, [&] { one.advance(PhaseKind::sampling, 20, &buffers); });
  };
  const auto fast = [&] {
    with_threads(2, [&] { two.advance(PhaseKind::sampling, 20, &buffers); });
  };
  const auto r = bench::ratio(slow, fast, 81, bench::Clock::wall);
  return bench::print("8 column blocks, N = 1000, d = 25: one thread / two threads", r, ">= 1.9",
                      r.best >= 1.9);
}

}  // namespace

int main() {
  bool met = true;
  with_threads(1, [&] {
    met = gradient_overhead() && met;
    met = blocks_overhead() && met;
    met = small_gaussian() && met;
  });
  met = two_threads() && met;
  return met ? 0 : 1;
}
