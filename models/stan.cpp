// Model `stan`: a Stan program with its data, called through BridgeStan's C interface.
// SPDX-License-Identifier: Apache-2.0
#include "stan/target.hpp"

#include <mixwell/plugin.hpp>

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::stan::Target>(
      {.id = "stan",
       .summary = "A Stan program with its data",
       .details =
           "U is minus the log density of the program at theta on Stan's unconstrained scale. The "
           "density includes the Jacobian determinant of the map to the constrained scale. U omits "
           "additive constants. U is +inf at a point that Stan rejects. A note at the end of a run "
           "gives the number of such points and Stan's first message.\n"
           "A run records the constrained parameters, the transformed parameters and the generated "
           "quantities with their names and shapes. The indices of recorded elements start at 0. "
           "Arrays without elements are not recorded. By default, Mixwell records the variable "
           "`log_lik` in the group `log_likelihood`, and `y_rep` in the group "
           "`posterior_predictive`. Each draw has its own random numbers for the generated "
           "quantities. These numbers do not depend on the number of threads. If a program has no "
           "parameters, a run draws only the generated quantities of the program.\n"
           "Mixwell contains no part of Stan. At run time, it loads the library that `library` "
           "names and runs the code of this library. Use only a library that you trust. If a "
           "library was compiled without STAN_THREADS, only one thread at a time can use it.\n"
           "Mixwell draws each coordinate of a starting point uniformly from (-r, r) on the "
           "unconstrained scale, where r = `init_radius`. If the density or its gradient is not "
           "finite at a point, Mixwell draws another point. It tries at most 100 points. To give "
           "starting values for some or all parameters, set `init = { file = \"x.json\" }` in "
           "[run].",
       .sources = {"Roualdes, Ward, Carpenter, Seyboldt & Axen 2023, J. Open Source Softw. 8(87), "
                   "5236 (BridgeStan)",
                   "Carpenter et al. 2017, J. Stat. Softw. 76(1) (Stan)"}});
}
