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
           "s_n = +1 for the positive label, else -1; Phi is the distribution function of N(0, 1), "
           "its logarithm and derivative by erfc, below -4 by Laplace's continued fraction.\n"
           "From data: files, rows x, offsets, weights, factors and names of coefficients are "
           "those of `logistic-regression`. Else cases are simulated: inputs a_n ~ N(0, C) with "
           "C_ij = correlation^|i - j|, an autoregression a_0 = z_0, a_i = r a_(i-1) + sqrt(1 - "
           "r^2) z_i; rows x_n are made of them as of a file's (standardize, "
           "intercept); one theta ~ N(0, I / d), shown in a remark; label 1 where x_n theta + e_n "
           "> 0, e_n ~ N(0, 1). The normals z are those of replicate n of the stream of "
           "simulate_seed and \"probit-regression/inputs\", those of theta of replicate 0 of "
           "\"probit-regression/parameter\", e_n that of replicate n of "
           "\"probit-regression/noise\".\n"
           "One gradient takes 4 N d multiplications and additions and N weights phi / Phi. "
           "Metric: the expected information X' diag(phi^2 / (Phi (1 - Phi))) X plus the prior's I "
           "/ prior_variance, N d^2 multiplications and additions; its contracted derivative takes "
           "2 N d^2. Sum of terms: U_0 is the prior's, u_n that of training case n. Recorded of "
           "cases (run.predictive): w_n times the log probability of the label, and labels drawn "
           "anew.",
       .sources = {"Abramowitz & Stegun 1964, Handbook of Mathematical Functions, 26.2.14 (the "
                   "tail)",
                   "Girolami & Calderhead 2011, J. R. Stat. Soc. B 73, 123-214 (metric)"}});
}
