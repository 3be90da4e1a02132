// Cases divided among ranks: the same bits as one process, and one error for all.
// SPDX-License-Identifier: Apache-2.0
#include "law/sum_of_shards.hpp"

#include "composing.hpp"
#include "sampler/joint_run.hpp"
#include "support.hpp"
#include "thread_ranks.hpp"

#include <mixwell/density.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

using namespace mixwell;
using support::on_ranks;
using support::sampler_of;
using support::ThreadRanks;
using support::World;

namespace {

constexpr Index d = 3;
constexpr Index columns = 2;

/// U = |theta|^2 / 2 + sum_n log cosh(theta . x_n).
class LogCosh final : public Model, public SumOfTerms {
 public:
  /// Case number `broken` fails.
  explicit LogCosh(Index cases, Index broken = -1) : x_(d, cases), broken_(broken) {
    for (Index k = 0; k < x_.size(); ++k) x_.reshaped()(k) = std::sin(double(k + 1));
    set_name("target");
  }
  std::vector<Parameter> parameters() const override { return {{.name = "theta", .shape = {d}}}; }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }
  Index terms() const noexcept override { return x_.cols(); }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    if (out.wants_potential()) out.u() = 0.5 * theta.colwise().squaredNorm();
    if (out.wants_gradient()) g = theta;
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    Batch g = out.gradient;
    if (out.wants_potential()) out.u().setZero();
    if (out.wants_gradient()) g.setZero();
    for (Index j = 0; j < theta.cols(); ++j) {
      for (Index k = 0; k < indices.rows(); ++k) {
        if (Index(indices(k, j)) == broken_) throw RunError("the case is broken");
        const auto x = x_.col(Index(indices(k, j)));
        const double z = x.dot(theta.col(j));
        if (out.wants_potential()) out.u()(j) += std::log(std::cosh(z));
        if (out.wants_gradient()) g.col(j) += std::tanh(z) * x;
      }
    }
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const Eigen::MatrixXd all =
        Eigen::VectorXd::LinSpaced(terms(), 0, double(terms() - 1)).replicate(1, theta.cols());
    Eigen::RowVectorXd u(theta.cols());
    Eigen::MatrixXd g(theta.rows(), theta.cols());
    evaluate_rest(theta, out);
    evaluate_terms(theta, all, {u.data(), g, out.scratch});
    Batch gradient = out.gradient;
    if (out.wants_potential()) out.u() += u;
    if (out.wants_gradient()) gradient += g;
  }

  Eigen::MatrixXd x_;
  Index broken_;
};

/// A log density in two parts, as authors write them: counts with a common rate.
class Counts final : public DensityModel<Counts> {
 public:
  template <class S>
  S log_prior(const Values<S>& x) const {
    return normal_lpdf(x(log_rate_), 0.0, 2.0);
  }
  Index cases() const { return 200; }
  template <class S>
  S log_likelihood(const Values<S>& x, Index n) const {
    return double(n % 7) * x(log_rate_) - exp(x(log_rate_));
  }

 private:
  Scalar log_rate_ = scalar("log_rate");
};

/// U above its gradient, and U evaluated again without the gradient.
Eigen::MatrixXd evaluated(const Model& model, double scale = 0.3) {
  Workspace scratch;
  const Eigen::MatrixXd theta = Eigen::MatrixXd::NullaryExpr(
      d, columns, [scale](Index i, Index j) { return scale * double(i - j); });
  Eigen::RowVectorXd u(columns);
  Eigen::RowVectorXd again(columns);
  Eigen::MatrixXd g(d, columns);
  model.evaluate(theta, {u.data(), g, scratch});
  model.evaluate(theta, Evaluation::of_potential(again.data(), theta, scratch));
  Eigen::MatrixXd all(d + 2, columns);
  all << u, g, again;
  return all;
}

std::shared_ptr<Model> in_shards(std::shared_ptr<const Model> whole, Ranks* ranks) {
  return sum_of_shards(std::move(whole), std::make_shared<Portions>(ranks));
}

/// What rank 0 finds; rank k evaluates at scales[k].
template <class Kind = ThreadRanks>
Eigen::MatrixXd by_ranks(const LogCosh& whole, const std::vector<double>& scales) {
  const int count = static_cast<int>(scales.size());
  World world(count);
  Eigen::MatrixXd found;
  on_ranks(count, [&](int rank) {
    Kind ranks(world, rank);
    const auto model = in_shards({std::shared_ptr<const Model>(), &whole}, &ranks);
    Eigen::MatrixXd mine;
    try {
      together(ranks, [&] { mine = evaluated(*model, scales[static_cast<std::size_t>(rank)]); });
    } catch (const OtherRankFailed&) {
      if (rank == 0) throw;
    }
    if (rank == 0) found = mine;
  });
  return found;
}

template <class Kind = ThreadRanks>
Eigen::MatrixXd by_ranks(const LogCosh& whole, int count) {
  return by_ranks<Kind>(whole, std::vector<double>(static_cast<std::size_t>(count), 0.3));
}

/// Wrong: sums are of this rank's shards.
class DeafRanks final : public ThreadRanks {
 public:
  using ThreadRanks::ThreadRanks;
  void share(void* data, const std::vector<std::size_t>& ends) override {
    std::vector<char> ignored(static_cast<const char*>(data),
                              static_cast<const char*>(data) + ends.back());
    ThreadRanks::share(ignored.data(), ends);
    std::vector<char> zeros(ignored.size(), 0);
    const std::size_t begin = rank() == 0 ? 0 : ends[static_cast<std::size_t>(rank() - 1)];
    std::memcpy(static_cast<char*>(data), zeros.data(), begin);
  }
};

std::string csv_text() {
  std::string text = "x,y\n";
  for (int n = 0; n < 150; ++n)
    text += fmt::format("{:.3f},{}\n", std::sin(3.0 * n), std::sin(3.0 * n) + std::cos(n * n) > 0);
  return text;
}

/// Two blocks of replicates.
Composition regression(const std::string& csv, Ranks* ranks) {
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> turn(one_at_a_time);
  return parse_manifest(
      "mixwell = 1\n[run]\nranks = \"data\"\nreplicates = 9\nwarmup = 30\n[model.target]\nuse = "
      "\"logistic-regression\"\ndata = \"" +
          csv + "\"\nresponse = \"y\"\n[kernel.k]\nuse = \"nuts\"\n",
      "test.toml", support::registry(), {}, ranks);
}

/// With a state that is saved and read back on the way.
std::vector<std::vector<double>> drawn_by(Sampler& sampler) {
  DrawBuffers draws;
  sampler.initialise();
  sampler.advance(PhaseKind::warmup, 20);
  StateWriter state;
  sampler.visit_state(state);
  sampler.advance(PhaseKind::warmup, 5);
  StateReader reader(state.bytes());
  sampler.visit_state(reader);
  sampler.advance(PhaseKind::warmup, 10);
  sampler.advance(PhaseKind::sampling, 10, &draws);
  return draws.data;
}

class ManyRanks final : public Ranks {
 public:
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 65; }
  int on_this_host() const noexcept override { return 1; }
  void broadcast(void*, std::size_t) override {}
  void share(void*, const std::vector<std::size_t>&) override {}
  void exchange(const std::vector<Outgoing>&, const std::vector<Incoming>&) override {}
  std::vector<std::vector<char>> collect(const std::vector<char>&) override { return {}; }
  std::int64_t largest(std::int64_t mine) override { return mine; }
};

}  // namespace

TEST_CASE("sums over divided cases have the bits of one process") {
  for (const Index cases : {40, 64, 1000}) {
    const auto whole = std::make_shared<LogCosh>(cases);
    const Eigen::MatrixXd wanted = evaluated(*in_shards(whole, nullptr));
    const Eigen::MatrixXd of_whole = evaluated(*whole);
    CHECK((wanted - of_whole).norm() < 1e-12 * wanted.norm());
    for (const int ranks : {2, 3, 4, 7}) CHECK(by_ranks(*whole, ranks) == wanted);
  }
}

TEST_CASE("ranks that divide cases draw what one process draws, with any number of threads") {
  const support::TemporaryFolder folder;
  const std::string csv = folder.file("cases.csv", csv_text());
  const auto alone = drawn_by(*sampler_of(regression(csv, nullptr), nullptr));
  for (const int count : {2, 3, 4}) {
    World world(count);
    std::vector<std::vector<double>> found;
    on_ranks(count, [&](int rank) {
      ThreadRanks ranks(world, rank);
      const Composition composition = regression(csv, &ranks);
      JointRun joint(ranks, nullptr);
      with_threads(2, [&] {
        if (rank != 0) return joint.follow([&] { return sampler_of(composition, &joint); });
        std::unique_ptr<Sampler> sampler;
        joint.make_samplers([&] { sampler = sampler_of(composition, &joint); });
        found = drawn_by(*sampler);
      });
    });
    CHECK(found == alone);
  }
}

TEST_CASE("a case that fails on another rank ends the evaluation with its error") {
  CHECK_THROWS_WITH(by_ranks(LogCosh(100, 80), 2),
                    Catch::StartsWith("rank 1, ") && Catch::Contains("the case is broken"));
}

TEST_CASE("ranks at different positions, and sums of one rank's shards, are seen") {
  const LogCosh whole(100);
  const std::string seen = "evaluated this model at different positions";
  CHECK_THROWS_WITH(by_ranks(whole, std::vector<double>{0.3, std::nextafter(0.3, 1.0)}),
                    Catch::Contains(seen));
  CHECK_THROWS_WITH(by_ranks<DeafRanks>(whole, 2), Catch::Contains(seen));
}

TEST_CASE("every model that is a sum over cases can have them divided, and no other") {
  const support::TemporaryFolder folder;
  const std::string csv = folder.file("cases.csv", "x,y,n\n1,0,3\n2,1,1\n3,0,4\n4,1,1\n5,1,5\n");
  const std::string of_csv = "data = \"" + csv + "\"\nresponse = ";
  const auto composed = [](const std::string& model, const std::string& ranks) {
    return parse_manifest("mixwell = 1\n[run]\nranks = \"" + ranks + "\"\n[model.target]\n" +
                              model + "\n[kernel.k]\nuse = \"nuts\"\n",
                          "test.toml", composing::registry());
  };
  for (const std::string& model : {"use = \"logistic-regression\"\n" + of_csv + "\"y\"",
                                   "use = \"probit-regression\"\n" + of_csv + "\"y\"",
                                   "use = \"ica\"\ndata = \"" + csv + "\""}) {
    CAPTURE(model);
    const auto divided = composed(model, "data").model();
    const auto whole = composed(model, "replicates").model();
    CHECK(coordinate_names(divided->parameters()) == coordinate_names(whole->parameters()));
    const Eigen::MatrixXd theta = Eigen::MatrixXd::NullaryExpr(
        whole->dimension(), 2,
        [](Index i, Index j) { return std::sin(double(1 + i * i + 3 * j)); });
    const support::Evaluated wanted = support::evaluate(*whole, theta);
    const support::Evaluated found = support::evaluate(*divided, theta);
    CHECK((found.u - wanted.u).norm() < 1e-12 * wanted.u.norm());
    CHECK((found.g - wanted.g).norm() < 1e-12 * wanted.g.norm());
  }
  const auto counts = std::make_shared<Counts>();
  const Eigen::MatrixXd log_rate = Eigen::MatrixXd::Constant(1, 2, 0.3);
  const support::Evaluated wanted = support::evaluate(*counts, log_rate);
  const support::Evaluated found = support::evaluate(*in_shards(counts, nullptr), log_rate);
  CHECK((found.u - wanted.u).norm() < 1e-12 * wanted.u.norm());
  CHECK((found.g - wanted.g).norm() < 1e-12 * wanted.g.norm());
  CHECK_THROWS_WITH(
      composed("use = \"gaussian\"\ndimension = 2", "data"),
      Catch::Contains("needs a model that has a log density that is a sum over cases"));
}

TEST_CASE("more ranks than shards are refused with both numbers") {
  ManyRanks ranks;
  CHECK_THROWS_WITH(in_shards(std::make_shared<LogCosh>(10), &ranks),
                    Catch::Contains("65 ranks") && Catch::Contains("Start at most 64 ranks"));
}
