// Data divided among ranks: the bits of one process, one error for all.
// SPDX-License-Identifier: Apache-2.0
#include "law/data_division.hpp"

#include "support.hpp"
#include "thread_ranks.hpp"

#include <cmath>
#include <memory>
#include <vector>

using namespace mixwell;
using support::on_ranks;
using support::ThreadRanks;
using support::World;

namespace {

constexpr Index d = 3;
constexpr Index columns = 2;

/// u_n = log cosh(theta . x_n) with x_n of case number first + n.
class LogCosh final : public SumOfCases {
 public:
  LogCosh(Index first, Index terms, bool fails) : x_(d, terms), fails_(fails) {
    for (Index n = 0; n < terms; ++n)
      for (Index i = 0; i < d; ++i) x_(i, n) = std::sin(double((first + n) * d + i + 1));
  }
  Index terms() const noexcept override { return x_.cols(); }
  void evaluate(ConstBatch theta, const Evaluation& out) const override {
    if (fails_) throw RunError("the shard is broken");
    const Eigen::MatrixXd all =
        Eigen::VectorXd::LinSpaced(terms(), 0, double(terms() - 1)).replicate(1, theta.cols());
    evaluate_terms(theta, all, out);
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    Batch g = out.gradient;
    if (out.wants_potential()) out.u().setZero();
    if (out.wants_gradient()) g.setZero();
    for (Index j = 0; j < theta.cols(); ++j) {
      for (Index k = 0; k < indices.rows(); ++k) {
        const auto x = x_.col(Index(indices(k, j)));
        const double z = x.dot(theta.col(j));
        if (out.wants_potential()) out.u()(j) += std::log(std::cosh(z));
        if (out.wants_gradient()) g.col(j) += std::tanh(z) * x;
      }
    }
  }
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace&) const override {
    for (Index k = 0; k < indices.rows(); ++k) {
      const auto x = x_.col(Index(indices(k, 0)));
      out.col(k) = std::tanh(x.dot(theta.col(0))) * x;
    }
  }

 private:
  Eigen::MatrixXd x_;
  bool fails_;
};

/// Shard s has s % 5 cases, none in some; `broken` fails.
std::shared_ptr<const SumOfCases> held(DataDivision& division, Index broken = -1) {
  std::vector<std::unique_ptr<const SumOfCases>> own;
  Index before = 0;
  for (Index s = 0; s < division.end(); ++s) {
    if (s >= division.first()) own.push_back(std::make_unique<LogCosh>(before, s % 5, s == broken));
    before += s % 5;
  }
  return division.hold(std::move(own));
}

struct Found {
  Index terms = 0;
  Eigen::MatrixXd numbers;  ///< U over its gradient, all terms and some; gradients one by one
};

Found evaluated(const SumOfCases& sum) {
  Workspace scratch;
  const Eigen::MatrixXd theta = Eigen::MatrixXd::NullaryExpr(
      d, columns, [](Index i, Index j) { return 0.3 * double(i - j); });
  Eigen::MatrixXd indices(7, columns);
  for (Index k = 0; k < indices.size(); ++k)
    indices.reshaped()(k) = double((37 * k + k * k) % sum.terms());
  Found found{sum.terms(), Eigen::MatrixXd(d + 1, 2 * columns + indices.rows())};
  found.numbers.setZero();
  Eigen::RowVectorXd u(columns);
  Eigen::MatrixXd g(d, columns);
  sum.evaluate(theta, {u.data(), g, scratch});
  found.numbers.leftCols(columns) << u, g;
  sum.evaluate_terms(theta, indices, {u.data(), g, scratch});
  found.numbers.middleCols(columns, columns) << u, g;
  Eigen::MatrixXd each(d, indices.rows());
  sum.gradients_of_terms(theta.col(0), indices.col(0), each, scratch);
  found.numbers.rightCols(indices.rows()).bottomRows(d) = each;
  return found;
}

Found alone() {
  const auto division = std::make_shared<DataDivision>(nullptr);
  return evaluated(*held(*division));
}

/// The others serve; body on rank 0.
template <class Body>
void with_ranks(int count, Index broken, const Body& body) {
  World world(count);
  on_ranks(count, [&](int rank) {
    ThreadRanks ranks(world, rank);
    const auto division = std::make_shared<DataDivision>(&ranks);
    const auto sum = held(*division, broken);
    if (rank != 0) return division->serve(nullptr);
    division->lead([&] { body(*sum); });
  });
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

TEST_CASE("sums over divided data have the bits of one process") {
  const Found wanted = alone();
  for (const int ranks : {2, 3, 4, 7}) {
    with_ranks(ranks, -1, [&](const SumOfCases& sum) {
      const Found found = evaluated(sum);
      CHECK(found.terms == wanted.terms);
      CHECK(found.numbers == wanted.numbers);
    });
  }
}

TEST_CASE("sums over shards are those over all cases") {
  const Found found = alone();
  const LogCosh all(0, found.terms, false);
  Workspace scratch;
  const Eigen::MatrixXd theta = Eigen::MatrixXd::NullaryExpr(
      d, columns, [](Index i, Index j) { return 0.3 * double(i - j); });
  Eigen::RowVectorXd u(columns);
  Eigen::MatrixXd g(d, columns);
  all.evaluate(theta, {u.data(), g, scratch});
  Eigen::MatrixXd whole(d + 1, columns);
  whole << u, g;
  CHECK((found.numbers.leftCols(columns) - whole).norm() < 1e-12 * whole.norm());
  Eigen::MatrixXd indices(7, columns);
  for (Index k = 0; k < indices.size(); ++k)
    indices.reshaped()(k) = double((37 * k + k * k) % found.terms);
  all.evaluate_terms(theta, indices, {u.data(), g, scratch});
  whole << u, g;
  CHECK((found.numbers.middleCols(columns, columns) - whole).norm() < 1e-12 * whole.norm());
  Eigen::MatrixXd each(d, indices.rows());
  all.gradients_of_terms(theta.col(0), indices.col(0), each, scratch);
  CHECK(found.numbers.rightCols(indices.rows()).bottomRows(d) == each);
}

TEST_CASE("a shard that fails on another rank ends the evaluation with its error") {
  std::string message;
  with_ranks(2, 40, [&](const SumOfCases& sum) {
    try {
      evaluated(sum);
    } catch (const Error& error) {
      message = error.what();
    }
  });
  CHECK(message.starts_with("rank 1, "));
  CHECK(message.ends_with(": the shard is broken"));
}

TEST_CASE("more ranks than shards are refused with both numbers") {
  ManyRanks ranks;
  CHECK_THROWS_WITH(DataDivision(&ranks),
                    Catch::Contains("65 ranks") && Catch::Contains("start 64 ranks at most"));
}
