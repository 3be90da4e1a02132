// Estimator `product-form`: limited-memory BFGS as factors S and C (S S' = H, C C' = H^-1).
// SPDX-License-Identifier: Apache-2.0
#include "quasi-newton/estimator.hpp"
#include "quasi-newton/factors.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

struct ProductForm : quasi_newton::FactorForm<2> {
  using FactorForm::FactorForm;
  static std::shared_ptr<const Representation> representation() {
    return std::make_shared<quasi_newton::FactorRepresentation>(2);
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<quasi_newton::QuasiNewton<ProductForm>>(
      {.id = "product-form",
       .summary = "Limited-memory BFGS as products of rank-one factors: H = S S', H^-1 = C C'",
       .details =
           "For neighbouring positions theta and theta+ in the memory, a pair is s = theta+ - "
           "theta and y = grad U(theta+) - grad U(theta). Mixwell sorts the memory by descending U "
           "unless sort = false. If a pair fails the test s'y > curvature_test |s||y|, Mixwell "
           "drops theta+ and tries the next position. Mixwell starts from S = sqrt(gamma) I and C "
           "= I / sqrt(gamma). For each pair, it replaces S by (I - p q')S and C by (I - u t')C. "
           "Here B = C C', p = s / s'y, q = y + sqrt(s'y / s'Bs) B s, t = s / s'Bs and u = B s + "
           "sqrt(s'Bs / s'y) y. Then H y = s, S S' = H, C C' = B and C S' = I. The products are H "
           "v = S(S'v) and B v = C(C'v). The determinant 1 - p'q of each factor is negative. "
           "Mixwell therefore computes log det H from its absolute value, |1 - p'q| = sqrt(s'Bs / "
           "s'y). Computing the stored vectors from K pairs costs O(K^2 d). S z, S'v or C z costs "
           "2 K d multiplications, and H v or B v costs twice as many. Each replicate stores (2 d "
           "+ 2) K numbers.",
       .sources = {
           "Zhang & Sutton 2011, Quasi-Newton methods for Markov chain Monte Carlo, section 3. "
           "Equations 8 to 11 as printed have the wrong signs for y and s'By, so S S' is not H",
           "Brodlie, Gourlay & Greenstadt 1973, J. Inst. Maths Applics 11"}});
}
