// What Mixwell costs beyond the bare calls of a C function, and of a library of a Stan program.
// SPDX-License-Identifier: Apache-2.0
#include "../models/stan/engine.hpp"
#include "../models/stan/instance.hpp"
#include "ratio.hpp"

#include <mixwell/callback.h>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/sampler.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

using namespace mixwell;

namespace {

constexpr Index cases = 3000;  // so that a gradient takes about 40 us
constexpr Index inputs = 20;

/// Inputs (inputs x cases) and a label of each case.
struct Data {
  Eigen::MatrixXd x{inputs, cases};
  Eigen::VectorXd y{cases};
};

const Data& data() {
  static const Data all = [] {
    Data made;
    Stream(1, "bench/foreign").normals({}, made.x);
    for (Index n = 0; n < cases; ++n) made.y[n] = made.x(0, n) + made.x(1, n) > 0.3 ? 1 : 0;
    return made;
  }();
  return all;
}

/// Logistic regression with the prior N(0, I).
int logistic(size_t d, size_t columns, const double* theta, double* u, double* gradient, void*) {
  const Data& known = data();
  for (size_t j = 0; j < columns; ++j, theta += d) {
    u[j] = 0;
    for (size_t i = 0; i < d; ++i) u[j] += 0.5 * theta[i] * theta[i];
    for (size_t i = 0; i < d && gradient != nullptr; ++i) gradient[j * d + i] = theta[i];
    for (Index n = 0; n < cases; ++n) {
      const double* const x = known.x.col(n).data();
      double eta = 0;
      for (size_t i = 0; i < d; ++i) eta += x[i] * theta[i];
      u[j] += std::log1p(std::exp(eta)) - known.y[n] * eta;
      const double r = 1 / (1 + std::exp(-eta)) - known.y[n];
      for (size_t i = 0; i < d && gradient != nullptr; ++i) gradient[j * d + i] += r * x[i];
    }
  }
  return 0;
}

constexpr const char* program =
    "data { int N; int K; matrix[N, K] x; array[N] int y; }\n"
    "parameters { vector[K] beta; }\n"
    "model { beta ~ std_normal(); y ~ bernoulli_logit(x * beta); }\n";

/// Writes the program and its data; returns the path without ending.
std::string written_program() {
  const auto stem = (std::filesystem::temp_directory_path() / "mixwell-bench-logistic").string();
  std::ofstream(stem + ".stan") << program;
  std::ofstream out(stem + ".json");
  out << "{\"N\": " << cases << ", \"K\": " << inputs << ", \"x\": [";
  for (Index n = 0; n < cases; ++n) {
    for (Index i = 0; i < inputs; ++i)
      out << (i > 0 ? ", " : n > 0 ? "], [" : "[") << data().x(i, n);
  }
  out << "]], \"y\": [";
  for (Index n = 0; n < cases; ++n) out << (n > 0 ? ", " : "") << data().y[n];
  out << "]}";
  return stem;
}

/// Transitions of ten steps against as many bare calls, at points as far from each other as those
/// of a trajectory: at one point a processor learns the branches of a log density by heart.
bool compare(const std::string& what, const std::string& model,
             const std::function<void(const double*, double*, double*)>& call) {
  const Registry registry = Registry::load(Registry::default_folders());
  const Composition composition = parse_manifest(
      "mixwell = 1\n[run]\nreplicates = 1\n[model.m]\n" + model +
          "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\n"
          "step_size = 0.02\nsteps = 10\n",
      "bench.toml", registry);
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, 10);
  DrawBuffers buffers;
  Eigen::MatrixXd theta = sampler.variable("theta");
  Eigen::VectorXd gradient(theta.rows());
  double u = 0;
  constexpr int transitions = 20;
  Eigen::MatrixXd points(theta.rows(), 10 * transitions);
  Stream(1, "bench/points").normals({}, points);
  points = (0.05 * points).colwise() + theta.col(0);
  const auto r = bench::ratio([&] { sampler.advance(PhaseKind::sampling, transitions, &buffers); },
                              [&] {
                                for (int k = 0; k < 10 * transitions; ++k)
                                  call(points.col(k).data(), &u, gradient.data());
                              },
                              101);
  std::printf("%-66s %6.1f us\n", ("  a bare call, " + what).c_str(),
              1e6 * r.b / (10 * transitions));
  return bench::print((what + " in hamiltonian, R = 1 / its bare calls").c_str(), r, "<= 1.05",
                      r.median <= 1.05);
}

/// Through a pointer, as by Mixwell: inlined, the compiler would know the lengths.
decltype(&logistic) volatile called = &logistic;

bool c_function() {
  mixwell_offer_function("logistic", nullptr, &logistic, nullptr);
  return compare("C function",
                 "use = \"callback\"\nfunction = \"logistic\"\nparameters = [\"beta[" +
                     std::to_string(inputs) + "]\"]\n",
                 [](const double* theta, double* u, double* gradient) {
                   called(inputs, 1, theta, u, gradient, nullptr);
                 });
}

bool stan_program(const std::string& engine) {
  const std::string stem = written_program();
  const stan::Prepared prepared = stan::prepare({.library = {},
                                                 .program = stem + ".stan",
                                                 .data = stem + ".json",
                                                 .engine = engine,
                                                 .include_paths = {}},
                                                {}, 0);
  const stan::Interface library = stan::load_interface("program", prepared.made.library);
  char* error = nullptr;
  void* const model = library.model_construct(prepared.made.data.c_str(), 0, &error);
  return compare("Stan, " + engine,
                 "use = \"stan\"\nprogram = \"" + stem + ".stan\"\ndata = \"" + stem +
                     ".json\"\nengine = \"" + engine + "\"\n",
                 [&](const double* theta, double* u, double* gradient) {
                   library.log_density_gradient(model, true, true, theta, u, gradient, &error);
                 });
}

/// Where the engine is there.
bool stan_if_there(const std::string& engine) {
  try {
    return stan_program(engine);
  } catch (const ParameterError& missing) {
    std::printf("Stan, %s: left out, %s\n", engine.c_str(), missing.what());
    return true;
  }
}

}  // namespace

int main() {
  bool met = true;
  with_threads(1, [&] {
    met = c_function() && met;
    met = stan_if_there("interpret") && met;
    met = stan_if_there("compile") && met;
  });
  return met ? 0 : 1;
}
