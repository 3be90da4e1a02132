// Estimator `lbfgs`: a limited-memory BFGS preconditioner with H v by the two-loop recursion.
// SPDX-License-Identifier: Apache-2.0
#include "quasi-newton/estimator.hpp"
#include "quasi-newton/factors.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;
using quasi_newton::Factors;
using quasi_newton::Vector;

class TwoLoops final : public quasi_newton::FactorRepresentation {
 public:
  TwoLoops() : FactorRepresentation(3) {}

  /// 4 K d multiplications. With p = s / s'y, the second loop adds (alpha - y'x / s'y) s.
  void H(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const override {
    each(numbers, v, out, [&](const Factors& f, Vector x) {
      const Workspace::Frame frame(scratch);
      RowMap alpha = scratch.row(f.pairs());
      for (Index k = f.pairs(); k-- > 0;) {
        alpha(k) = f.dot(f.p(k), x);
        x -= alpha(k) * f.y(k);
      }
      x *= f.gamma();
      for (Index k = 0; k < f.pairs(); ++k) {
        x += (f.sy(k) * alpha(k) - f.dot(f.y(k), x)) * f.p(k);
      }
    });
  }

  /// 4 K d multiplications: B <- B + y y'/s'y - B s s'B / s'Bs, where c B s = q - y and
  /// c^2 s'Bs = s'y make the change (y q'v - q (q - y)'v) / s'y.
  void B(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    for (Index j = 0; j < v.cols(); ++j) {
      const Factors f(numbers.column(j), {v.rows(), 3}, numbers.divided_rows());
      out.col(j) = v.col(j) / f.gamma();
      for (Index k = 0; k < f.pairs(); ++k) {
        const double along_q = f.dot(f.q(k), v.col(j)) / f.sy(k);
        const double along_y = f.dot(f.y(k), v.col(j)) / f.sy(k);
        out.col(j) += along_q * f.y(k) - (along_q - along_y) * f.q(k);
      }
    }
  }
};

struct Limited : quasi_newton::FactorForm<3> {
  using FactorForm::FactorForm;
  static std::shared_ptr<const Representation> representation() {
    return std::make_shared<TwoLoops>();
  }
};

class LimitedMemory final : public quasi_newton::QuasiNewton<Limited>, public RowByRow {
 public:
  using QuasiNewton::QuasiNewton;
  /// The basis that tracks the eigenvalues spans the whole position.
  bool is_row_by_row() const noexcept override { return !options().eigenvalues; }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<LimitedMemory>(
      {.id = "lbfgs",
       .summary = "Limited-memory BFGS: H v by the two-loop recursion over the pairs of the memory",
       .details =
           "For neighbouring positions theta and theta+ in the memory, a pair is s = theta+ - "
           "theta and y = grad U(theta+) - grad U(theta). Mixwell sorts the memory by descending U "
           "unless sort = false. If a pair fails the test s'y > curvature_test |s||y|, Mixwell "
           "drops theta+ and tries the next position. Mixwell starts from H = gamma I. For each "
           "pair, it replaces H by (I - s y'/s'y) H (I - y s'/s'y) + s s'/s'y. Mixwell computes H "
           "v by the two-loop recursion. To compute B v, where B = H^-1, it stores the vectors B "
           "s, because each pair adds y y'/s'y - B s s'B / s'Bs to B. The factors S and C, with H "
           "= S S' and B = C C', are the same as in estimator `product-form`. The two estimators "
           "agree up to rounding. Computing the stored vectors from K pairs costs O(K^2 d). H v or "
           "B v costs 4 K d multiplications, and S z, S'v or C z costs 2 K d. Each replicate "
           "stores (3 d + 2) K numbers.",
       .sources = {"Nocedal 1980, Mathematics of Computation 35",
                   "Zhang & Sutton 2011, Quasi-Newton methods for Markov chain Monte Carlo, "
                   "section 3. Equation 7 as printed has its factors in the wrong order and lacks "
                   "1/s'y, so H y is not s"}});
}
