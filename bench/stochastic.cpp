// Steps of stochastic-gradient samplers against the gradients of their minibatches.
// SPDX-License-Identifier: Apache-2.0
#include "ratio.hpp"

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/sampler.hpp>

#include <string>
#include <vector>

using namespace mixwell;

namespace {

constexpr Index batch_size = 500;

const Registry& registry() {
  static const Registry all = Registry::load(Registry::default_folders());
  return all;
}

/// The size of the digits 7 and 9 of MNIST.
const std::string model_table =
    "[model.m]\nuse = \"probit-regression\"\ncases = 12214\ndimension = 784\nsimulate_seed = 1\n"
    "[oracle.o]\nuse = \"minibatch\"\nsize = 500\n";

Composition composed(Index replicates, const std::string& rest) {
  return parse_manifest("mixwell = 1\n[run]\nallow = [\"biased\"]\nreplicates = " +
                            std::to_string(replicates) + "\n" + model_table + rest,
                        "bench.toml", registry());
}

/// Gradients of one minibatch after the other, without what draws them.
class Gradients {
 public:
  Gradients(const Model& model, Index columns)
      : sum_(*model.offers<SumOfTerms>()),
        theta_(model.dimension(), columns),
        g_(theta_),
        rest_(theta_) {
    theta_.setConstant(0.01);
    for (std::uint64_t k = 0; k < 16; ++k) {
      Eigen::MatrixXd u(batch_size, columns);
      Stream(5, "bench/batch").uniforms({k, 0, 0}, u);
      batches_.emplace_back((u.array() * static_cast<double>(sum_.terms())).floor());
    }
  }

  void evaluate(int times) {
    for (int k = 0; k < times; ++k) {
      sum_.evaluate_terms(theta_, batches_[next_++ % batches_.size()], {nullptr, g_, scratch_});
      sum_.evaluate_rest(theta_, {nullptr, rest_, scratch_});
    }
  }

 private:
  const SumOfTerms& sum_;
  Eigen::MatrixXd theta_;
  Eigen::MatrixXd g_;
  Eigen::MatrixXd rest_;
  std::vector<Eigen::MatrixXd> batches_;
  std::size_t next_ = 0;
  Workspace scratch_;
};

/// Time of a step over that of one minibatch gradient.
bool compare(const char* what, const char* goal, double limit, Index columns, int steps_a_sweep,
             const std::string& rest) {
  const Composition composition = composed(columns, rest);
  bool met = false;
  with_threads(1, [&] {
    Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
    sampler.initialise();
    sampler.advance(PhaseKind::sampling, 5);
    Gradients gradients(*composition.model(), columns);
    const int sweeps = 12 / steps_a_sweep + 1;
    const auto r = bench::ratio([&] { sampler.advance(PhaseKind::sampling, sweeps); },
                                [&] { gradients.evaluate(sweeps * steps_a_sweep); });
    met = bench::print((what + std::string(", R = ") + std::to_string(columns)).c_str(), r, goal,
                       r.median <= limit);
  });
  return met;
}

const std::string sghmc =
    "[integrator.i]\nuse = \"euler-maruyama-friction\"\n[kernel.k]\nuse = \"hamiltonian\"\n"
    "metropolis = false\npersistence = 1\nstep_size = 1e-4\nsteps = 10\n";

std::string hamcmc(const std::string& memory) {
  return "[estimator.e]\nuse = \"lbfgs\"\nregularisation = 1\ngamma = 1e-3\n[kernel.k]\nuse = "
         "\"langevin\"\nstep_size = 1e-5\n[compositor.c]\nuse = \"lagged\"\nslots = 3\nmemory = "
         "\"" +
         memory + "\"\n";
}

}  // namespace

int main() {
  std::printf("time of a step / of a minibatch gradient, N = 12214, d = 784, n = 500\n");
  bool met = true;
  for (const Index columns : {1, 8}) {
    met &= compare("SGHMC", "<= 1.15", 1.15, columns, 10, sghmc);
    met &=
        compare("HAMCMC, M = 3, displacements", "<= 2.6", 2.6, columns, 3, hamcmc("displacements"));
    met &= compare("HAMCMC, M = 3, cross", "<= 2.6", 2.6, columns, 3, hamcmc("cross"));
  }
  return met ? 0 : 1;
}
