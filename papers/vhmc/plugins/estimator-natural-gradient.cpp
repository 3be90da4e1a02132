// Estimator `natural-gradient`: the preconditioner of the natural gradient on square matrices.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <memory>
#include <string>

namespace {

using namespace mixwell;

using Square = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using ConstSquare =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// c if d = c^2, otherwise 0.
Index side(Index dimension) {
  const auto c = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(dimension))));
  return c * c == dimension ? c : 0;
}

/// theta, v and z hold c x c matrices W, V and Z in row-major order. H v = V W'W and S z = Z W. The
/// stored numbers are W itself. Each product costs O(c^3) operations for each column.
class Rows final : public Representation {
 public:
  void H(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const override {
    each(numbers, v, out, scratch, [](const auto& W, const auto& M, auto, const auto& V, auto to) {
      (void)W;
      to.noalias() = V.lazyProduct(M);
    });
  }
  void B(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const override {
    each(numbers, v, out, scratch, [](const auto&, auto, auto factor, const auto& V, auto to) {
      to = V;
      solve(factor, to);
    });
  }
  void S(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const override {
    each(numbers, z, out, scratch, [](const auto& W, auto, auto, const auto& Z, auto to) {
      to.noalias() = Z.lazyProduct(W);
    });
  }
  void St(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const override {
    each(numbers, v, out, scratch, [](const auto& W, auto, auto, const auto& V, auto to) {
      to.noalias() = V.lazyProduct(W.transpose());
    });
  }
  /// C S' = I: C z = Z W'^-1 = Z W (W'W)^-1.
  void C(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const override {
    each(numbers, z, out, scratch, [](const auto& W, auto, auto factor, const auto& Z, auto to) {
      to.noalias() = Z.lazyProduct(W);
      solve(factor, to);
    });
  }
  void log_det_H(const Numbers& numbers, Index dimension, Row out,
                 Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const Index c = side(dimension);
    MatrixMap M = scratch.matrix(c, c);
    for (Index j = 0; j < out.cols(); ++j) {
      factorise(ConstSquare(numbers.column(j), c, c), M);
      out(j) = 2.0 * static_cast<double>(c) * M.diagonal().array().log().sum();
    }
  }

 private:
  template <class Apply>
  static void each(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch,
                   const Apply& apply) {
    const Workspace::Frame frame(scratch);
    const Index c = side(v.rows());
    MatrixMap M = scratch.matrix(c, c);
    MatrixMap factor = scratch.matrix(c, c);
    for (Index j = 0; j < v.cols(); ++j) {
      const ConstSquare W(numbers.column(j), c, c);
      M.noalias() = W.transpose().lazyProduct(W);
      factorise(W, factor);
      apply(W, M, factor, ConstSquare(v.col(j).data(), c, c), Square(out.col(j).data(), c, c));
    }
  }

  /// W'W = L L', in the lower triangle.
  static void factorise(const ConstSquare& W, MatrixMap factor) {
    factor.noalias() = W.transpose().lazyProduct(W);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(factor);
  }

  /// X <- X (L L')^-1.
  static void solve(const MatrixMap& factor, Square X) {
    factor.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(X);
    factor.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(X);
  }
};

class NaturalGradient final : public OwnPreconditioner {
 public:
  struct Params {
    bool gamma = true;

    void declare(Fields& fields) {
      fields.flag("gamma", gamma)
          .help(
              "include the drift correction Gamma = (c + 1) W; without Gamma the draws are biased");
    }
  };
  /// H is a polynomial of degree 2 in W.
  static Traits declared() {
    Traits traits;
    traits.continuous = true;
    traits.bound = Bound::local;
    return traits;
  }

  explicit NaturalGradient(const Params& params) : gamma_(params.gamma) {}

  Traits traits() const override { return declared(); }
  std::shared_ptr<const Representation> representation() const override { return representation_; }

  /// Throws InputError if the dimension is not a square number.
  Index rows(Index dimension) const override {
    if (side(dimension) > 0) return dimension;
    throw InputError(
        "estimator `" + name() + "`: the parameter must be a square matrix, but " +
        std::to_string(dimension) +
        " coordinates do not form a square matrix. Use this estimator with model `ica`.");
  }

  Index state_rows(Index) const noexcept override { return 0; }
  bool has_drift_correction() const noexcept override { return gamma_; }
  Traits drift_correction_traits() const override {
    Traits traits;
    traits.total = true;
    return traits;
  }
  void fit(const Potential&, ConstBatch theta, ConstBatch, Batch numbers,
           Workspace&) const override {
    numbers = theta;
  }
  /// H_(ij)(kl) = delta_ik sum_m W_mj W_ml has Gamma_ij = sum_l dH_(ij)(il) / dW_il = (c + 1) W_ij.
  void drift_correction(const Potential&, ConstBatch theta, ConstBatch, ConstBatch, Batch out,
                        Workspace&) const override {
    out = static_cast<double>(side(theta.rows()) + 1) * theta;
  }

 private:
  std::shared_ptr<const Representation> representation_ = std::make_shared<Rows>();
  bool gamma_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<NaturalGradient>(
      {.id = "natural-gradient",
       .summary = "H = W'W on the rows of a square matrix W (natural gradient of ICA)",
       .details = "A step moves the c x c matrix W by -eps (grad_W U) W'W. This is the gradient in "
                  "a metric that is invariant under W -> W A for every invertible A, and so under "
                  "a change of the mixing matrix. The step also adds noise sqrt(2 eps) Z W, where "
                  "the entries of Z are independent N(0, 1), and the drift correction Gamma = (c + "
                  "1) W. theta contains W in row-major order, and d = c^2. A product with H costs "
                  "O(c^3). Use this estimator with kernel `langevin`.",
       .sources = {"Amari, Cichocki & Yang 1996, NIPS 8",
                   "Welling & Teh 2011, ICML, section 5.3 (without Gamma)"}});
}
