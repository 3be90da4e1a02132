// Every registered model against the contract of models.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/contracts/model.hpp>

#include <catch2/catch.hpp>

#include <map>

namespace {

/// Keys of the models that have no default to stand on.
std::string keys_of(const std::string& id) {
  const std::map<std::string, std::string> all = {
      {"gaussian", "dimension = 3\n"},
      {"student-t", "dimension = 3\n"},
      {"gamma", "dimension = 2\nshape = 4\nrate = 0.5\n"},
      {"mirrored",
       "of = \"base\"\n[model.base]\nuse = \"gamma\"\nshape = 4\ndimension = 2\n"
       "[compositor.c]\nuse = \"chain\"\nmodel = \"m\"\n"},
      {"normal-groups", "values = [28, 8, -3, 7]\nsds = [15, 10, 16, 11]\n"},
      {"random-effects", "values = [2.8, 0.8, -0.3]\nsds = [0.5, 1.0, 0.6]\nsamples = 3\n"},
      {"probit-latent", "cases = 12\ndimension = 2\ncorrelation = 0.5\nprior_variance = 4\n"},
      {"changepoint", "counts = [4, 5, 2, 6, 1, 0, 2, 1]\n"},
      {"labelled-mixture", "values = [-2.1, -0.3, 1.8, 2.2]\nweights = [0.3, 0.7]\n"},
      {"gaussian-process",
       "inputs = [-2, -0.5, 1, 3]\nvalues = [0, 2, 1, 4]\nobserved = \"poisson\"\nmean = 0.5\n"},
      {"matrix-factorisation", "data = \"" + std::string(MIXWELL_SOURCE_DIR) +
                                   "/examples/factorisation/ratings.dat\"\nrank = 2\nshape = 6\n"
                                   "rate = 6\n"},
      {"matrix-factorisation", "data = \"" + std::string(MIXWELL_SOURCE_DIR) +
                                   "/examples/factorisation/ratings.dat\"\nrank = 2\nprior = "
                                   "\"fixed\"\nprecision = 4\nbiases = false\n"},
      {"stable-factorisation", "data = \"" + std::string(MIXWELL_SOURCE_DIR) +
                                   "/papers/hamcmc/examples/mixture.csv\"\nalpha = [1.2, 1.8]\n"
                                   "ranks = [1, 1]\nrow_shape = 3\ncolumn_shape = 3\n"},
      {"linear-gaussian", "cases = 40\ndimension = 3\ncorrelation = 0.9\n"},
      {"beta-binomial", "cases = 12\n"},
      {"ica", "cases = 40\nchannels = 2\n"},
      {"probit-regression", "cases = 40\ndimension = 2\ncorrelation = 0.5\n"},
      {"logistic-regression", "data = \"" + std::string(MIXWELL_SOURCE_DIR) +
                                  "/examples/challenger/challenger.csv\"\n"
                                  "response = \"distress\"\ninputs = [\"temperature\"]\n"},
      {"bayesian-neural-network", "data = \"" + std::string(MIXWELL_SOURCE_DIR) +
                                      "/examples/challenger/challenger.csv\"\n"
                                      "response = \"distress\"\ninputs = [\"temperature\"]\n"
                                      "hidden = 2\nshape = 6\nrate = 6\n"},
      {"linear-chain-crf", "data = \"" + std::string(MIXWELL_SOURCE_DIR) +
                               "/papers/hmc-bfgs/examples/sentences.txt\"\n"},
      {"poisson-hierarchy", "data = \"" + std::string(MIXWELL_SOURCE_DIR) +
                                "/examples/outside/poisson-hierarchy.csv\"\n"},
      {"callback", "library = \"" + std::string(MIXWELL_BUILD_DIR) +
                       "/tests/callback/functions.so\"\nsymbol = \"normal\"\n"
                       "parameters = [\"x[3]\"]\n"},
      {"stan", "library = \"" + std::string(MIXWELL_BUILD_DIR) +
                   "/tests/stan/right.so\"\ndata = \"" + MIXWELL_SOURCE_DIR +
                   "/tests/stan/data.json\"\n"},
  };
  const auto found = all.find(id);
  return found == all.end() ? "" : found->second;
}

}  // namespace

TEST_CASE("every model keeps the contract of models") {
  for (const mixwell::Entry& entry : composing::registry().entries()) {
    if (entry.kind != mixwell::Kind::model) continue;
    const std::string& id = entry.description.id;
    const auto composition =
        composing::compose("[model.m]\nuse = \"" + id + "\"\n" + keys_of(id) +
                           "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                           "\"hamiltonian\"\nsteps = 10\nstep_size = 0.1\n");
    const auto findings = mixwell::contracts::check_model(*composition.model());
    INFO(id << "\n" << mixwell::contracts::report(findings));
    CHECK(mixwell::contracts::all_hold(findings));
  }
}
