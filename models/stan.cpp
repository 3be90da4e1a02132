// Model `stan`: a Stan program with its data, called through BridgeStan's C interface.
// SPDX-License-Identifier: Apache-2.0
#include "stan/target.hpp"

#include <mixwell/plugin.hpp>

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::stan::Target>(
      {.id = "stan",
       .summary = "A Stan program with its data",
       .details =
           "U is minus the log density of the program at theta on Stan's unconstrained scale. U "
           "leaves out constants and includes the Jacobian of the constraints. U is +inf at a "
           "point "
           "that Stan rejects. A note at the end of a run gives the number of such points and "
           "Stan's first message.\n"
           "A run records the constrained parameters, the transformed parameters and the generated "
           "quantities with their names and shapes. Indices count from 0. Arrays without elements "
           "are not recorded. By default, log_lik is in the group log_likelihood and y_rep is in "
           "the group posterior_predictive. Each draw has its own random numbers for the generated "
           "quantities. These numbers do not depend on the number of threads. If "
           "a program has no parameters, a run draws only its generated quantities.\n"
           "Mixwell loads `library` at run time and contains no part of Stan. Mixwell runs the "
           "code of the library, so use only a library that you trust. If a library was compiled "
           "without STAN_THREADS, only one thread at a time can use it.\n"
           "Starting points are uniform on (-init_radius, init_radius) on the unconstrained scale. "
           "If the density or its gradient is not finite at a point, Mixwell draws another point. "
           "It tries at most 100 points. `init = { file = \"x.json\" }` in [run] gives values of "
           "some or all "
           "parameters instead.",
       .sources = {"Roualdes, Ward, Carpenter, Seyboldt & Axen 2023, J. Open Source Softw. 8(87), "
                   "5236 (BridgeStan)",
                   "Carpenter et al. 2017, J. Stat. Softw. 76(1) (Stan)"}});
}
