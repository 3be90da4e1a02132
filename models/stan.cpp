// Model `stan`: a Stan program with its data, through BridgeStan's C interface.
// SPDX-License-Identifier: Apache-2.0
#include "stan/target.hpp"

#include <mixwell/plugin.hpp>

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::stan::Target>(
      {.id = "stan",
       .summary = "A Stan program with its data",
       .details =
           "U = -log density of the program at theta on Stan's unconstrained scale, without "
           "constants, with the Jacobian of the constraints. A point that Stan rejects has U = "
           "+inf. A note at the end of a run tells how many there were, and Stan's words for the "
           "first.\n"
           "A run records the constrained parameters, transformed parameters and generated "
           "quantities with their names and shapes; indices count from 0. Arrays without elements "
           "are left out. log_lik and y_rep go to groups of their own. Generated quantities have "
           "their own random numbers at every draw, which are the same for any number of threads. "
           "A program without parameters draws only its generated quantities.\n"
           "`library` is loaded at run time; Mixwell contains no part of Stan. It must be trusted "
           "as a program is. A library made without STAN_THREADS serves one thread at a time.\n"
           "Starting points are uniform on (-init_radius, init_radius) on the unconstrained scale. "
           "They are drawn again, up to 100 times, where the density or its gradient is not "
           "finite. `init = { file = \"x.json\" }` in [run] gives values of some or all parameters "
           "instead.",
       .sources = {"Roualdes, Ward, Carpenter, Seyboldt & Axen 2023, J. Open Source Softw. 8(87), "
                   "5236 (BridgeStan)",
                   "Carpenter et al. 2017, J. Stat. Softw. 76(1) (Stan)"}});
}
