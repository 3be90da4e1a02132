// The clause of block potentials can fail: each mutant of a right model breaks it alone.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/contracts/model.hpp>
#include <mixwell/law/conditional_potential.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

namespace {

using namespace mixwell;

enum class Fault { none, constant, gradient, reads_own_rows, leaks, shared_cache };

/// Of U = (sum of theta)^2 / 2 + |theta|^2 / 2: the cache is the sum of the rest, and its squares.
class Conditional final : public ConditionalPotential {
 public:
  Conditional(std::vector<Index> coordinates, Fault fault)
      : coordinates_(std::move(coordinates)), fault_(fault) {}

  Index cache_rows() const noexcept override { return 2; }
  void prepare(ConstBatch theta, Batch caches, Workspace&) const override {
    Eigen::MatrixXd rest = theta;
    if (fault_ != Fault::reads_own_rows) {
      for (const Index c : coordinates_) rest.row(c).setZero();
    }
    caches.row(0) = rest.colwise().sum();
    caches.row(1) = rest.colwise().squaredNorm();
  }
  void evaluate(const ConditionalCaches& caches, ConstBatch x,
                const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index j = 0; j < x.cols(); ++j) {
      const double* const cache = caches.column(fault_ == Fault::shared_cache ? 0 : j);
      const double sum = cache[0] + x.col(j).sum() + (fault_ == Fault::leaks ? 0.0 * x.sum() : 0.0);
      if (out.wants_gradient()) g.col(j) = x.col(j).array() + sum;
      if (out.wants_gradient() && fault_ == Fault::gradient) g(0, j) *= 1.0 + 1e-9;
      if (!out.wants_potential()) continue;
      const double squares = (fault_ == Fault::constant ? 0.0 : cache[1]) + x.col(j).squaredNorm();
      out.u()(j) = 0.5 * (sum * sum + squares);
    }
  }

 private:
  std::vector<Index> coordinates_;
  Fault fault_;
};

class Sums final : public Model {
 public:
  explicit Sums(Fault fault) : fault_(fault) {}
  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {5}}}; }
  std::shared_ptr<const ConditionalPotential> conditional_potential(
      const std::vector<Index>& coordinates) const override {
    return std::make_shared<Conditional>(coordinates, fault_);
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double sum = theta.col(j).sum();
      g.col(j) = theta.col(j).array() + sum;
      if (out.wants_potential()) out.u()(j) = 0.5 * (sum * sum + theta.col(j).squaredNorm());
    }
  }

  Fault fault_;
};

std::string broken(Fault fault) {
  std::string names;
  for (const contracts::Finding& finding : contracts::check_model(Sums(fault)))
    if (!finding.holds) names += (names.empty() ? "" : ", ") + finding.clause;
  return names;
}

}  // namespace

TEST_CASE("each fault of a block potential breaks the clause meant for it alone", "[contracts]") {
  CHECK(broken(Fault::none).empty());
  for (const Fault fault : {Fault::constant, Fault::gradient, Fault::reads_own_rows, Fault::leaks,
                            Fault::shared_cache}) {
    CHECK(broken(fault) == "conditional potential");
  }
}
