// Estimator `elm-surrogate`: a surrogate with random nodes, fitted to gradients of the target.
// SPDX-License-Identifier: Apache-2.0
#include "random-network/nodes.hpp"
#include "random-network/triangle.hpp"

#include <mixwell/plugin.hpp>

#include <memory>

namespace {

using namespace mixwell;
using random_network::Nodes;
using random_network::Triangle;

/// phi(theta) = sum_i v_i sigma_i(theta). A column holds v (s), then the triangle [R y], s x (s +
/// 1), of the least squares problem sum |grad phi - grad U|^2 + lambda |v|^2; R v = y.
class Network final : public Surrogate {
 public:
  Network(Nodes nodes, double ridge) : nodes_(std::move(nodes)), ridge_(ridge) {}

  Index rows() const noexcept override { return s() * (s() + 2); }
  Eigen::VectorXd initial() const override {
    Eigen::VectorXd column = Eigen::VectorXd::Zero(rows());
    triangle(column).leftCols(s()).diagonal().setConstant(std::sqrt(ridge_));
    return column;
  }

  /// O(s d) for each column, as products of matrices for one tile of nodes at a time.
  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const Index w = theta.cols();
    MatrixMap centred = out.scratch.matrix(theta.rows(), w);
    MatrixMap g = out.scratch.matrix(theta.rows(), w);
    RowMap sizes = out.scratch.row(w);
    RowMap total = out.scratch.row(w);
    RowMap phi = out.scratch.row(w);
    nodes_.centre(theta, centred, sizes);
    g.setZero();
    total.setZero();
    phi.setZero();
    for (Index first = 0; first < s(); first += tile) {
      add_tile(numbers, first, centred, sizes, {g, total, phi}, out);
    }
    nodes_.add_pull(centred, ConstRowMap(total.data(), w), g, out.scratch);
    Batch gradient = out.gradient;
    gradient = g;
    if (out.wants_potential()) out.u() = phi;
  }

  /// Costs 2 n d s^2 multiplications, and s^2 for v.
  void learn(Batch column, ConstBatch theta, ConstBatch gradients,
             Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const Index d = nodes_.dimension();
    MatrixMap rows = scratch.matrix(d * theta.cols(), s() + 1);
    Index used = 0;
    for (Index k = 0; k < theta.cols(); ++k) {
      if (!theta.col(k).allFinite() || !gradients.col(k).allFinite()) continue;
      write_rows(theta.col(k), gradients.col(k), rows, used * d, scratch);
      ++used;
    }
    if (used == 0) return;
    MatrixMap filled = scratch.matrix(used * d, s() + 1);
    filled = rows.topRows(used * d);
    Triangle T = triangle(column);
    random_network::AddRows(T, filled, scratch).run();
    solve(column);
  }

  /// Solves the normal equations: n d s^2 + s^3 / 3 multiplications.
  void fit(ConstBatch theta, ConstBatch gradients, Batch column,
           Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const Index d = nodes_.dimension();
    MatrixMap rows = scratch.matrix(d, s() + 1);
    MatrixMap M = scratch.matrix(s(), s());
    MatrixMap b = scratch.matrix(s(), 1);
    M.setIdentity();
    M *= ridge_;
    b.setZero();
    for (Index k = 0; k < theta.cols(); ++k) {
      if (!theta.col(k).allFinite() || !gradients.col(k).allFinite()) continue;
      write_rows(theta.col(k), gradients.col(k), rows, 0, scratch);
      M.selfadjointView<Eigen::Lower>().rankUpdate(rows.leftCols(s()).transpose());
      b.noalias() += rows.leftCols(s()).transpose() * rows.col(s());
    }
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(M);
    factor.matrixL().solveInPlace(b);
    Triangle T = triangle(column);
    T.leftCols(s()) = M.triangularView<Eigen::Lower>().transpose();
    T.leftCols(s()).triangularView<Eigen::StrictlyLower>().setZero();
    T.col(s()) = b;
    solve(column);
  }

 private:
  static constexpr Index tile = 64;

  struct Sums {
    MatrixMap g;
    RowMap total;
    RowMap phi;
  };

  Index s() const noexcept { return nodes_.count(); }

  template <class Column>
  Triangle triangle(Column&& column) const {
    return {const_cast<double*>(column.data()) + s(), s(), s() + 1};
  }

  void add_tile(const Numbers& numbers, Index first, ConstBatch centred, const RowMap& sizes,
                Sums sums, const Evaluation& out) const {
    const Workspace::Frame frame(out.scratch);
    const Index n = std::min(tile, s() - first);
    const Index w = centred.cols();
    MatrixMap slope = out.scratch.matrix(n, w);
    MatrixMap value = out.scratch.matrix(n, w);
    const bool wants = out.wants_potential();
    nodes_.activate(first, centred, ConstRowMap(sizes.data(), w), slope, wants ? &value : nullptr);
    for (Index j = 0; j < w; ++j) {
      const Eigen::Map<const Eigen::VectorXd> v(numbers.column(j) + first, n);
      if (wants) sums.phi(j) += v.dot(value.col(j));
      slope.col(j) = slope.col(j).cwiseProduct(v);
      sums.total(j) += slope.col(j).sum();
    }
    nodes_.add_gradient(first, slope, sums.g);
  }

  /// [A g] of one point, d x (s + 1), with A_i = grad sigma_i.
  void write_rows(ConstBatch theta, ConstBatch g, MatrixMap rows, Index first,
                  Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const Index d = nodes_.dimension();
    MatrixMap centred = scratch.matrix(d, 1);
    RowMap size = scratch.row(1);
    MatrixMap slopes = scratch.matrix(s(), 1);
    MatrixMap A = scratch.matrix(d, s());
    nodes_.centre(theta, centred, size);
    nodes_.activate(0, centred, ConstRowMap(size.data(), 1), slopes, nullptr);
    nodes_.gradients(centred, slopes, A);
    rows.block(first, 0, d, s()) = A;
    rows.block(first, s(), d, 1) = g;
  }

  void solve(Batch column) const {
    const Triangle T = triangle(column);
    auto v = column.col(0).head(s());
    v = T.col(s());
    T.leftCols(s()).triangularView<Eigen::Upper>().solveInPlace(v);
  }

  Nodes nodes_;
  double ridge_;
};

class ElmSurrogate final : public SurrogateEstimator {
 public:
  struct Params {
    std::int64_t nodes = 100;
    std::string activation = "softplus";
    double ridge = 1e-3;
    double scale = 2.0;
    std::int64_t seed = 1;

    void declare(Fields& fields) {
      fields.integer("nodes", nodes)
          .at_least(1)
          .at_most(20000)
          .help("number of nodes, s (a fitted network stores about s^2 numbers)");
      fields.text("activation", activation)
          .one_of({"softplus", "tanh", "rbf"})
          .help(
              "sigma(a) = log(1 + exp a) or tanh a; for `rbf`, exp(-r^2 / 2), where r = |x - "
              "centre| / width");
      fields.number("ridge", ridge)
          .above(0)
          .help(
              "lambda in the objective of the fit, 1/2 sum |grad phi - grad U|^2 + lambda / 2 "
              "|v|^2");
      fields.number("scale", scale)
          .above(0)
          .help(
              "spread of the random nodes (0.5 fits better than 2 if the target is nearly "
              "Gaussian)");
      fields.integer("seed", seed).at_least(0).help("seed of the random nodes");
    }
  };
  explicit ElmSurrogate(const Params& params) : params_(params) {}

  std::shared_ptr<const Surrogate> surrogate(const Laplace& at) const override {
    return std::make_shared<Network>(Nodes(at, random_network::activation_from(params_.activation),
                                           static_cast<Index>(params_.nodes), params_.scale,
                                           static_cast<std::uint64_t>(params_.seed)),
                                     params_.ridge);
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<ElmSurrogate>(
      {.id = "elm-surrogate",
       .summary =
           "A surrogate potential with random nodes, fitted to gradients of the target (VHMC)",
       .details =
           "phi(theta) = sum v_i sigma_i(x), where x are coordinates in which the Laplace "
           "approximation of the target is N(0, I). For `softplus` and `tanh`, sigma_i = sigma(w'x "
           "+ b) with random w ~ N(0, scale^2 / d I) and b ~ N(0, scale^2). For `rbf`, the random "
           "centres are drawn from N(0, scale^2 I), and the width of every node is scale sqrt(d). "
           "A ridge regression chooses v so that grad phi is close to grad U at the training "
           "points (score matching). Mixwell adds these points one by one. Each point adds its "
           "rows A = (grad sigma_i) to the triangle R of a QR factorisation, with R'R = lambda I + "
           "sum A'A. Then R v = y gives v, where R'y = sum A' grad U. In exact arithmetic, the "
           "recursion of the VHMC paper gives the same v and the same C = (R'R)^-1. Because "
           "Mixwell stores R instead of C, rounding errors cannot make C asymmetric or indefinite. "
           "Adding a point costs 2 d s^2 + O(s^2). The network stores s^2 numbers. Evaluating phi "
           "and its gradient costs O(d s) for each replicate.",
       .sources = {"Zhang, Shahbaba & Zhao 2018, Bayesian Analysis 13, equations 3.19 to 3.21",
                   "Huang, Zhu & Siew 2006, Neurocomputing 70 (random nodes)"},
       .purpose = "surrogate"});
}
