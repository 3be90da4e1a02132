// Model `probit-regression`: Bayesian probit regression on a table or on simulated cases.
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
       .summary = "Bayesian probit regression on CSV, LIBSVM or IDX files or simulated cases, with "
                  "a normal prior",
       .details =
           "P(positive | x) = Phi(x theta + o), theta_j ~ N(0, prior_variance):\n"
           "U(theta) = sum_n -w_n log Phi(s_n (x_n theta + o_n)) + |theta|^2 / (2 prior_variance), "
           "with s_n = +1 for the positive label and -1 for the other. Phi is the distribution "
           "function of N(0, 1). The logarithm of Phi and its derivative are computed from erfc, "
           "and below -4 from Laplace's continued fraction.\n"
           "With data, files, rows x, offsets, weights, factors and names of coefficients are as "
           "in the model `logistic-regression`.\n"
           "Without data, the cases are simulated. Inputs are a_n ~ N(0, C) with C_ij = "
           "correlation^|i - j|, an autoregression a_0 = z_0, a_i = r a_(i-1) + sqrt(1 - r^2) z_i. "
           "Rows x_n are made from these inputs in the same way as from a file: the keys "
           "standardize and intercept apply. One theta "
           "is drawn from N(0, I / d) for all cases, and a remark of the run shows it. The label "
           "is 1 if x_n theta + e_n > 0, "
           "e_n ~ N(0, 1). The normals z are those of replicate n in the stream of simulate_seed "
           "and \"probit-regression/inputs\". theta uses replicate 0 of "
           "\"probit-regression/parameter\", and e_n uses replicate n of "
           "\"probit-regression/noise\".\n"
           "A gradient takes 4 N d multiplications and additions and N ratios phi / Phi. The "
           "metric is the expected information X' diag(phi^2 / (Phi (1 - Phi))) X plus the prior's "
           "I / prior_variance, in N d^2 multiplications and additions. Its contracted derivative "
           "takes 2 N d^2. As a sum of terms, U = U_0 + sum_n u_n, where U_0 is the prior's term "
           "and u_n is the term of "
           "training case n. For each case, a run can record w_n times the log probability of its "
           "label, and a label drawn from the model (see the key `run.predictive`).",
       .sources = {"Abramowitz & Stegun 1964, Handbook of Mathematical Functions, 26.2.14 (the "
                   "tail)",
                   "Girolami & Calderhead 2011, J. R. Stat. Soc. B 73, 123-214 (metric)"}});
}
