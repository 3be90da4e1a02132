// Sampling on a surrogate: exp(-W) if W is in the ratio, and pi if the true U is in it.
// SPDX-License-Identifier: Apache-2.0
#include "moments.hpp"
#include "testing.hpp"

#include <mixwell/lab/certificate.hpp>

#include <cmath>
#include <optional>
#include <string>

using mixwell::contracts::check_invariance;
using sampling::Moment;

namespace {

/// U = sum theta_i^2 / 2 + theta_i^4 / 4.
const std::string bowl = "[model.m]\nuse = \"double-well\"\na = 0.5\nb = 0.25\ndimension = 2\n";

std::string elm(int nodes) {
  return "[estimator.elm]\nuse = \"elm-surrogate\"\nnodes = " + std::to_string(nodes) + "\n";
}

std::string oracle(const std::string& more) {
  return "[oracle.o]\nuse = \"surrogate\"\ntransition = 20\n" + more;
}

const std::string bare_oracle = "[oracle.o]\nuse = \"surrogate\"\nlaplace = false\n";

std::string kernel(const std::string& more) {
  return "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nstep_size = "
         "0.4\nsteps = 5\n" +
         more;
}

const std::string true_ratio = "ratio = \"target\"\n";

mixwell::Certificate certificate(const std::string& body) {
  return mixwell::compose(*composing::compose(body).compositor).certificate;
}

std::string described(const std::string& body) {
  const mixwell::Certificate c = certificate(body);
  return c.now.label() + (c.after_warmup ? " after warm-up" : "");
}

const std::string ensemble = "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 8\n";

}  // namespace

TEST_CASE("certificates of surrogates") {
  const std::string start = bowl + elm(20);
  CHECK(described(start + oracle("") + kernel(true_ratio)) == "exact after warm-up");
  CHECK(described(start + oracle("") + kernel("")) == "approximate after warm-up");
  CHECK(certificate(start + oracle("") + kernel("")).now.density.find("exp(-W)") == 0);
  CHECK(described(start + oracle("freeze_after_warmup = false\n") + kernel(true_ratio)) ==
        "adaptive");
  CHECK(certificate(start + oracle("freeze_after_warmup = false\n") + kernel("")).now.label() ==
        "adaptive");
  // W need not be the potential of a density.
  const auto bare = certificate(start + bare_oracle + kernel(""));
  CHECK(bare.now.label() == "biased");
  CHECK_FALSE(bare.now.proved);
  CHECK(described(start + bare_oracle + kernel(true_ratio)) == "exact after warm-up");
  // Fitted to the other slots: exact while it learns; in the ratio the density moves with them.
  const std::string memory = oracle("fit_to = \"memory\"\n");
  CHECK(described(start + memory + kernel(true_ratio) + ensemble) == "exact");
  CHECK(described(start + memory + kernel("") + ensemble) == "biased");
}

TEST_CASE("the true U in the ratio keeps pi, however good the surrogate") {
  const mixwell::contracts::InvarianceOptions frozen{.replicates = 2048, .sweeps = 5, .warmup = 60};
  for (const char* activation : {"softplus", "tanh", "rbf"}) {
    for (const char* pool : {"pool = true\n", "pool = false\n"}) {
      INFO(activation << ", " << pool);
      const std::string body = bowl + elm(20) + "activation = \"" + activation + "\"\n" +
                               oracle(pool) + kernel(true_ratio);
      sampling::expect_right(check_invariance(composing::compose(body), frozen));
    }
  }
  const std::string others =
      bowl + elm(20) + oracle("fit_to = \"memory\"\n") + kernel(true_ratio) + ensemble;
  sampling::expect_right(
      check_invariance(composing::compose(others), {.replicates = 2048, .sweeps = 10}));
}

TEST_CASE("the other kernels run on a surrogate") {
  for (const char* use : {"nuts", "random-walk-metropolis", "metropolis-gaussian", "langevin"}) {
    INFO(use);
    const std::string body = bowl + elm(20) + oracle("") + "[kernel.k]\nuse = \"" + use + "\"\n" +
                             (std::string(use) == "nuts" ? "" : "step_size = 0.1\n");
    const auto verdict = certificate(body);
    CHECK(verdict.now.density.find("exp(-W)") == 0);
    const Moment m = sampling::second_moment(body, {64, 10, 10});
    CHECK(std::isfinite(m.mean));
  }
}

namespace {

/// A sampler whose replicates share one surrogate, which is frozen after warmup.
struct Frozen {
  explicit Frozen(const std::string& body) : composition(composing::compose(body)) {
    mixwell::RunSettings settings = composition.run;
    settings.seed = 5;
    settings.replicates = 4000;
    settings.warmup = 40;
    settings.init.how = mixwell::Init::How::exact;
    sampler.emplace(composition.compositor, settings, mixwell::compose(*composition.compositor));
    sampler->initialise();
    sampler->advance(mixwell::PhaseKind::warmup, settings.warmup);
  }

  /// W of every column of theta.
  Eigen::RowVectorXd potential(const Eigen::MatrixXd& theta) {
    const auto& graph = sampler->graph(mixwell::PhaseKind::sampling);
    for (const auto& value : graph.values()) {
      const auto* const W = dynamic_cast<const mixwell::Potential*>(value.function.get());
      if (W == nullptr || value.name != "k/oracle/view") continue;
      const mixwell::MatrixMap state = sampler->variable("k/oracle/register");
      Eigen::RowVectorXd u(theta.cols());
      Eigen::MatrixXd g(theta.rows(), theta.cols());
      mixwell::Workspace scratch;
      W->evaluate(mixwell::ConstMatrixMap(state.data(), state.rows(), 1), theta,
                  {u.data(), g, scratch});
      return u;
    }
    FAIL("no potential in the graph");
    return {};
  }

  /// E theta_0^2 over sweeps, from the state that is there.
  Moment second_moment(int before, int sweeps) {
    sampler->advance(mixwell::PhaseKind::sampling, before);
    Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(4000);
    for (int k = 0; k < sweeps; ++k) {
      sampler->advance(mixwell::PhaseKind::sampling, 1);
      sum += sampler->variable("theta").row(0).array().square().transpose();
    }
    sum /= sweeps;
    return {sum.mean(), std::sqrt((sum - sum.mean()).square().sum() / 3999.0 / 4000.0)};
  }

  mixwell::Composition composition;
  std::optional<mixwell::Sampler> sampler;
};

/// E theta_0^2 under exp(-W) on a square of half-width 5 in d = 1 or 2.
double on_grid(Frozen& run, int d) {
  constexpr int n = 401;
  Eigen::MatrixXd theta(d, d == 1 ? n : n * n);
  for (int k = 0; k < theta.cols(); ++k) {
    theta(0, k) = -5.0 + 10.0 * (k % n) / (n - 1);
    if (d == 2) theta(1, k) = -5.0 + 10.0 * (k / n) / (n - 1);
  }
  const Eigen::RowVectorXd u = run.potential(theta);
  const Eigen::ArrayXd density = (u.minCoeff() - u.array()).exp();
  return (density * theta.row(0).array().square().transpose()).sum() / density.sum();
}

}  // namespace

TEST_CASE("VHMC samples exp(-W) and not pi: moments on a grid") {
  for (const int d : {1, 2}) {
    for (const char* activation : {"softplus", "tanh", "rbf"}) {
      INFO("d = " << d << ", " << activation);
      Frozen run("[model.m]\nuse = \"double-well\"\na = -1\nb = 0.5\ndimension = " +
                 std::to_string(d) + "\n" + elm(d == 1 ? 4 : 10) + "activation = \"" + activation +
                 "\"\n" + oracle("pool = true\n") + kernel(""));
      const double wanted = on_grid(run, d);
      const Moment found = run.second_moment(30, 60);
      sampling::expect(found, {wanted, 0.0});
    }
  }
}

TEST_CASE("more nodes bring exp(-W) nearer to pi") {
  // Mean squared distance of the gradients, over exact draws.
  const auto distance = [](int nodes) {
    Frozen run(bowl + elm(nodes) + oracle("pool = true\n") + kernel(""));
    Eigen::MatrixXd theta(2, 2000);
    run.composition.model()->offers<mixwell::ExactSampler>()->draw(
        mixwell::Stream(3, "tests/distance"), {}, theta);
    constexpr double h = 1e-4;
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
      Eigen::MatrixXd up = theta;
      Eigen::MatrixXd down = theta;
      up.row(i).array() += h;
      down.row(i).array() -= h;
      const Eigen::ArrayXd slope =
          ((run.potential(up) - run.potential(down)) / (2.0 * h)).transpose().array();
      const Eigen::ArrayXd x = theta.row(i).transpose().array();
      sum += (slope - x - x.cube()).square().mean();
    }
    return 0.5 * sum;
  };
  const double few = distance(4);
  const double some = distance(20);
  const double many = distance(100);
  INFO(few << ", " << some << ", " << many);
  CHECK(some < 0.5 * few);
  CHECK(many < 0.5 * some);
}

TEST_CASE("a point of infinite potential is no mode to scale a surrogate by") {
  // At 0 the unmixing matrix is singular; the prior by itself has its mode there.
  const mixwell::Composition c = composing::compose(
      "[model.m]\nuse = \"ica\"\ncases = 200\nchannels = 2\nsimulate_seed = 2\n"
      "[oracle.o]\nuse = \"surrogate\"\n[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse "
      "= \"hamiltonian\"\nstep_size = 0.005\n"
      "steps = 3\nratio = \"target\"\n");
  mixwell::RunSettings settings = c.run;
  settings.seed = 3;
  settings.replicates = 200;
  mixwell::Sampler sampler(c.compositor, settings, mixwell::compose(*c.compositor));
  sampler.initialise();
  const auto& graph = sampler.graph(mixwell::PhaseKind::sampling);
  for (const auto& value : graph.values()) {
    if (value.name != "k/oracle/view") continue;
    const auto* const W = dynamic_cast<const mixwell::Potential*>(value.function.get());
    REQUIRE(W != nullptr);
    const mixwell::MatrixMap state = sampler.variable("k/oracle/register");
    const Eigen::MatrixXd origin = Eigen::MatrixXd::Zero(4, 1);
    Eigen::MatrixXd g(4, 1);
    double u = 0.0;
    mixwell::Workspace scratch;
    W->evaluate(mixwell::ConstMatrixMap(state.data(), state.rows(), 1), origin, {&u, g, scratch});
    // Before anything is learnt W is the quadratic about the mode, which lies far from 0.
    CHECK(u > 20.0);
    CHECK(g.norm() > 1.0);
    return;
  }
  FAIL("no surrogate in the graph");
}
