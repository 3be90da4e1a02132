// Densities in C++ against the same models in Stan: gradients, and the draws of a hierarchy.
// Skipped without stanli.
// SPDX-License-Identifier: Apache-2.0
#include "../stan/engines.hpp"
#include "../unit/support.hpp"
#include "composing.hpp"

#include <mixwell/data/data.hpp>
#include <mixwell/density.hpp>
#include <mixwell/lab/run.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

namespace {

using namespace mixwell;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const std::string outside = MIXWELL_SOURCE_DIR "/examples/outside/poisson-hierarchy";

using engines::need_stanli;

/// With three decimals, which both sides read alike.
MatrixXd normals(Index rows, Index cols, const std::string& name) {
  MatrixXd x(rows, cols);
  Stream(4, "test/stan-densities/" + name).normals({}, x);
  return (1000 * x.array()).round() / 1000;
}

std::string json(const VectorXd& numbers) {
  std::ostringstream text;
  text.precision(17);
  for (Index n = 0; n < numbers.size(); ++n) text << (n == 0 ? "[" : ", ") << numbers[n];
  return text.str() + "]";
}

std::string json_of_rows(const MatrixXd& matrix) {
  std::string text;
  for (Index n = 0; n < matrix.rows(); ++n)
    text += (n == 0 ? "[" : ", ") + json(matrix.row(n).transpose());
  return text + "]";
}

std::string stan_keys(const std::string& folder) {
  return "use = \"stan\"\nengine = \"interpret\"\nprogram = \"" + folder + "/x.stan\"\ndata = \"" +
         folder + "/x.data.json\"\n";
}

void write_program(const std::string& folder, const std::string& program, const std::string& data) {
  std::ofstream(folder + "/x.stan") << program;
  std::ofstream(folder + "/x.data.json") << data;
}

/// Gradients, and U but for a constant, at points of the same coordinates: Stan's matrices go
/// column by column, so that ours are arrays of rows there.
void compare(const Model& density, const std::string& program, const std::string& data) {
  const support::TemporaryFolder folder;
  write_program(folder.path(), program, data);
  const auto stan = support::make_model(stan_keys(folder.path()));
  REQUIRE(stan->dimension() == density.dimension());
  const MatrixXd theta = 0.7 * normals(density.dimension(), 12, "theta");
  const auto ours = support::evaluate(density, theta);
  const auto theirs = support::evaluate(*stan, theta);
  CHECK(ours.g.allFinite());
  for (Index j = 0; j < theta.cols(); ++j) {
    INFO("column " << j);
    CHECK((ours.g.col(j) - theirs.g.col(j)).cwiseAbs().maxCoeff() <=
          1e-10 * (1 + theirs.g.col(j).cwiseAbs().maxCoeff()));
    const double apart = (ours.u[j] - ours.u[0]) - (theirs.u[j] - theirs.u[0]);
    CHECK(std::abs(apart) <= 1e-10 * (1 + std::abs(theirs.u[j]) + std::abs(theirs.u[0])));
  }
}

class Schools final : public DensityModel<Schools> {
 public:
  template <class S>
  S log_prior(const Values<S>& at) const {
    return normal_lpdf(at(mu_), 0, 5) + cauchy_lpdf(at(tau_), 0, 5) + std_normal_lpdf(at(z_));
  }
  Index cases() const { return 8; }
  template <class S>
  S log_likelihood(const Values<S>& at, Index n) const {
    return normal_lpdf(y[n], at(mu_) + at(tau_) * at(z_)[n], sigma[n]);
  }
  const VectorXd y{{28, 8, -3, 7, -1, 1, 18, 12}};
  const VectorXd sigma{{15, 10, 16, 11, 9, 11, 10, 18}};

 private:
  Scalar mu_ = scalar("mu"), tau_ = scalar("tau", Constraint::positive());
  Vector z_ = vector("z", 8);
};

class Logistic final : public DensityModel<Logistic> {
 public:
  template <class S>
  S log_prior(const Values<S>& at) const {
    return normal_lpdf(at(beta_), 0, 10);
  }
  Index cases() const { return X.rows(); }
  template <class S>
  S log_likelihood(const Values<S>& at, Index n) const {
    return bernoulli_logit_lpmf(n % 3 == 0 ? 1 : 0, dot(X.row(n), at(beta_)));
  }
  const MatrixXd X = normals(300, 25, "X");

 private:
  Vector beta_ = vector("beta", 25);
};

/// Slopes that vary by group, with a correlation.
class Groups final : public DensityModel<Groups> {
 public:
  template <class S>
  S log_prior(const Values<S>& at) const {
    return normal_lpdf(at(beta_), 0, 2) + normal_lpdf(at(tau_), 0, 1) +
           lkj_corr_cholesky_lpdf(at(L_), 2) + sum_of_rows(at(z_)) + normal_lpdf(at(sigma_), 0, 1);
  }
  Index cases() const { return x.size(); }
  template <class S>
  S log_likelihood(const Values<S>& at, Index n) const {
    const Index g = n % 6;
    const S first = at(tau_)[0] * at(z_)(0, g);
    const S second = at(tau_)[1] * (at(L_)(1, 0) * at(z_)(0, g) + at(L_)(1, 1) * at(z_)(1, g));
    return normal_lpdf(y[n], at(beta_)[0] + first + (at(beta_)[1] + second) * x[n], at(sigma_));
  }
  const VectorXd x = normals(60, 1, "x");
  const VectorXd y = normals(60, 1, "y");

 private:
  template <class S>
  static S sum_of_rows(const MatrixView<S>& z) {
    return std_normal_lpdf(z.row(0)) + std_normal_lpdf(z.row(1));
  }

  Vector beta_ = vector("beta", 2);
  Vector tau_ = vector("tau", 2, Constraint::positive());
  Matrix L_ = matrix("L", 2, 2, Constraint::cholesky_correlation());
  Matrix z_ = matrix("z", 2, 6);
  Scalar sigma_ = scalar("sigma", Constraint::positive());
};

/// Counts that vary more than a Poisson distribution allows, and numbers with heavy-tailed noise.
class Counts final : public DensityModel<Counts> {
 public:
  template <class S>
  S log_prior(const Values<S>& at) const {
    return student_t_lpdf(at(alpha_), 3, 0, 2.5) + normal_lpdf(at(beta_), 0, 1) +
           gamma_lpdf(at(phi_), 2, 0.5) + beta_lpdf(at(share_), 2, 3) +
           exponential_lpdf(at(nu_), 0.1);
  }
  Index cases() const { return count.size(); }
  template <class S>
  S log_likelihood(const Values<S>& at, Index n) const {
    const S eta = at(alpha_) + dot(X.row(n), at(beta_));
    return neg_binomial_2_log_lpmf(count[n], eta, at(phi_)) +
           binomial_logit_lpmf(count[n], 9, logit(at(share_)) + eta) +
           student_t_lpdf(y[n], at(nu_), eta, at(phi_));
  }
  const MatrixXd X = normals(40, 3, "counts");
  const VectorXd y = normals(40, 1, "noise");
  const VectorXd count = (2 * normals(40, 1, "count").array().abs()).round();

 private:
  Scalar alpha_ = scalar("alpha");
  Vector beta_ = vector("beta", 3);
  Scalar phi_ = scalar("phi", Constraint::positive());
  Scalar share_ = scalar("share", Constraint::interval(0, 1));
  Scalar nu_ = scalar("nu", Constraint::lower(1));
};

/// Two states by the forward algorithm: no product over cases.
class HiddenMarkov final : public DensityModel<HiddenMarkov> {
 public:
  template <class S>
  S log_density(const Values<S>& at) const {
    const S stay = at(stay_);
    S low = normal_lpdf(y[0], at(mu_)[0], 1);
    S high = normal_lpdf(y[0], at(mu_)[1], 1);
    for (Index t = 1; t < y.size(); ++t) {
      const S next_low = log_sum_exp(low + log(stay), high + log1m(stay));
      const S next_high = log_sum_exp(low + log1m(stay), high + log(stay));
      low = next_low + normal_lpdf(y[t], at(mu_)[0], 1);
      high = next_high + normal_lpdf(y[t], at(mu_)[1], 1);
    }
    return log_sum_exp(low, high) + std_normal_lpdf(at(mu_)) + beta_lpdf(stay, 4, 2);
  }
  const VectorXd y = normals(50, 1, "chain");

 private:
  Scalar stay_ = scalar("stay", Constraint::interval(0, 1));
  Vector mu_ = vector("mu", 2, Constraint::ordered());
};

/// Of the data that poisson-hierarchy.csv has.
std::string hierarchy_data() {
  const CsvTable table(outside + ".csv");
  const Categories group = table.categories("group");
  VectorXd codes(static_cast<Index>(group.codes.size()));
  for (Index n = 0; n < codes.size(); ++n)
    codes[n] = static_cast<double>(group.codes[static_cast<std::size_t>(n)] + 1);
  return "{\"N\": " + std::to_string(codes.size()) +
         ", \"G\": " + std::to_string(group.levels.size()) + ", \"group\": " + json(codes) +
         ", \"x\": " + json(table.numbers("x")) + ", \"y\": " + json(table.numbers("y")) + "}";
}

std::string program_in(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<SummaryRow> rows(const std::string& keys) {
  const support::TemporaryFolder folder;
  const Composition composition = parse_manifest(
      "mixwell = 1\n[run]\nseed = 5\n[model.counts]\n" + keys, "x.toml", composing::registry());
  return run(composition, {.folder = folder.path() + "/run"}).summary.value().variables;
}

}  // namespace

TEST_CASE("densities of schools, a logistic regression and varying slopes have Stan's gradients",
          "[stan][density]") {
  need_stanli();
  const Schools schools;
  compare(schools, program_in(MIXWELL_SOURCE_DIR "/examples/stan/eight-schools.stan"),
          "{\"J\": 8, \"y\": " + json(schools.y) + ", \"sigma\": " + json(schools.sigma) + "}");
  const Logistic logistic;
  VectorXd hits(300);
  for (Index n = 0; n < 300; ++n) hits[n] = n % 3 == 0 ? 1 : 0;
  compare(logistic,
          "data { matrix[300, 25] X; array[300] int hit; }\nparameters { vector[25] beta; }\n"
          "model { beta ~ normal(0, 10); hit ~ bernoulli_logit(X * beta); }\n",
          "{\"hit\": " + json(hits) + ", \"X\": " + json_of_rows(logistic.X) + "}");
  const Groups groups;
  VectorXd codes(60);
  for (Index n = 0; n < 60; ++n) codes[n] = static_cast<double>(n % 6 + 1);
  compare(groups,
          "data { array[60] int group; vector[60] x; vector[60] y; }\n"
          "parameters { vector[2] beta; vector<lower=0>[2] tau; cholesky_factor_corr[2] L; "
          "array[2] row_vector[6] z; real<lower=0> sigma; }\n"
          "transformed parameters { matrix[2, 6] all; all[1] = z[1]; all[2] = z[2];\n"
          "  matrix[2, 6] b = rep_matrix(beta, 6) + diag_pre_multiply(tau, L) * all; }\n"
          "model { beta ~ normal(0, 2); tau ~ normal(0, 1); L ~ lkj_corr_cholesky(2); "
          "z[1] ~ std_normal(); z[2] ~ std_normal(); sigma ~ normal(0, 1);\n"
          "  for (n in 1:60) y[n] ~ normal(b[1, group[n]] + b[2, group[n]] * x[n], sigma); }\n",
          "{\"group\": " + json(codes) + ", \"x\": " + json(groups.x) +
              ", \"y\": " + json(groups.y) + "}");
}

TEST_CASE("densities of counts and of a hidden Markov chain have Stan's gradients",
          "[stan][density]") {
  need_stanli();
  const Counts counts;
  compare(counts,
          "data { matrix[40, 3] X; vector[40] y; array[40] int count; }\n"
          "parameters { real alpha; vector[3] beta; real<lower=0> phi; "
          "real<lower=0, upper=1> share; real<lower=1> nu; }\n"
          "model { vector[40] eta = alpha + X * beta; alpha ~ student_t(3, 0, 2.5); "
          "beta ~ normal(0, 1); phi ~ gamma(2, 0.5); share ~ beta(2, 3); nu ~ exponential(0.1);\n"
          "  count ~ neg_binomial_2_log(eta, phi); count ~ binomial_logit(9, logit(share) + eta);\n"
          "  y ~ student_t(nu, eta, phi); }\n",
          "{\"X\": " + json_of_rows(counts.X) + ", \"y\": " + json(counts.y) +
              ", \"count\": " + json(counts.count) + "}");
  const HiddenMarkov chain;
  compare(chain,
          "data { vector[50] y; }\nparameters { real<lower=0, upper=1> stay; ordered[2] mu; }\n"
          "model { mu ~ std_normal(); stay ~ beta(4, 2);\n"
          "  real low = normal_lpdf(y[1] | mu[1], 1); real high = normal_lpdf(y[1] | mu[2], 1);\n"
          "  for (t in 2:50) {\n"
          "    real a = log_sum_exp(low + log(stay), high + log1m(stay));\n"
          "    real b = log_sum_exp(low + log1m(stay), high + log(stay));\n"
          "    low = a + normal_lpdf(y[t] | mu[1], 1); high = b + normal_lpdf(y[t] | mu[2], 1);\n"
          "  }\n  target += log_sum_exp(low, high); }\n",
          "{\"y\": " + json(chain.y) + "}");
}

// Each of 100 comparisons fails by chance with probability 6e-5, whichever engine draws.
TEST_CASE("the hierarchy of the tutorial has Stan's gradient, and Stan's draws",
          "[stan][density]") {
  need_stanli();
  const std::string keys = "use = \"poisson-hierarchy\"\ndata = \"" + outside + ".csv\"\n";
  const std::string program = program_in(outside + ".stan");
  const auto density = composing::compose("[model.counts]\n" + keys).model();
  compare(*density, program, hierarchy_data());
  const support::TemporaryFolder folder;
  write_program(folder.path(), program, hierarchy_data());
  const auto ours = rows(keys);
  const auto theirs = rows(stan_keys(folder.path()));
  REQUIRE(ours.size() == theirs.size());
  for (std::size_t k = 0; k < ours.size(); ++k) {
    INFO(ours[k].name << " and " << theirs[k].name);
    CHECK(ours[k].name.substr(0, 2) == theirs[k].name.substr(0, 2));
    const auto& a = ours[k].standard;
    const auto& b = theirs[k].standard;
    CHECK(std::abs(a.mean - b.mean) < 4 * std::hypot(a.mcse_mean, b.mcse_mean));
    CHECK(std::abs(a.sd - b.sd) < 4 * std::hypot(a.mcse_sd, b.mcse_sd));
  }
}
