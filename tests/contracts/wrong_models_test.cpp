// The contract of models can fail: each mutant of a right model breaks the clause meant for it
// alone.
// SPDX-License-Identifier: Apache-2.0
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <mixwell/contracts/model.hpp>
#include <mixwell/lab/gradient_check.hpp>

#include <atomic>
#include <cmath>
#include <memory>

namespace {

using mixwell::Address;
using mixwell::Batch;
using mixwell::ConstBatch;
using mixwell::Evaluation;
using mixwell::Index;
using mixwell::Parameter;
using mixwell::Stream;
using mixwell::Workspace;

enum class Fault {
  none,
  gradient_factor,
  gradient_sign,
  gradient_coordinate,
  gradient_unwritten,
  impure,
  leaks_nan,
  leaks_bits,
  lazy_gradient,
  lazy_potential,
  batch,
  repeated_name,
  initial_by_column,
  exact_scaled,
  exact_shifted,
  exact_two_valued,  // +-1: the first three moments are those of N(0, 1)
  exact_by_column,
  exact_shared,
  derived_by_batch,
  generated_by_column,
  generated_name,
  metric_asymmetric,
  metric_indefinite,
  metric_derivative,
  metric_crosswise,
  metric_leaks,
  terms_lack_rest,
  terms_singly,
  terms_once,
  terms_once_singly,
  terms_first_list,
  terms_leak,
  terms_potential,
  terms_lazy,
  terms_lazy_rest,
};

/// N(0, I) in four dimensions with exact draws, a derived and a generated quantity, the metric I +
/// a theta theta' and a sum of eight terms, u_n = theta_i^2 / 8 +- 0.3 theta_i with i = n mod 4,
/// and one fault.
class Mutant final : public mixwell::Model,
                     public mixwell::ExactSampler,
                     public mixwell::Derived,
                     public mixwell::Generated,
                     public mixwell::Metric,
                     public mixwell::SumOfTerms {
 public:
  explicit Mutant(Fault fault) : fault_(fault) {}

  std::vector<Parameter> parameters() const override {
    const std::string second = fault_ == Fault::repeated_name ? "a" : "b";
    return {{.name = "a", .shape = {}}, {.name = second, .shape = {3}}};
  }

  void metric(ConstBatch theta, Batch G, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      Eigen::Map<Eigen::Matrix4d> one(G.col(j).data());
      one = Eigen::Matrix4d::Identity() + outer() * theta.col(j) * theta.col(j).transpose();
      if (fault_ == Fault::metric_asymmetric) one(0, 1) += 1e-6;
    }
    if (fault_ == Fault::metric_leaks) G.array() += 0 * theta.sum();
  }
  void contract_derivative(ConstBatch theta, ConstBatch W, Batch out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const Eigen::Map<const Eigen::Matrix4d> weights(W.col(j).data());
      out.col(j) = 2 * outer() * weights * theta.col(j);
    }
    if (fault_ == Fault::metric_derivative) out.row(3) *= 1.001;
  }
  void contract_crosswise(ConstBatch theta, ConstBatch W, Batch out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const Eigen::Map<const Eigen::Matrix4d> weights(W.col(j).data());
      out.col(j) = outer() * (weights * theta.col(j) + weights.trace() * theta.col(j));
    }
    if (fault_ == Fault::metric_crosswise) out.row(1) *= 1.001;
  }

  Index terms() const noexcept override { return 8; }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override {
    const double share = fault_ == Fault::terms_lack_rest ? 0.2500001 : 0.25;
    Batch g = out.gradient;
    g = 2 * share * theta;
    if (out.wants_potential()) out.u() = share * theta.colwise().squaredNorm();
    if (fault_ == Fault::terms_lazy_rest && !out.wants_potential()) g *= 1 + 1e-15;
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    Batch g = out.gradient;
    g.setZero();
    for (Index j = 0; j < theta.cols(); ++j) {
      double u = 0;
      for (Index k = 0; k < indices.rows(); ++k) {
        const double n = indices(k, fault_ == Fault::terms_first_list ? 0 : j);
        if (fault_ == Fault::terms_once && k > 0 && n == indices(k - 1, j)) continue;
        const double x = theta(place(n), j);
        u += x * x / 8 + slope(n) * x;
        if (fault_ == Fault::terms_potential) u += 1e-3 * slope(n) * x;
        g(place(n), j) += x / 4 + slope(n);
      }
      if (out.wants_potential()) out.u()[j] = u;
    }
    if (fault_ == Fault::terms_leak) g.array() += 0 * theta.sum();
    if (fault_ == Fault::terms_lazy && !out.wants_potential()) g *= 1 + 1e-15;
  }
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace&) const override {
    out.setZero();
    for (Index k = 0; k < indices.rows(); ++k) {
      const double n = indices(k, 0);
      if (fault_ == Fault::terms_once_singly && k > 0 && n == indices(k - 1, 0)) continue;
      out(place(n), k) = theta(place(n), 0) / 4 + slope(n);
    }
    if (fault_ == Fault::terms_singly && indices.rows() > 4) out.col(4) *= 1 + 1e-9;
  }

  std::vector<Parameter> quantities() const override { return {{.name = "sum", .shape = {}}}; }
  void derive(ConstBatch theta, Batch out) const override {
    out = theta.colwise().sum();
    if (fault_ == Fault::derived_by_batch) out *= static_cast<double>(theta.cols());
  }

  std::vector<Parameter> generated() const override {
    return {{.name = fault_ == Fault::generated_name ? "sum" : "near", .shape = {4}}};
  }
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    if (fault_ == Fault::generated_by_column) {
      for (Index j = 0; j < theta.cols(); ++j)
        stream.normals({at.sweep, at.draw, static_cast<std::uint64_t>(j)}, out.col(j));
    } else {
      stream.normals(at, out);
    }
    out += theta;
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    if (fault_ == Fault::exact_by_column) {
      for (Index j = 0; j < theta.cols(); ++j)
        stream.normals({at.sweep, at.draw, static_cast<std::uint64_t>(j)}, theta.col(j));
      return;
    }
    stream.normals(at, theta);
    if (fault_ == Fault::exact_shared) share_pairs(stream, at, theta);
    if (fault_ == Fault::exact_scaled) theta *= 1.01;
    if (fault_ == Fault::exact_shifted) theta.array() += 0.03;
    if (fault_ == Fault::exact_two_valued) theta = theta.array().sign().matrix();
  }

 private:
  /// No sum where U or its gradient is wrong: the sum would be wrong, too.
  void offer(mixwell::Offer& offer) const noexcept override {
    const bool is_sum = fault_ == Fault::none || fault_ >= Fault::terms_lack_rest;
    offer.set<mixwell::SumOfTerms>(is_sum ? this : nullptr);
  }
  /// The coordinate of term n, and the factor of its linear part: these cancel over all terms.
  static Index place(double n) { return static_cast<Index>(n) % 4; }
  static double slope(double n) { return n < 4 ? 0.3 : -0.3; }

  double outer() const { return fault_ == Fault::metric_indefinite ? -9.0 : 0.5; }

  /// Replicates 2k and 2k + 1 both get the numbers of replicate k.
  static void share_pairs(const Stream& stream, Address at, Batch theta) {
    for (Index j = 0; j < theta.cols(); ++j) {
      const std::uint64_t replicate = at.replicate + static_cast<std::uint64_t>(j);
      stream.normals({at.sweep, at.draw, replicate / 2}, theta.col(j));
    }
  }

  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    if (fault_ == Fault::initial_by_column) at.replicate = 0;
    stream.normals(at, theta);
  }

  bool evaluates_potential_alone() const noexcept override {
    return fault_ == Fault::lazy_potential;
  }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    if (!out.wants_gradient()) {
      out.u() = (0.5 + 1e-9) * theta.colwise().squaredNorm();
      return;
    }
    Batch g = out.gradient;
    const double unwritten = g(2, 0);
    g = theta;
    if (out.wants_potential()) out.u() = 0.5 * theta.colwise().squaredNorm();
    if (fault_ == Fault::gradient_factor) g *= 1.00001;
    if (fault_ == Fault::gradient_sign) g = -g;
    if (fault_ == Fault::gradient_coordinate) g.row(2) = g.row(3);
    if (fault_ == Fault::gradient_unwritten) g(2, 0) = unwritten;
    if (fault_ == Fault::impure) g *= 1 + 1e-15 * static_cast<double>(++calls_ % 7);
    if (fault_ == Fault::leaks_nan) g.array() += 0 * theta.sum();
    if (fault_ == Fault::leaks_bits) g *= 1 + 1e-14 * std::tanh(theta.sum());
    if (fault_ == Fault::lazy_gradient && !out.wants_potential()) g *= 1 + 1e-15;
    if (fault_ == Fault::batch) g *= 1 + 1e-11 * static_cast<double>(theta.cols() / 8);
  }

  Fault fault_;
  mutable std::atomic<int> calls_ = 0;
};

std::string broken(Fault fault) {
  std::string names;
  for (const mixwell::contracts::Finding& finding : mixwell::contracts::check_model(Mutant(fault)))
    if (!finding.holds) names += (names.empty() ? "" : ", ") + finding.clause;
  return names;
}

/// U = 1e6 + theta^2 / 2: its differences over small steps are few multiples of one rounding.
class Raised final : public mixwell::Model {
 public:
  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {}}}; }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g = theta;
    if (out.wants_potential()) out.u() = (0.5 * theta.row(0).array().square() + 1e6).matrix();
  }
};

enum class DataFault { none, noise, ignores_parameter, prior, same_data };

/// theta ~ N(0, 4 I) in two dimensions, three observations of each coordinate with noise N(0, 1).
class Observed final : public mixwell::Model, public mixwell::Prior, public mixwell::DataDraws {
 public:
  explicit Observed(DataFault fault, const Eigen::Vector2d& sum = Eigen::Vector2d::Zero())
      : fault_(fault), sum_(sum) {}

  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {2}}}; }
  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta *= fault_ == DataFault::prior ? 2.2 : 2.0;
  }
  std::shared_ptr<mixwell::Model> with_data_at(ConstBatch theta, const Stream& stream,
                                               Address at) const override {
    if (fault_ == DataFault::same_data) at = {};
    Eigen::MatrixXd noise(2, 1);
    stream.normals(at, noise);
    noise *= std::sqrt(3.0) * (fault_ == DataFault::noise ? 1.3 : 1.0);
    const double seen = fault_ == DataFault::ignores_parameter ? 0.0 : 3.0;
    return std::make_shared<Observed>(fault_, seen * theta.col(0) + noise.col(0));
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g = (3.25 * theta).colwise() - sum_;
    if (out.wants_potential())
      out.u() = 1.625 * theta.colwise().squaredNorm() - sum_.transpose() * theta;
  }

  DataFault fault_;
  Eigen::Vector2d sum_;
};

/// U = |x|^a / a summed over two coordinates, with the growth it is told to declare.
class Power final : public mixwell::Model {
 public:
  Power(double a, mixwell::GradientGrowth declared) : a_(a), declared_(declared) {}

  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {2}}}; }
  mixwell::GradientGrowth gradient_growth() const noexcept override { return declared_; }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g = theta.array().sign().matrix().cwiseProduct(theta.cwiseAbs().array().pow(a_ - 1).matrix());
    if (out.wants_potential()) out.u() = theta.cwiseAbs().array().pow(a_).colwise().sum() / a_;
  }

  double a_;
  mixwell::GradientGrowth declared_;
};

std::string broken(double power, mixwell::GradientGrowth declared) {
  std::string names;
  for (const auto& finding : mixwell::contracts::check_model(Power(power, declared)))
    if (!finding.holds) names += (names.empty() ? "" : ", ") + finding.clause;
  return names;
}

std::string broken(DataFault fault) {
  std::string names;
  for (const mixwell::contracts::Finding& finding :
       mixwell::contracts::check_model(Observed(fault)))
    if (!finding.holds) names += (names.empty() ? "" : ", ") + finding.clause;
  return names;
}

}  // namespace

TEST_CASE("roundings of a large U are not taken for agreement of its differences") {
  const Eigen::RowVectorXd points = Eigen::RowVectorXd::LinSpaced(400, -3.0, 3.0);
  CHECK(mixwell::gradient_error(Raised(), points).relative < 1e-6);
}

TEST_CASE("a right model breaks no clause", "[contracts]") {
  const mixwell::contracts::Findings findings =
      mixwell::contracts::check_model(Mutant(Fault::none));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
  CHECK(findings.size() == 24);
}

TEST_CASE("a wrong gradient breaks the clause of gradients alone", "[contracts]") {
  CHECK(broken(Fault::gradient_factor) == "gradient");
  CHECK(broken(Fault::gradient_sign) == "gradient");
  CHECK(broken(Fault::gradient_coordinate) == "gradient");
}

TEST_CASE("a gradient with a hole is noticed where the model starts", "[contracts]") {
  CHECK(broken(Fault::gradient_unwritten) == "initial");
}

TEST_CASE("an impure model breaks the clause of purity alone", "[contracts]") {
  CHECK(broken(Fault::impure) == "purity");
}

TEST_CASE("columns that leak into others break the clause of isolation alone", "[contracts]") {
  CHECK(broken(Fault::leaks_nan) == "isolation");
  CHECK(broken(Fault::leaks_bits) == "isolation");
}

TEST_CASE("a gradient that depends on whether U is wanted breaks that clause alone",
          "[contracts]") {
  CHECK(broken(Fault::lazy_gradient) == "gradient only");
}

TEST_CASE("a U that depends on whether the gradient is wanted breaks that clause alone",
          "[contracts]") {
  CHECK(broken(Fault::lazy_potential) == "potential only");
}

TEST_CASE("a result that depends on the batch's width breaks the clause of batches alone",
          "[contracts]") {
  CHECK(broken(Fault::batch) == "batch");
}

TEST_CASE("a repeated name breaks the clause of parameters alone", "[contracts]") {
  CHECK(broken(Fault::repeated_name) == "parameters");
}

TEST_CASE("numbers that do not follow their replicate break the clause of addresses",
          "[contracts]") {
  CHECK(broken(Fault::initial_by_column) == "initial");
  CHECK(broken(Fault::exact_by_column) == "exact addresses");
}

TEST_CASE("exact draws of another law break the clause of the exact law alone", "[contracts]") {
  CHECK(broken(Fault::exact_scaled) == "exact law");
  CHECK(broken(Fault::exact_shifted) == "exact law");
  CHECK(broken(Fault::exact_two_valued) == "exact law");
}

TEST_CASE("replicates that share their draws are not independent", "[contracts]") {
  CHECK(broken(Fault::exact_shared) == "exact draws are independent");
}

TEST_CASE("data that do not come from the parameters break the clause of data draws alone",
          "[contracts]") {
  CHECK(broken(DataFault::none).empty());
  for (const DataFault fault :
       {DataFault::noise, DataFault::ignores_parameter, DataFault::prior, DataFault::same_data}) {
    CHECK(broken(fault) == "data draws");
  }
}

TEST_CASE("a derived quantity that depends on the batch breaks the clause of derived ones alone",
          "[contracts]") {
  CHECK(broken(Fault::derived_by_batch) == "derived");
}

TEST_CASE("generated quantities that depend on the column or take a name break their own clause",
          "[contracts]") {
  CHECK(broken(Fault::generated_by_column) == "generated");
  CHECK(broken(Fault::generated_name) == "generated");
}

TEST_CASE("each fault of a metric breaks the clause meant for it alone", "[contracts]") {
  CHECK(broken(Fault::metric_asymmetric) == "metric");
  CHECK(broken(Fault::metric_indefinite) == "metric");
  CHECK(broken(Fault::metric_derivative) == "metric derivative");
  CHECK(broken(Fault::metric_crosswise) == "metric crosswise");
  CHECK(broken(Fault::metric_leaks) == "metric columns");
}

TEST_CASE("each fault of a sum of terms breaks the clause meant for it alone", "[contracts]") {
  CHECK(broken(Fault::terms_lack_rest) == "sum of terms");
  CHECK(broken(Fault::terms_singly) == "terms one by one");
  CHECK(broken(Fault::terms_once) == "terms repeated");
  CHECK(broken(Fault::terms_once_singly) == "terms repeated");
  CHECK(broken(Fault::terms_first_list) == "terms by column");
  CHECK(broken(Fault::terms_leak) == "terms by column");
  CHECK(broken(Fault::terms_potential) == "gradient of terms");
  CHECK(broken(Fault::terms_lazy) == "terms gradient only");
  CHECK(broken(Fault::terms_lazy_rest) == "terms gradient only");
}

TEST_CASE("a gradient that grows faster than is declared breaks that clause alone", "[contracts]") {
  using enum mixwell::GradientGrowth;
  CHECK(broken(4.0, lipschitz) == "gradient growth");
  CHECK(broken(2.5, lipschitz) == "gradient growth");
  CHECK(broken(1.5, lipschitz) == "gradient growth");
  CHECK(broken(1.5, locally_lipschitz) == "gradient growth");
  // Declared as it is, or as less.
  CHECK(broken(2.0, lipschitz).empty());
  CHECK(broken(2.0, locally_lipschitz).empty());
  CHECK(broken(4.0, locally_lipschitz).empty());
  CHECK(broken(4.0, undeclared).empty());
  CHECK(broken(1.5, singular).empty());
}
