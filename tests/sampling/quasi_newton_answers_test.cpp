// Known answers on U = sum theta_i^4 / 4 for preconditioners fitted to the chain's own past, to
// other slots and to a pilot. Replicates are columns; standard errors come from their spread.
// SPDX-License-Identifier: Apache-2.0
#include "../unit/support.hpp"
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <cmath>
#include <string>
#include <utility>

using namespace mixwell;

namespace {

/// E theta^2 = 2 Gamma(3/4) / Gamma(1/4).
constexpr double exact_second_moment = 0.675978240067285;

struct Answer {
  double mean = 0.0;  ///< of theta_0^2, over slots and sweeps
  double error = 0.0;
  double moved = 0.0;  ///< share of transitions that moved
};

struct Run {
  std::int64_t replicates = 1000;
  std::int64_t warmup = 100;
  std::int64_t sweeps = 400;
  bool exact_start = true;
};

Answer answer(const std::string& rest, const Run& run, int dimension = 1) {
  Composition c = composing::compose(
      "[model.q]\nuse = \"quartic\"\ndimension = " + std::to_string(dimension) + "\n" + rest);
  RunSettings settings = c.run;
  settings.seed = 5;
  settings.replicates = run.replicates;
  settings.warmup = run.warmup;
  settings.init.how = run.exact_start ? Init::How::exact : Init::How::model;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::warmup, run.warmup);
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(run.replicates);
  double moved = 0.0;
  const auto slots = c.compositor->slots();
  const double count = static_cast<double>(run.sweeps) * static_cast<double>(slots.size());
  for (std::int64_t k = 0; k < run.sweeps; ++k) {
    std::vector<Eigen::RowVectorXd> before;
    for (const std::string& slot : slots) before.emplace_back(sampler.variable(slot).row(0));
    sampler.advance(PhaseKind::sampling, 1);
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const Eigen::RowVectorXd now = sampler.variable(slots[s]).row(0);
      sum += now.array().square().transpose();
      moved += (now.array() != before[s].array()).cast<double>().mean();
    }
  }
  const Eigen::ArrayXd each = sum / count;
  const double n = static_cast<double>(run.replicates);
  const double variance = (each - each.mean()).square().sum() / (n - 1.0);
  return {each.mean(), std::sqrt(variance / n), moved / count};
}

void check_right(const Answer& found) {
  INFO("E theta^2 = " << found.mean << " +- " << found.error << ", truth " << exact_second_moment);
  CHECK(std::abs(found.mean - exact_second_moment) < 4.0 * found.error);
  CHECK(found.error < 0.01);
}

std::string hamiltonian(const std::string& more) {
  return "[kernel.k]\nuse = \"hamiltonian\"\nstep_size = "
         "0.1\nsteps = 10\n" +
         more;
}

const char* const bfgs = "[estimator.e]\nuse = \"bfgs\"\nsort = false\n";
const char* const symmetric = "coupling = \"symmetric\"\n";

std::string ensemble(const std::string& more) {
  return "[compositor.c]\nuse = \"ensemble-chain\"\n" + more;
}

}  // namespace

TEST_CASE("QNHMC as published freezes near the mode, where a constant preconditioner does not") {
  const Run run{.replicates = 200, .warmup = 2000, .sweeps = 500};
  const Answer published = answer(
      bfgs + hamiltonian(symmetric) + ensemble("slots = 1\nmemory = \"own-history\"\n"), run);
  INFO(published.mean << " +- " << published.error << ", moved " << published.moved);
  CHECK(published.mean < 0.1);
  CHECK(published.moved < 0.05);
  check_right(answer(hamiltonian(""), run));
}

TEST_CASE("QNHMC with one matrix for ever is wrong too, and so is its limited form") {
  const std::string published = ensemble("slots = 1\nmemory = \"published\"\n");
  const std::string limited = "[estimator.e]\nuse = \"lbfgs\"\nsort = false\n";
  for (const std::string& estimator : {std::string(bfgs), limited}) {
    for (const int dimension : {1, 2}) {
      const Run run{.replicates = 2000, .warmup = 0, .sweeps = 20};
      const Answer found = answer(estimator + hamiltonian(symmetric) + published, run, dimension);
      INFO(estimator << "d = " << dimension << ": " << found.mean << " +- " << found.error
                     << ", moved " << found.moved);
      CHECK(std::abs(found.mean - exact_second_moment) > 8.0 * found.error);
    }
  }
}

TEST_CASE("the dynamics of QNHMC with a preconditioner of four other slots are right") {
  check_right(answer(bfgs + hamiltonian(symmetric) + ensemble("slots = 5\n"), {}));
}

TEST_CASE("a frozen own history is invariant but immobile, and limits cure it") {
  const Run run{.replicates = 300, .warmup = 1000, .sweeps = 500};
  const std::string frozen =
      ensemble("slots = 1\nmemory = \"own-history\"\nfreeze_after_warmup = true\n");
  const Answer stuck = answer(bfgs + hamiltonian(symmetric) + frozen, run);
  INFO(stuck.mean << " +- " << stuck.error << ", moved " << stuck.moved);
  CHECK(stuck.moved < 0.05);
  const Answer limited =
      answer(std::string(bfgs) + "eigenvalues = [0.5, 2]\n" + hamiltonian(symmetric) + frozen, run);
  check_right(limited);
  CHECK(limited.moved > 0.9);
}

TEST_CASE("slots at once from old values are wrong, in sequence or in two groups right") {
  const std::string kernel = bfgs +
                             std::string(
                                 "[kernel.k]\nuse = "
                                 "\"hamiltonian\"\nstep_size = 0.25\nsteps = 4\n") +
                             symmetric;
  check_right(answer(kernel + ensemble("slots = 3\n"), {}));
  check_right(answer(kernel + ensemble("slots = 6\nschedule = \"two-groups\"\n"), {}));
  const Answer wrong = answer(kernel + ensemble("slots = 3\nschedule = \"simultaneous\"\n"), {});
  INFO(wrong.mean << " +- " << wrong.error);
  CHECK(std::abs(wrong.mean - exact_second_moment) > 20.0 * wrong.error);
}

TEST_CASE("a momentum carried over sweeps is wrong under a mass that changes") {
  const auto carried = [](const std::string& coupling) {
    return answer(bfgs +
                      std::string("[kernel.k]\nuse = \"hamiltonian\"\nstep_size = 0.1\nsteps = 3\n"
                                  "persistence = 0.9\ncoupling = \"") +
                      coupling + "\"\n" + ensemble("slots = 3\n"),
                  {.replicates = 2000, .sweeps = 400});
  };
  check_right(carried("symmetric"));
  const Answer wrong = carried("mass");
  INFO(wrong.mean << " +- " << wrong.error);
  CHECK(std::abs(wrong.mean - exact_second_moment) > 10.0 * wrong.error);
}

TEST_CASE("a pilot's past is a right source of preconditioner, whatever the pilot samples") {
  const std::string pilot =
      "[compositor.c]\nuse = \"pilot-chain\"\npilot = \"p\"\nkernel = \"k\"\n"
      "[kernel.p]\nuse = \"hamiltonian\"\nstep_size = 0.3\nsteps = 10\nmetropolis = false\n";
  check_right(
      answer(std::string(bfgs) + "eigenvalues = [0.1, 10]\n" + hamiltonian(symmetric) + pilot,
             {.replicates = 1000, .sweeps = 400}));
}

TEST_CASE("an exact slot is right beside unadjusted ones only if they do not see it") {
  const auto mixed = [](bool feedback) {
    // Without feedback each sees only one point, and one point gives no pair.
    const std::string theirs =
        feedback ? "coupling = \"symmetric\"\nestimator = \"e\"\n" : "estimator = \"plain\"\n";
    return bfgs + ("[estimator.plain]\nuse = \"identity\"\n" + hamiltonian(symmetric)) +
           "estimator = \"e\"\n[kernel.u]\nuse = \"hamiltonian\"\nmetropolis = false\n"
           "step_size = 0.3\nsteps = 3\n" +
           theirs +
           "[compositor.c]\nuse = \"mixed-ensemble\"\nexact = \"k\"\nunadjusted = \"u\"\n"
           "feedback = " +
           (feedback ? "true\n" : "false\n");
  };
  const auto label = [&](bool feedback) {
    const auto c = composing::compose("[model.q]\nuse = \"quartic\"\n" + mixed(feedback));
    return compose(*c.compositor).certificate.now.label();
  };
  CHECK(label(false) == "exact");
  CHECK(label(true) == "biased");  // H of these pairs has no bound
  const Run run{.replicates = 2000, .sweeps = 400};
  check_right(answer(mixed(false), run));
  const Answer wrong = answer(mixed(true), run);
  INFO(wrong.mean << " +- " << wrong.error);
  CHECK(std::abs(wrong.mean - exact_second_moment) > 10.0 * wrong.error);
}

namespace {

constexpr Index usual_dimension = 10;

/// Sigma = 1 1' + 4 I, as the estimator curvature-file reads it.
std::string sigma_csv() {
  std::string text;
  for (Index i = 0; i < usual_dimension; ++i) {
    for (Index j = 0; j < usual_dimension; ++j) {
      text += std::string(j > 0 ? "," : "") + (i == j ? "5" : "1");
    }
    text += "\n";
  }
  return text;
}

/// Correlation of theta along `direction` before and after one transition of length T at
/// equilibrium, with its standard error.
std::pair<double, double> correlation(const std::string& rest, const Eigen::VectorXd& direction) {
  const Composition c = composing::compose(
      "[model.g]\nuse = \"gaussian\"\ndimension = 10\ncovariance = \"ones-plus\"\nc = 4.0\n" +
      rest);
  RunSettings settings = c.run;
  settings.seed = 9;
  settings.replicates = 20000;
  settings.init.how = Init::How::exact;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  const Eigen::RowVectorXd before = direction.transpose() * sampler.variable("theta");
  sampler.advance(PhaseKind::sampling, 1);
  const Eigen::RowVectorXd after = direction.transpose() * sampler.variable("theta");
  const double variance =
      direction.squaredNorm() * 4.0 + direction.sum() * direction.sum();  // of theta along it
  const Eigen::ArrayXd products = (before.array() * after.array()).transpose() / variance;
  const double mean = products.mean();
  const double spread = (products - mean).square().mean();
  return {mean, std::sqrt(spread / static_cast<double>(settings.replicates))};
}

}  // namespace

TEST_CASE("on a Gaussian the frequencies of QNHMC are sigma, HMC's 1 / sigma, HMC-BFGS's 1") {
  const support::TemporaryFolder folder;
  const std::string sigma = folder.file("sigma.csv", sigma_csv());
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(usual_dimension);
  Eigen::VectorXd across = Eigen::VectorXd::Zero(usual_dimension);
  across(0) = 1.0;
  across(1) = -1.0;
  const double T = 0.4;
  const auto frequency = [](const std::string& coupling, double sd) {
    if (coupling == "none") return 1.0 / sd;
    return coupling == "symmetric" ? sd : 1.0;
  };
  for (const std::string coupling : {"none", "mass", "factor", "symmetric"}) {
    const std::string estimator =
        coupling == "none"
            ? ""
            : "coupling = \"" + coupling +
                  "\"\n[estimator.e]\nuse = \"curvature-file\"\nfile = \"" + sigma + "\"\n";
    const std::string rest =
        "[kernel.k]\nuse = \"hamiltonian\"\nstep_size = 0.01\nsteps = 40\n" + estimator;
    for (const bool along : {true, false}) {
      const auto [found, error] = correlation(rest, along ? ones : across);
      const double wanted = std::cos(T * frequency(coupling, along ? std::sqrt(14.0) : 2.0));
      INFO(coupling << (along ? " along 1: " : " across: ") << found << " +- " << error
                    << ", cos(omega T) = " << wanted);
      CHECK(std::abs(found - wanted) < 5.0 * error + 1e-3);
    }
  }
}
