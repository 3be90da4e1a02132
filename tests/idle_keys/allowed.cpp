// Keys that may have no effect on a base and are not refused there, and why.
// SPDX-License-Identifier: Apache-2.0
#include "allowed.hpp"

#include "base.hpp"

#include <vector>

namespace idle_keys {
namespace {

const std::string by_estimate = R"([model.m]
use = "random-effects"
values = [2.8, 0.8, -0.3]
sds = [0.5, 1.0, 0.6]
[kernel.subject]
use = "metropolis-gaussian"
mean = "current"
step_size = 0.3
)";

const std::string many_cases = R"([model.m]
use = "probit-regression"
cases = 20000
dimension = 1
[kernel.subject]
use = "subsampled-metropolis"
scale = 0.02
size = 30
lipschitz = 20.0
)";

const std::string divided = R"(ranks = "coordinates"
[kernel.langevin]
use = "langevin"
step_size = 1e-4
[model.subject]
use = "matrix-factorisation"
data = ")" MIXWELL_SOURCE_DIR R"(/examples/factorisation/ratings.dat"
rank = 1
prior = "fixed"
biases = false
)";

/// On a table of columns x and y in which an x is missing.
Allowed missing_of(const std::string& model, const std::string& keys) {
  return {"model/" + model + ".missing", "*",
          "It matters where a value is missing, which is known only once the file is read.",
          head + "[kernel.walk]\nuse = \"random-walk-metropolis\"\n[model.subject]\nuse = \"" +
              model + "\"\n" + keys + "data = \"" + file("data/missing.csv") + "\"\n",
          "\"drop\""};
}

}  // namespace

std::span<const Allowed> allowed() {
  static const std::vector<Allowed> all = {
      {"kernel/metropolis-gaussian.estimate_correlation", "*",
       "It matters where the model is known only by an estimate. It is not refused elsewhere, so "
       "that `mixwell verify` can put the kernel of such a model on other targets.",
       head + by_estimate, "0.5"},
      {"kernel/subsampled-metropolis.error", "lipschitz = 20.0",
       "With a bound on the cases' changes most decisions take all cases, whatever the error. "
       "With thousands of cases some do not.",
       head + many_cases, "0.4"},
      missing_of("logistic-regression", "response = \"y\"\n"),
      missing_of("bayesian-neural-network", "response = \"y\"\nhidden = 1\n"),
      missing_of("beta-binomial", "n = \"x\"\n"),
      missing_of("ica", ""),
      {"model/matrix-factorisation.blocks", "*",
       "It matters where run.ranks = \"coordinates\", which the model does not know while its keys "
       "are read.",
       head + divided, "1000"},
  };
  return all;
}

}  // namespace idle_keys
