// What models give for the cases of their data: log likelihoods one by one, newly drawn data, the
// prior. A z-score exceeds 5 by chance with probability 6e-7; there are about 200.
// SPDX-License-Identifier: Apache-2.0
#include "guests.hpp"
#include "support.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/density.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/run.hpp>

#include <Eigen/LU>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <numeric>

using namespace mixwell;

namespace {

/// Counts in groups, with the `names` of data that are given.
class Visits final : public DensityModel<Visits> {
 public:
  struct Params {
    std::int64_t cases = 6;
    bool shows = true;
    void declare(Fields& fields) {
      fields.integer("cases", cases).at_least(1).help("how many");
      fields.flag("shows", shows).help("name what was observed");
    }
  };
  explicit Visits(const Params& params) : y_(params.cases), x_(params.cases) {
    for (Index n = 0; n < y_.size(); ++n) {
      y_[n] = static_cast<double>((5 * n) % 7);
      x_[n] = std::cos(static_cast<double>(n));
    }
    if (!params.shows) return;
    std::vector<std::string> days;
    for (Index n = 0; n < y_.size(); ++n) days.push_back("day " + std::to_string(n));
    observe("visits", y_, {"day", days});
    constant("x", x_, {"day", days});
  }
  template <class S>
  S log_prior(const Values<S>& at) const {
    return normal_lpdf(at(alpha_), 0.3, 0.5) + gamma_lpdf(at(scale_), 3, 2);
  }
  Index cases() const { return y_.size(); }
  template <class S>
  S log_likelihood(const Values<S>& at, Index n) const {
    return poisson_log_lpmf(y_[n], at(alpha_) + at(scale_) * x_[n]);
  }
  double draw_case(const Values<double>& at, Index n, RandomNumbers& random) const {
    return draw_poisson(random, std::exp(at(alpha_) + at(scale_) * x_[n]));
  }

 private:
  Eigen::VectorXd y_, x_;
  Scalar alpha_ = scalar("alpha");
  Scalar scale_ = scalar("scale", Constraint::positive());
};

/// The same without draws, where what was observed is not one number for each case.
class Misnamed final : public DensityModel<Misnamed> {
 public:
  explicit Misnamed(bool twice = false) {
    observe("y", Eigen::VectorXd::Ones(3));
    if (twice) observe("z", Eigen::VectorXd::Ones(3));
  }
  template <class S>
  S log_prior(const Values<S>& at) const {
    return std_normal_lpdf(at(x_));
  }
  Index cases() const { return 4; }
  template <class S>
  S log_likelihood(const Values<S>& at, Index) const {
    return std_normal_lpdf(at(x_));
  }

 private:
  Scalar x_ = scalar("x");
};

const Registry& registry_with_visits() {
  static const Registry all = [] {
    Registry registry = Registry::load(guests::with_default_folders());
    Entry entry;
    entry.kind = Kind::model;
    entry.description.id = "visits";
    entry.library = registry.find(Kind::model, "gaussian").library;
    entry.blueprint = [] { return std::make_unique<BlueprintOf<Visits>>(); };
    registry.add(std::move(entry));
    return registry;
  }();
  return all;
}

Composition composed(const std::string& model, const std::string& run = "") {
  return parse_manifest(
      "mixwell = 1\n[run]\nwarmup = 200\ndraws = 1000\n" + run + "[model.target]\n" + model + "\n",
      "test.toml", registry_with_visits());
}

RunResult run_in(const std::string& folder, const Composition& composition, int threads = 1) {
  RunOptions options;
  options.folder = folder;
  options.threads = threads;
  return run(composition, options);
}

/// (draws chains) x elements of a variable.
Eigen::MatrixXd read(const DrawsFile& file, RecordGroup group, const std::string& name) {
  for (const Column& column : file.columns()) {
    if (column.group != group || column.name != name) continue;
    const Eigen::MatrixXd all = file.read(column, 0, column.size());
    return all.reshaped(file.draws() * file.chains(), column.size());
  }
  FAIL("no variable " << name);
  return {};
}

std::vector<std::string> names_of(const DrawsFile& file, RecordGroup group) {
  std::vector<std::string> names;
  for (const Column& column : file.columns())
    if (column.group == group) names.push_back(column.name);
  return names;
}

std::string refusal_of(const std::string& model, const std::string& run) {
  try {
    composed(model, run);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// q x w values that a model generates.
Eigen::MatrixXd generated(const Model& model, const Eigen::MatrixXd& theta) {
  Index rows = 0;
  for (const Parameter& one : model.offers<Generated>()->generated()) rows += one.size();
  Eigen::MatrixXd out(rows, theta.cols());
  model.offers<Generated>()->generate(theta, Stream(3, "test/generated"), {}, out);
  return out;
}

const std::string simulated_probit = "use = \"probit-regression\"\ncases = 12\ndimension = 2\n";
const std::string simulated_normal = "use = \"linear-gaussian\"\ncases = 12\ndimension = 2\n";
const std::string simulated_counts =
    "use = \"beta-binomial\"\ncases = 12\nsizes = [3, 8]\nm = 0.4\nK = 5\n";
const std::string simulated_latent = "use = \"probit-latent\"\ncases = 12\ndimension = 2\n";
const std::string disasters = "use = \"changepoint\"\ncounts = [4, 5, 2, 0, 1, 0]\n";
const std::string mixtures = "use = \"ica\"\ncases = 9\nchannels = 2\n";
const std::string schools = "use = \"normal-groups\"\nvalues = [28, 8, -3]\nsds = [15, 10, 16]\n";

/// Where all of them have their labels drawn from.
Eigen::MatrixXd many_of(const Model& model, Index w) {
  Eigen::MatrixXd theta(model.dimension(), 1);
  model.initial(Stream(5, "test/start"), {}, theta);
  return theta.replicate(1, w);
}

}  // namespace

TEST_CASE("a density keeps the contract with what it generates", "[predictive]") {
  const auto findings = contracts::check_model(Visits({}));
  INFO(contracts::report(findings));
  CHECK(contracts::all_hold(findings));
}

TEST_CASE("built-in models keep the contract with what they generate", "[predictive]") {
  for (const std::string& text : {simulated_probit, simulated_latent, simulated_normal,
                                  simulated_counts, schools, disasters, mixtures}) {
    const auto findings = contracts::check_model(*composed(text).model());
    INFO(text << contracts::report(findings));
    CHECK(contracts::all_hold(findings));
  }
}

TEST_CASE("log likelihoods of cases are those of the density", "[predictive]") {
  const Visits model({});
  const Eigen::MatrixXd theta{{0.2}, {std::log(1.5)}};
  const Eigen::MatrixXd out = generated(model, theta);
  REQUIRE(out.rows() == 12);
  for (Index n = 0; n < 6; ++n) {
    const double eta = 0.2 + 1.5 * std::cos(static_cast<double>(n));
    const double y = static_cast<double>((5 * n) % 7);
    CHECK(out(n, 0) == Approx(y * eta - std::exp(eta) - std::lgamma(y + 1)));
  }
}

TEST_CASE("a density's cases are drawn from their law", "[predictive]") {
  const Visits model({});
  const Eigen::MatrixXd theta = Eigen::Vector2d(0.2, std::log(1.5)).replicate(1, 20000);
  const Eigen::MatrixXd drawn = generated(model, theta).bottomRows(6);
  for (Index n = 0; n < 6; ++n) {
    const double mean = std::exp(0.2 + 1.5 * std::cos(static_cast<double>(n)));
    const Eigen::ArrayXd y = drawn.row(n).transpose();
    CHECK(std::abs(support::z_score(y, mean)) < 5);
    CHECK(std::abs(support::z_score((y - mean).square(), mean)) < 5);
    CHECK(std::abs(support::z_score((y == 0).cast<double>(), std::exp(-mean))) < 5);
    const Eigen::ArrayXd other = drawn.row((n + 1) % 6).transpose();
    CHECK(std::abs(support::z_score((y - mean) * (other - other.mean()), 0)) < 5);
  }
}

// E exp(-log p(y | theta)) over draws y from a distribution on finitely many values is their
// number.
TEST_CASE("labels are drawn with the probabilities that their log likelihoods tell",
          "[predictive]") {
  for (const std::string& text : {simulated_probit, simulated_latent}) {
    const auto model = composed(text).model();
    const Eigen::MatrixXd out = generated(*model, many_of(*model, 20000));
    const std::vector<double> seen = model->observed_data().front().values;
    double largest = 0;
    for (Index n = 0; n < 12; ++n) {
      const double y = seen[static_cast<std::size_t>(n)];
      const Eigen::ArrayXd same = (out.row(12 + n).transpose().array() == y).cast<double>();
      const double p = std::exp(out(n, 0));
      CHECK(std::abs(support::z_score(same, p)) < 5);
      largest = std::max(largest, std::abs(support::z_score(same, 1 - p)));
    }
    CHECK(largest > 50);  // labels the other way round
  }
}

// Phi(x beta) is the same whatever the latent variables are.
TEST_CASE("latent variables have no part in the log likelihoods of their labels", "[predictive]") {
  const auto model = composed(simulated_latent).model();
  Eigen::MatrixXd theta = many_of(*model, 2);
  theta.col(1).tail(12) *= 3;
  const Eigen::MatrixXd out = generated(*model, theta).topRows(12);
  CHECK(out.col(0) == out.col(1));
  theta.col(1).head(2).array() += 1;
  CHECK((generated(*model, theta).topRows(12).col(1) - out.col(0)).norm() > 0.1);
}

TEST_CASE("counts before and after a change have their own rates", "[predictive]") {
  const auto model = composed(disasters).model();
  const Eigen::MatrixXd theta =
      Eigen::Vector3d(3, std::log(3.5), std::log(0.4)).replicate(1, 20000);
  const Eigen::MatrixXd out = generated(*model, theta);
  const std::vector<double> seen = model->observed_data().front().values;
  for (Index t = 0; t < 6; ++t) {
    const double rate = t < 3 ? 3.5 : 0.4;
    const double y = seen[static_cast<std::size_t>(t)];
    CHECK(out(t, 0) == Approx(y * std::log(rate) - rate - std::lgamma(y + 1)));
    const Eigen::ArrayXd drawn = out.row(6 + t).transpose();
    CHECK(std::abs(support::z_score(drawn, rate)) < 5);
    CHECK(std::abs(support::z_score((drawn - rate).square(), rate)) < 5);
    CHECK(std::abs(support::z_score((drawn == y).cast<double>(), std::exp(out(t, 0)))) < 5);
    CHECK(std::abs(support::z_score(drawn, t < 3 ? 0.4 : 3.5)) > 5);  // the sides exchanged
  }
}

/// Sources W x of newly drawn cases are logistic, with variance pi^2 / 3, for every W.
TEST_CASE("mixtures are drawn from the sources that their log likelihoods are of", "[predictive]") {
  const auto model = composed(mixtures).model();
  const Eigen::Matrix2d W{{1.5, -0.4}, {0.3, 0.8}};
  const Eigen::MatrixXd theta = Eigen::Vector4d(1.5, -0.4, 0.3, 0.8).replicate(1, 20000);
  const Eigen::MatrixXd out = generated(*model, theta);
  const std::vector<double> seen = model->observed_data().front().values;
  const double variance = M_PI * M_PI / 3;
  for (Index n = 0; n < 9; ++n) {
    const Eigen::Vector2d s = W * Eigen::Map<const Eigen::Vector2d>(seen.data() + 2 * n);
    const double log_density = -2 * (2 * (s / 2).array().cosh()).log().sum();
    CHECK(out(n, 0) == Approx(log_density + std::log(W.determinant())).epsilon(1e-12));
    const Eigen::MatrixXd sources = W * out.middleRows(9 + 2 * n, 2);
    for (Index i = 0; i < 2; ++i) {
      const Eigen::ArrayXd one = sources.row(i).transpose();
      CHECK(std::abs(support::z_score(one, 0)) < 5);
      CHECK(std::abs(support::z_score(one.square(), variance)) < 5);
      CHECK(std::abs(support::z_score((one > std::log(3.0)).cast<double>(), 0.25)) < 5);
    }
    const Eigen::ArrayXd both = sources.row(0).cwiseProduct(sources.row(1)).transpose();
    CHECK(std::abs(support::z_score(both, 0)) < 5);
  }
}

TEST_CASE("normal cases are drawn about their means with their deviations", "[predictive]") {
  for (const std::string& text : {simulated_normal, schools}) {
    const auto model = composed(text).model();
    const Eigen::MatrixXd out = generated(*model, many_of(*model, 20000));
    const Index N = out.rows() / 2;
    const std::vector<double> seen = model->observed_data().front().values;
    const std::vector<double> sds = text == schools ? model->constant_data().front().values
                                                    : std::vector<double>(12, std::sqrt(10.0));
    for (Index n = 0; n < N; ++n) {
      const double sd = sds[static_cast<std::size_t>(n)];
      const double square = -2 * (out(n, 0) + std::log(sd * std::sqrt(2 * M_PI)));
      const Eigen::ArrayXd y = out.row(N + n).transpose();
      const Eigen::ArrayXd off = (y - seen[static_cast<std::size_t>(n)]) / sd;
      // off ~ N(m, 1) with m^2 known from the log likelihood.
      CHECK(std::abs(support::z_score(off.square(), 1 + square)) < 5);
      CHECK(std::abs(support::z_score((off - off.mean()).square(), 1)) < 5);
    }
  }
}

TEST_CASE("overdispersed counts are drawn with their probabilities", "[predictive]") {
  const auto model = composed(simulated_counts).model();
  const Eigen::MatrixXd out = generated(*model, many_of(*model, 20000));
  const std::vector<double> seen = model->observed_data().front().values;
  for (Index n = 0; n < 12; ++n) {
    const double y = seen[static_cast<std::size_t>(n)];
    const Eigen::ArrayXd same = (out.row(12 + n).transpose().array() == y).cast<double>();
    CHECK(std::abs(support::z_score(same, std::exp(out(n, 0)))) < 5);
  }
  const Eigen::MatrixXd far{{800, -800, 3}, {-900, 900, 700}};
  CHECK(generated(*model, far).bottomRows(12).allFinite());
}

TEST_CASE("what is observed must be one number for each case, once", "[predictive]") {
  CHECK_THROWS_WITH(Misnamed().generated(),
                    Catch::Contains("`y` has 3 elements, but cases() returns 4"));
  CHECK_THROWS_WITH(Misnamed(true), Catch::Contains("`z` cannot be observed as well"));
}

TEST_CASE("a run has the groups of its cases with their dimensions", "[predictive]") {
  const support::TemporaryFolder folder;
  const RunResult result = run_in(folder.path() + "/out", composed("use = \"visits\""));
  const DrawsFile file(folder.path() + "/out");
  CHECK(names_of(file, RecordGroup::log_likelihood) == std::vector<std::string>{"visits"});
  CHECK(names_of(file, RecordGroup::posterior_predictive) == std::vector<std::string>{"visits"});
  CHECK(names_of(file, RecordGroup::posterior) == std::vector<std::string>{"alpha", "scale"});
  const Eigen::MatrixXd alpha = read(file, RecordGroup::posterior, "alpha");
  const Eigen::MatrixXd scale = read(file, RecordGroup::posterior, "scale");
  const Eigen::MatrixXd log_lik = read(file, RecordGroup::log_likelihood, "visits");
  const Eigen::ArrayXd eta = alpha.col(0) + scale.col(0) * std::cos(1.0);
  CHECK((log_lik.col(1).array() - (5 * eta - eta.exp() - std::lgamma(6.0))).abs().maxCoeff() <
        1e-12);
}

TEST_CASE("groups of cases change no draw and have the same bits on any number of threads",
          "[predictive]") {
  const support::TemporaryFolder folder;
  const std::string blocks = "replicates = 16\nblock_width = 8\n";
  const RunResult one = run_in(folder.path() + "/1", composed("use = \"visits\"", blocks));
  const RunResult two = run_in(folder.path() + "/2", composed("use = \"visits\"", blocks), 2);
  CHECK(one.record.draws_sha256 == two.record.draws_sha256);
  run_in(folder.path() + "/3", composed("use = \"visits\"", blocks + "predictive = \"none\"\n"));
  const DrawsFile with(folder.path() + "/1");
  const DrawsFile without(folder.path() + "/3");
  CHECK(names_of(without, RecordGroup::log_likelihood).empty());
  CHECK(names_of(without, RecordGroup::posterior_predictive).empty());
  CHECK(read(with, RecordGroup::posterior, "scale") ==
        read(without, RecordGroup::posterior, "scale"));
}

TEST_CASE("one of the groups of cases can be asked for", "[predictive]") {
  const support::TemporaryFolder folder;
  run_in(folder.path() + "/out", composed("use = \"visits\"", "predictive = \"log_likelihood\"\n"));
  const DrawsFile file(folder.path() + "/out");
  CHECK(names_of(file, RecordGroup::log_likelihood).size() == 1);
  CHECK(names_of(file, RecordGroup::posterior_predictive).empty());
}

TEST_CASE("groups of cases beyond 256 MiB are left out with a line unless asked for",
          "[predictive]") {
  // 2 groups of 4194 cases in 4 chains of 1000 draws take 256 MiB less 1 %; one draw more in a
  // hundred is too much.
  const std::string cases = "use = \"visits\"\ncases = 4194\n";
  const Composition small = composed(cases);
  CHECK(small.run.predictive == "all");
  CHECK(small.remarks.empty());
  const Composition large = composed("use = \"visits\"\ncases = 4195\n");
  CHECK(large.run.predictive == "none");
  REQUIRE(large.remarks.size() == 1);
  CHECK_THAT(large.remarks.front(), Catch::Contains("Mixwell does not record them") &&
                                        Catch::Contains("predictive = \"all\""));
  CHECK(support::contains(large.effective_manifest, "predictive = \"none\""));
  CHECK(composed("use = \"visits\"\ncases = 4195\n", "predictive = \"all\"\n").remarks.empty());
}

TEST_CASE("a prior that the model draws is drawn independently into groups of its own",
          "[predictive]") {
  const support::TemporaryFolder folder;
  const Composition composition = composed(simulated_normal, "prior = true\n");
  CHECK_THAT(composition.remarks.front(),
             Catch::Contains("the model generates independent draws from its prior"));
  const RunResult result = run_in(folder.path() + "/out", composition);
  CHECK(result.certificate.now.label() == "exact");
  const DrawsFile file(folder.path() + "/out");
  CHECK(file.prior_by() == "draws");
  CHECK(names_of(file, RecordGroup::log_likelihood).empty());
  const Eigen::MatrixXd theta = read(file, RecordGroup::posterior, "theta");
  const Eigen::MatrixXd x = read(file, RecordGroup::posterior_predictive, "x");
  CHECK(theta.rows() == 4000);
  for (Index i = 0; i < 2; ++i) {
    CHECK(std::abs(support::z_score(theta.col(i), 0)) < 5);
    CHECK(std::abs(support::z_score(theta.col(i).array().square(), 1)) < 5);
    const Eigen::ArrayXd lag = theta.col(i).head(3999).array() * theta.col(i).tail(3999).array();
    CHECK(std::abs(support::z_score(lag, 0)) < 5);
  }
  for (Index n = 0; n < 12; ++n) CHECK(std::abs(support::z_score(x.col(n), 0)) < 5);
}

TEST_CASE("a prior that a density has apart is sampled by the composition", "[predictive]") {
  const support::TemporaryFolder folder;
  const Composition composition = composed("use = \"visits\"", "prior = true\nreplicates = 16\n");
  CHECK_THAT(composition.remarks.front(),
             Catch::Contains("the kernels sample the prior instead of the posterior"));
  run_in(folder.path() + "/out", composition);
  const DrawsFile file(folder.path() + "/out");
  CHECK(file.prior_by() == "density");
  const auto by_chain = [&](const std::string& name) {
    const Eigen::MatrixXd all = read(file, RecordGroup::posterior, name);
    return Eigen::MatrixXd(all.reshaped(1000, 16));
  };
  // Errors from 16 independent chains: |t| with 15 degrees of freedom beyond 7.5 has 2e-6.
  const auto z = [](const Eigen::MatrixXd& x, double mean) {
    return std::abs(support::z_score(x.colwise().mean().transpose().array(), mean));
  };
  const Eigen::MatrixXd alpha = by_chain("alpha");
  const Eigen::MatrixXd scale = by_chain("scale");
  CHECK(z(alpha, 0.3) < 7.5);
  CHECK(z((alpha.array() - 0.3).square(), 0.25) < 7.5);
  CHECK(z(scale, 1.5) < 7.5);
  CHECK(z(scale.array().square(), 3.0) < 7.5);
  CHECK(z(scale.array().log(), std::log(0.5) + 0.92278433509846714) < 7.5);  // digamma(3)
  CHECK(z(alpha.array() * (scale.array() - 1.5), 0) < 7.5);
  const Eigen::ArrayXd y = read(file, RecordGroup::posterior_predictive, "visits").col(0);
  CHECK((y == y.floor()).all());
}

TEST_CASE("the effective manifest of a prior's run runs again to the same draws", "[predictive]") {
  const support::TemporaryFolder folder;
  const Composition first = composed("use = \"visits\"", "prior = true\n");
  const RunResult a = run_in(folder.path() + "/a", first);
  const RunResult b =
      run_in(folder.path() + "/b",
             parse_manifest(first.effective_manifest, "test.toml", registry_with_visits()));
  CHECK(a.record.draws_sha256 == b.record.draws_sha256);
}

TEST_CASE("a model that tells nothing of its prior is named where its prior is asked for",
          "[predictive]") {
  const std::string words = refusal_of(simulated_counts, "prior = true\n");
  CHECK_THAT(words,
             Catch::Contains("test.toml:") && Catch::Contains("[model.target]") &&
                 Catch::Contains(
                     "needs a model that offers its prior, but model `beta-binomial` does not"));
}
