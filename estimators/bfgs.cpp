// BFGS curvature as whole matrices.
// SPDX-License-Identifier: Apache-2.0
#include "quasi-newton/dense.hpp"
#include "quasi-newton/estimator.hpp"

#include <mixwell/plugin.hpp>

MIXWELL_PLUGIN(registrar) {
  using namespace mixwell::quasi_newton;
  registrar.add<RecursiveQuasiNewton<DenseForm>>(
      {.id = "bfgs",
       .summary = "BFGS: H, S and C as dense matrices, updated by every pair of the memory",
       .details =
           "Pairs s = theta+ - theta, y = grad U(theta+) - grad U(theta) of neighbours in the "
           "memory, sorted by descending U unless sort = false; a point whose pair fails the test "
           "s'y > curvature_test |s||y| is dropped and the next is tried. From H = gamma I, for "
           "each pair H <- (I - s y'/s'y) H (I - y s'/s'y) + s s'/s'y; S and C by the factors of "
           "estimator `product-form`, multiplied out. For K pairs O(K d^2) to build, d^2 "
           "multiplications for H v, S z, S'v or C z, 2 d^2 for B v = C(C'v); 3 d^2 + 1 numbers a "
           "column. The limited forms are cheaper wherever K < d / 4. Where a compositor says so "
           "(memory = \"published\" of ensemble-chain) the matrices are carried from sweep to "
           "sweep "
           "instead, from gamma I (I without gamma): pairs are then the accepted steps as they "
           "come, "
           "11 d^2 multiplications each.",
       .sources = {
           "Nocedal & Wright 2006, Numerical Optimization, equation 6.17",
           "Zhang & Sutton 2011, Quasi-Newton methods for Markov chain Monte Carlo, section "
           "3; their equation 7 has the factors in the wrong order and lacks 1/s'y: as "
           "printed, H y is not s"}});
}
