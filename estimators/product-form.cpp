// Limited-memory BFGS curvature in product form: factors S and C with S S' = H and C C' = H^-1.
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
       .summary = "limited-memory BFGS as products of rank-one factors: H = S S', H^-1 = C C'",
       .details =
           "Pairs s = theta+ - theta, y = grad U(theta+) - grad U(theta) of neighbours in the "
           "memory, sorted by descending U unless sort = false; a point whose pair fails the test "
           "s'y > curvature_test |s||y| is dropped and the next is tried. From S = sqrt(gamma) I, "
           "C = I / sqrt(gamma), for each pair, with B = C C': S <- (I - p q')S, p = s / s'y, q = "
           "y + sqrt(s'y / s'Bs) B s; C <- (I - u t')C, t = s / s'Bs, u = B s + sqrt(s'Bs / s'y) "
           "y. Then H y = s, S S' = H, C C' = B and C S' = I. H v = S(S'v), B v = C(C'v); log det "
           "H from |1 - p'q| = sqrt(s'Bs / s'y), each factor turning the orientation. For K pairs "
           "O(K^2 d) to build, 2 K d multiplications for S z, S'v or C z and twice as many for H v "
           "or B v; (2 d + 2) K numbers a column.",
       .sources = {
           "Zhang & Sutton 2011, Quasi-Newton methods for Markov chain Monte Carlo, section 3; "
           "their equations 8 to 11 have the sign of y and s'By wrong: as printed, S S' is not H",
           "Brodlie, Gourlay & Greenstadt 1973, J. Inst. Maths Applics 11"}});
}
