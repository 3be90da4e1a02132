// Minibatches of differences to a reference point: unbiased, and without noise at the reference.
// SPDX-License-Identifier: Apache-2.0
#include "oracle_contract.hpp"

#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/run.hpp>

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace mixwell;
using oracle_contract::OracleLaw;
using support::contains;

namespace {

constexpr Index seed_count = 20000;

std::string oracle(const std::string& lines, const std::string& use = "control-variate") {
  return "[oracle.o]\nuse = \"" + use + "\"\nsize = 7\n" + lines;
}

std::string with_replacement(bool replacement) {
  return std::string("replacement = ") + (replacement ? "true\n" : "false\n");
}

std::vector<std::string> models(const support::TemporaryFolder& folder) {
  return {"[model.m]\nuse = \"linear-gaussian\"\ncases = 30\ndimension = 3\n",
          oracle_contract::logistic(folder),
          "[model.m]\nuse = \"probit-regression\"\ncases = 25\ndimension = 2\n"};
}

/// A table with one position, all ones.
std::string ones_of(const Model& model) {
  std::string names, values;
  for (const std::string& name : coordinate_names(model.parameters())) {
    names += (names.empty() ? "" : ",") + name;
    values += values.empty() ? "1" : ",1";
  }
  return names + "\n" + values + "\n";
}

/// U and grad U over seeds at one point.
struct Sample {
  Eigen::MatrixXd g;
  Eigen::RowVectorXd u;
};

Sample sample(const OracleLaw& law, const Eigen::VectorXd& at, Index count = seed_count) {
  Sample all{Eigen::MatrixXd(law.dimension(), count), Eigen::RowVectorXd(count)};
  const Eigen::MatrixXd seeds = law.seeds(count);
  Workspace scratch;
  law->evaluate(Numbers{ConstBatch(seeds)}, at.replicate(1, count), {all.u.data(), all.g, scratch});
  return all;
}

double z(const Eigen::RowVectorXd& values, double wanted) {
  const auto n = static_cast<double>(values.size());
  const double variance = (values.array() - values.mean()).square().sum() / (n - 1.0);
  return (values.mean() - wanted) / std::sqrt(variance / n);
}

/// Mean squared distance of the gradients from their mean.
double noise(const Sample& s) {
  return (s.g.colwise() - s.g.rowwise().mean()).squaredNorm() / static_cast<double>(s.g.cols());
}

Eigen::VectorXd mode_of(const OracleLaw& law) {
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(law.dimension());
  Workspace scratch;
  const Index d = law.dimension();
  for (int step = 0; step < 30; ++step) {
    Eigen::MatrixXd g(d, 1 + d);
    Eigen::MatrixXd points = theta.replicate(1, 1 + d);
    points.rightCols(d) += 1e-6 * Eigen::MatrixXd::Identity(d, d);
    law.model().evaluate(points, {nullptr, g, scratch});
    const Eigen::MatrixXd hessian = (g.rightCols(d).colwise() - g.col(0)) / 1e-6;
    theta -= hessian.partialPivLu().solve(g.col(0));
  }
  return theta;
}

std::string refusal(const std::string& body) {
  try {
    const OracleLaw law(body);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a control variate is right in the mean, for U and its gradient") {
  const support::TemporaryFolder folder;
  for (const std::string& model : models(folder)) {
    for (const bool replacement : {false, true}) {
      const OracleLaw law(model + oracle(with_replacement(replacement)));
      const Eigen::VectorXd at = law.points(1);
      const Sample s = sample(law, at);
      INFO(model << with_replacement(replacement));
      CHECK(std::abs(z(s.u, law.whole_potential())) <= 5.0);
      for (Index i = 0; i < law.dimension(); ++i) {
        CHECK(std::abs(z(s.g.row(i), law.whole_gradient()(i))) <= 5.0);
      }
      // Mutant: forgets the gradient of the reference itself, which is not 0 for a file.
      const std::string file =
          "reference = \"" + folder.file("away.csv", ones_of(law.model())) + "\"\n";
      const OracleLaw away(model + oracle(with_replacement(replacement) + file));
      const Sample other = sample(away, at);
      Eigen::MatrixXd forgotten(law.dimension(), 1);
      Workspace scratch;
      law.model().evaluate(Eigen::MatrixXd::Ones(law.dimension(), 1),
                           {nullptr, forgotten, scratch});
      double worst = 0.0;
      for (Index i = 0; i < law.dimension(); ++i) {
        CHECK(std::abs(z(other.g.row(i), law.whole_gradient()(i))) <= 5.0);
        worst =
            std::max(worst, std::abs(z(other.g.row(i), law.whole_gradient()(i) - forgotten(i, 0))));
      }
      CHECK(worst > 8.0);
    }
  }
}

TEST_CASE("a control variate has no noise at its reference, and little near it") {
  const support::TemporaryFolder folder;
  for (const std::string& model : models(folder)) {
    const OracleLaw law(model + oracle(""));
    const OracleLaw plain(model + oracle("", "minibatch"));
    const Eigen::VectorXd mode = mode_of(law);
    INFO(model);
    CHECK(noise(sample(law, mode, 100)) <= 1e-9 * noise(sample(plain, mode, 100)));
    CHECK(sample(law, mode, 1).g.norm() <= 1e-5);
    const Eigen::VectorXd near = mode + Eigen::VectorXd::Constant(law.dimension(), 0.05);
    const double here = noise(sample(law, near));
    CHECK(here > 0.0);
    CHECK(here < 0.05 * noise(sample(plain, near)));
    // At twice the distance there is four times the noise, apart from the curvature of the terms.
    const Eigen::VectorXd twice = mode + Eigen::VectorXd::Constant(law.dimension(), 0.1);
    CHECK(noise(sample(law, twice)) / here == Approx(4.0).epsilon(0.2));
  }
}

TEST_CASE("a control variate tells the covariance of its gradient") {
  const support::TemporaryFolder folder;
  for (const std::string& model : models(folder)) {
    for (const bool replacement : {false, true}) {
      const OracleLaw law(model + oracle(with_replacement(replacement)));
      const Index d = law.dimension();
      Sample s = sample(law, law.points(1));
      s.g.colwise() -= law.whole_gradient();
      Eigen::MatrixXd told(d, seed_count);
      const Eigen::MatrixXd seeds = law.seeds(seed_count);
      Workspace scratch;
      law->as_noise()->covariance_diagonal(Numbers{ConstBatch(seeds)}, law.points(seed_count), 0,
                                           told, scratch);
      for (Index i = 0; i < d; ++i) {
        const Eigen::RowVectorXd squares = s.g.row(i).cwiseAbs2();
        CHECK(std::abs(z(squares - told.row(i), 0.0)) <= 5.0);
        CHECK(std::abs(z(squares - 6.0 / 7.0 * told.row(i), 0.0)) > 8.0);
      }
    }
  }
}

TEST_CASE("an evaluation of a control variate counts as two minibatches") {
  const support::TemporaryFolder folder;
  const std::string model = oracle_contract::logistic(folder);
  CHECK(OracleLaw(model + oracle(""))->gradient_cost() == Approx(2.0 * 7.0 / 60.0));
}

TEST_CASE("Langevin dynamics with a control variate is asymptotic, shared or not") {
  const support::TemporaryFolder folder;
  for (const char* shared : {"", "shared = true\n"}) {
    const Composition c =
        composing::compose(oracle_contract::logistic(folder) + oracle(shared) +
                           "[kernel.k]\nuse = \"langevin\"\n"
                           "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 2\n");
    CHECK(compose(*c.compositor).certificate.now.label() == "asymptotic");
  }
}

TEST_CASE("a reference may be the mean of an earlier run's draws") {
  const support::TemporaryFolder folder;
  const std::string model = oracle_contract::logistic(folder);
  const Composition pilot =
      composing::compose("[run]\nwarmup = 100\ndraws = 200\n" + model +
                         "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                         "\"hamiltonian\"\nsteps = 10\ntarget_acceptance = 0.8\n");
  RunOptions options;
  options.folder = folder.path() + "/pilot";
  run(pilot, options);
  const DrawsFile draws(options.folder);
  Eigen::VectorXd mean(3);
  Index row = 0;
  for (const Column& column : draws.columns()) {
    if (column.group == RecordGroup::posterior && row < 3)
      mean(row++) = draws.read(column, 0).mean();
  }
  REQUIRE(row == 3);
  const OracleLaw law(model + oracle("reference = \"" + options.folder + "/draws.nc\"\n"));
  const Sample s = sample(law, mean, 50);
  CHECK(noise(s) <= 1e-20);
}

TEST_CASE("references that cannot be are refused with what is wanted") {
  const support::TemporaryFolder folder;
  const std::string model = oracle_contract::logistic(folder);
  const auto with_file = [&](const std::string& text) {
    return refusal(model + oracle("reference = \"" + folder.file("r.csv", text) + "\"\n"));
  };
  CHECK(contains(with_file("intercept,a\n1,2\n"), "r.csv: 1 of 3 coordinates have no column"));
  CHECK(contains(with_file("intercept,a,c\n1,2,3\n"), "r.csv: the column \"c\": the model has no"));
  CHECK(contains(with_file("b,a,intercept\n1,2,x\n"), "r.csv:2"));
  CHECK(contains(refusal(model + oracle("reference = \"nowhere.csv\"\n")), "no such file"));
  CHECK(contains(refusal("[model.m]\nuse = \"quartic\"\n" + oracle("")), "as a sum over cases"));
  CHECK(contains(
      refusal(model + "[oracle.o]\nuse = \"control-variate\"\nsize = 61\n"),
      "cannot draw size = 61 cases without replacement, because the data have only 60 cases"));
  const Composition c = composing::compose(model + oracle("") + "[kernel.k]\nuse = \"langevin\"\n");
  CHECK(contains(c.effective_manifest, "reference = \"map\""));
}
