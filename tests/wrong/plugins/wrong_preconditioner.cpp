// Curvatures with one deliberate mistake each; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "../../../estimators/covariance/diagonal.hpp"
#include "../../../estimators/own/estimator.hpp"
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// H = h I with one number a column, S = sqrt(|h|) I.
class Multiple final : public Representation {
 public:
  explicit Multiple(wrong::Mistake mistake) : mistake_(std::move(mistake)) {}

  void H(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    for (Index j = 0; j < v.cols(); ++j) out.col(j) = h(numbers, j) * v.col(j);
  }
  void B(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    for (Index j = 0; j < v.cols(); ++j) out.col(j) = v.col(j) / h(numbers, j);
  }
  void S(const Numbers& numbers, ConstBatch z, Batch out, Workspace&) const override {
    for (Index j = 0; j < z.cols(); ++j) out.col(j) = root(numbers, j) * z.col(j);
  }
  void St(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const override {
    S(numbers, v, out, scratch);
  }
  void C(const Numbers& numbers, ConstBatch z, Batch out, Workspace&) const override {
    for (Index j = 0; j < z.cols(); ++j) out.col(j) = z.col(j) / root(numbers, j);
  }
  void log_det_H(const Numbers& numbers, Index dimension, Row out, Workspace&) const override {
    const Index powers = mistake_.is("determinant") ? 1 : dimension;
    for (Index j = 0; j < out.cols(); ++j) {
      out(j) = static_cast<double>(powers) * std::log(std::abs(h(numbers, j)));
    }
  }

 private:
  static double h(const Numbers& numbers, Index j) { return numbers.column(j)[0]; }
  double root(const Numbers& numbers, Index j) const {
    const double size = std::abs(h(numbers, j));
    return mistake_.is("root") ? size : std::sqrt(size);
  }

  wrong::Mistake mistake_;
};

/// H = (s's / s'y) I from the last two points, where s'y > 0.1 s's; else I.
class WrongSecant final : public FittedPreconditioner {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      mistake.declare(fields, {"sign", "threshold", "determinant", "root", "bound"});
    }
  };
  explicit WrongSecant(const Params& params)
      : mistake_(params.mistake), representation_(std::make_shared<Multiple>(params.mistake)) {}

  /// H <= 10.
  static Traits declared() {
    Traits traits;
    traits.bound = Bound::global;
    return traits;
  }
  Traits traits() const override { return declared(); }
  std::shared_ptr<const Representation> representation() const override { return representation_; }
  Index rows(Index, Index) const override { return 1; }
  void fit(const Memory& memory, Batch numbers, Workspace&) const override {
    numbers.setOnes();
    const Index n = memory.size();
    if (n < 2) return;
    for (Index j = 0; j < numbers.cols(); ++j) {
      const auto s = memory.point(n - 1).col(j) - memory.point(n - 2).col(j);
      const auto y = memory.gradient(n - 1).col(j) - memory.gradient(n - 2).col(j);
      const double curvature = s.dot(y) / s.squaredNorm();
      const bool passes =
          mistake_.is("threshold") || curvature > (mistake_.is("bound") ? 0.0 : 0.1);
      if (passes) numbers(0, j) = (mistake_.is("sign") ? -1.0 : 1.0) / curvature;
    }
  }

 private:
  wrong::Mistake mistake_;
  std::shared_ptr<const Representation> representation_;
};

/// H = diag(1 / (c + theta_i^2)), Gamma_i = -2 theta_i / (c + theta_i^2)^2, c = 1; bounded unless
/// c = 0. Or H = I and 2 I on two sides, whose divergence is 0 wherever it is a number.
class WrongDriftCorrection final : public own::FollowingEstimator {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      mistake.declare(fields, {"missing", "half", "sign", "bound", "jump"});
    }
  };
  explicit WrongDriftCorrection(const Params& params)
      : FollowingEstimator(std::make_shared<covariance::DiagonalRepresentation>(),
                           continuous(Bound::global)),
        mistake_(params.mistake) {}

  Index rows(Index dimension) const override {
    return covariance::DiagonalNumbers(dimension).rows();
  }
  Index state_rows(Index) const noexcept override { return 0; }
  bool has_drift_correction() const noexcept override { return true; }
  Traits drift_correction_traits() const override {
    Traits traits;
    traits.total = true;
    return traits;
  }
  void fit(const Potential&, ConstBatch theta, ConstBatch, Batch numbers,
           Workspace&) const override {
    const covariance::DiagonalNumbers at(theta.rows());
    const auto H = (c() + theta.array().square()).inverse();
    numbers.middleRows(at.variance(), at.d) = H.matrix();
    if (mistake_.is("jump")) {
      numbers.middleRows(at.variance(), at.d) =
          theta.unaryExpr([](double x) { return x < 0.3 ? 1.0 : 2.0; });
    }
    numbers.middleRows(at.deviation(), at.d) = numbers.middleRows(at.variance(), at.d).cwiseSqrt();
  }
  void drift_correction(const Potential&, ConstBatch theta, ConstBatch, ConstBatch, Batch out,
                        Workspace&) const override {
    out = (-2.0 * theta.array() / (c() + theta.array().square()).square()).matrix();
    if (mistake_.is("missing") || mistake_.is("jump")) out.setZero();
    if (mistake_.is("half")) out *= 0.5;
    if (mistake_.is("sign")) out = -out;
  }

 private:
  double c() const { return mistake_.is("bound") ? 0.0 : 1.0; }

  wrong::Mistake mistake_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongSecant>(
      {.id = "wrong-secant", .summary = "a secant's curvature, with a mistake of choice"});
  registrar.add<WrongDriftCorrection>(
      {.id = "wrong-drift-correction",
       .summary = "a curvature that follows the slot, with a mistake of choice in Gamma"});
}
