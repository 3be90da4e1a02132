// What the framework costs beyond the gradient, against hand-written loops, and on two threads.
// SPDX-License-Identifier: Apache-2.0
#include "ratio.hpp"

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/law/conditional_potential.hpp>

#include <Random123/threefry.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

const Registry& registry() {
  static const Registry all = Registry::load(Registry::default_folders());
  return all;
}

/// Simulated data, by default of German credit size: 1000 cases, 24 inputs (25 coefficients).
std::string simulated_csv(Index cases) {
  const std::string name = "mixwell-bench-" + std::to_string(cases) + ".csv";
  const auto path = (std::filesystem::temp_directory_path() / name).string();
  std::ofstream out(path);
  Eigen::MatrixXd x(25, cases);
  Stream(1, "bench/data").normals({}, x);
  for (Index i = 0; i < 24; ++i) out << 'x' << i << ',';
  out << "y\n";
  for (Index n = 0; n < x.cols(); ++n) {
    for (Index i = 0; i < 24; ++i) out << x(i, n) << ',';
    out << (x(24, n) + 0.5 * x(0, n) > 0.0 ? 1 : 0) << '\n';
  }
  return path;
}

Composition german(Index replicates, const std::string& compositor = "", Index cases = 1000) {
  const std::string path = simulated_csv(cases);
  return parse_manifest("mixwell = 1\n[run]\nreplicates = " + std::to_string(replicates) +
                            "\n[model.m]\nuse = \"logistic-regression\"\ndata = \"" + path +
                            "\"\nresponse = \"y\"\n[estimator.identity]\nuse = "
                            "\"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\n"
                            "step_size = 0.02\nsteps = 10\n" +
                            compositor,
                        "bench.toml", registry());
}

/// So many of the first coefficients in one update, so many of the last in another.
std::string two_blocks(int firsts, int lasts) {
  std::string first = "\"intercept\"";
  std::string second;
  for (int i = 0; i < 24; ++i) {
    const std::string name = "\"x" + std::to_string(i) + "\"";
    if (i < firsts - 1) first += ", " + name;
    if (i >= 24 - lasts) second += (second.empty() ? "" : ", ") + name;
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

/// Of 11 evaluations of a trajectory the first and the last ask for U.
bool wants_potential(int k) { return k % 11 == 0 || k % 11 == 10; }

/// As many evaluations of the whole U as `sweeps` sweeps of two trajectories take.
void evaluate_whole(const Model& model, const Eigen::MatrixXd& theta, int sweeps) {
  Eigen::MatrixXd g(theta.rows(), 1);
  double u = 0.0;
  Workspace scratch;
  for (int k = 0; k < 22 * sweeps; ++k) {
    model.evaluate(theta, {wants_potential(k) ? &u : nullptr, g, scratch});
  }
}

/// U of one block by itself: what a model knows of it, at the coordinates of one position.
class OneBlock {
 public:
  OneBlock(const Model& model, const Eigen::MatrixXd& theta, const std::vector<Index>& coordinates)
      : block_(model.conditional_potential(coordinates)),
        theta_(theta),
        x_(theta(coordinates, Eigen::all)),
        caches_(block_->cache_rows(), 1),
        g_(x_.rows(), 1) {}

  /// A cache, and the evaluations of a trajectory.
  void trajectory() {
    double u = 0.0;
    block_->prepare(theta_, caches_, scratch_);
    const ConditionalCaches caches(Numbers(ConstMatrixMap(caches_.data(), caches_.rows(), 1)), 0);
    for (int k = 0; k < 11; ++k) {
      block_->evaluate(caches, x_, {wants_potential(k) ? &u : nullptr, g_, scratch_});
    }
  }

 private:
  std::shared_ptr<const ConditionalPotential> block_;
  Eigen::MatrixXd theta_;
  Eigen::MatrixXd x_;
  Eigen::MatrixXd caches_;
  Eigen::MatrixXd g_;
  Workspace scratch_;
};

std::vector<Index> from_to(Index first, Index end) {
  std::vector<Index> all;
  for (Index i = first; i < end; ++i) all.push_back(i);
  return all;
}

constexpr int sweeps_of_blocks = 20;

/// A sweep of two blocks, each of which evaluates the whole U, against its evaluations.
bool whole_blocks_overhead(Index cases) {
  const Composition composition = german(1, two_blocks(17, 17), cases);
  Sampler sampler = started(composition);
  DrawBuffers buffers;
  const Eigen::MatrixXd theta = sampler.position("theta");
  const auto chain = [&] { sampler.advance(PhaseKind::sampling, sweeps_of_blocks, &buffers); };
  const auto alone = [&] { evaluate_whole(*composition.model(), theta, sweeps_of_blocks); };
  const auto r = bench::ratio(chain, alone, 101);
  std::printf("%-66s %6.1f us\n", "  an evaluation", 1e6 * r.b / (22 * sweeps_of_blocks));
  const std::string what =
      "two blocks of hamiltonian, whole U, N = " + std::to_string(cases) + " / evaluations alone";
  return bench::print(what.c_str(), r, "<= 1.05", r.median <= 1.05);
}

/// The same of two blocks of which the model knows U given the rest; and what that saves.
bool cached_blocks() {
  const Composition composition = german(1, two_blocks(13, 12));
  Sampler sampler = started(composition);
  DrawBuffers buffers;
  const Eigen::MatrixXd theta = sampler.position("theta");
  OneBlock first(*composition.model(), theta, from_to(0, 13));
  OneBlock second(*composition.model(), theta, from_to(13, 25));
  const auto chain = [&] { sampler.advance(PhaseKind::sampling, sweeps_of_blocks, &buffers); };
  const auto alone = [&] {
    for (int sweep = 0; sweep < sweeps_of_blocks; ++sweep) {
      first.trajectory();
      second.trajectory();
    }
  };
  const auto whole = [&] { evaluate_whole(*composition.model(), theta, sweeps_of_blocks); };
  const auto r = bench::ratio(chain, alone, 101);
  const bool cheap =
      bench::print("two blocks of hamiltonian, U given the rest / caches, evaluations", r,
                   "<= 1.05", r.median <= 1.05);
  const auto gain = bench::ratio(whole, chain, 101);
  return bench::print("  what as many evaluations of the whole U take / the blocks", gain, ">= 1.2",
                      gain.median >= 1.2) &&
         cheap;
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
    met = whole_blocks_overhead(1000) && met;
    met = whole_blocks_overhead(4000) && met;
    met = cached_blocks() && met;
    met = small_gaussian() && met;
  });
  met = two_threads() && met;
  return met ? 0 : 1;
}
