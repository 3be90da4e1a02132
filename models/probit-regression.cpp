// Model `probit-regression`: Bayesian probit regression; cases from a table or simulated.
// SPDX-License-Identifier: Apache-2.0
#include "probit-regression/cases.hpp"
#include "probit-regression/likelihood.hpp"
#include "regression/posterior.hpp"

#include <mixwell/plugin.hpp>

namespace mixwell::probit {
namespace {

class ProbitRegression final : public regression::Posterior<probit::Link> {
 public:
  struct Params : CaseParams {
    double prior_variance = 100;

    void declare(Fields& fields) {
      declare_data(fields);
      declare_format(fields, source);
      declare_classes(fields, source.classes);
      declare_columns(fields, source);
      declare_scale(fields, recipe);
      regression::declare_prior(fields, prior_variance);
      declare_test(fields, source);
      simulation.declare(fields);
    }
  };

  explicit ProbitRegression(const Params& params)
      : Posterior(make_cases(params), params.source, params.prior_variance) {}
};

}  // namespace
}  // namespace mixwell::probit

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::probit::ProbitRegression>(
      {.id = "probit-regression",
       .summary = "Bayesian probit regression with a normal prior; cases from CSV, LIBSVM or IDX "
                  "files, or simulated",
       .details =
           "P(positive | x) = Phi(x theta + o), theta_j ~ N(0, prior_variance):\n"
           "U(theta) = sum_n -w_n log Phi(s_n (x_n theta + o_n)) + |theta|^2 / (2 prior_variance), "
           "with s_n = +1 for the positive label and -1 for the other. Phi is the distribution "
           "function of N(0, 1). The logarithm of Phi and its derivative are computed from erfc, "
           "or from Laplace's continued fraction if the argument is below -4.\n"
           "If `data` is given, see the model `logistic-regression` for the files, rows x, "
           "offsets, weights, factors and names of coefficients.\n"
           "Without data, the cases are simulated. The input vector a of each case is N(0, C) with "
           "C_ij = r^|i - j|, where r = `correlation`. It is simulated as an autoregression along "
           "its coordinates: a_0 = z_0, a_i = r a_(i-1) + sqrt(1 - r^2) z_i. Rows x_n are made "
           "from these inputs in the same way as from a file, so the keys `standardize` and "
           "`intercept` apply. One theta is drawn from N(0, I / d) for all cases. The run reports "
           "the first ten coordinates of this theta. The label is 1 if x_n theta + e_n > 0, where "
           "e_n ~ N(0, 1). Each random stream is identified by `simulate_seed` and a name. The "
           "normal random numbers z of case n come from replicate n of the stream "
           "\"probit-regression/inputs\". theta is drawn from replicate 0 of the stream "
           "\"probit-regression/parameter\", and e_n from replicate n of the stream "
           "\"probit-regression/noise\".\n"
           "A gradient takes 4 N d multiplications and additions and N ratios phi / Phi, where phi "
           "is the density of N(0, 1). The metric is the expected information X' diag(phi^2 / (Phi "
           "(1 - Phi))) X plus the prior precision I / prior_variance. Computing it takes N d^2 "
           "multiplications and additions. Computing its derivative contracted with a matrix takes "
           "2 N d^2 multiplications and additions. As a sum of terms, U = U_0 + sum_n u_n, where "
           "U_0 is the prior's term and u_n is the term of training case n. For each case, a run "
           "can record w_n times the log probability of its label, and a label drawn from the "
           "model (see the key `run.predictive`).",
       .sources = {"Abramowitz & Stegun 1964, Handbook of Mathematical Functions, 26.2.14 (the "
                   "tail)",
                   "Girolami & Calderhead 2011, J. R. Stat. Soc. B 73, 123-214 (metric)"}});
}
