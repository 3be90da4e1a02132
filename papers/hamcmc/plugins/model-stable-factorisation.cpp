// Model `stable-factorisation`: a heavy-tailed complex matrix with factorised dispersions.
// SPDX-License-Identifier: Apache-2.0
#include "stable-factorisation/entries.hpp"
#include "stable-factorisation/layout.hpp"
#include "stable-factorisation/likelihood.hpp"
#include "stable-factorisation/priors.hpp"
#include "stable-factorisation/scales.hpp"
#include "stable-factorisation/separation.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::stable_factorisation {
namespace {

struct Keys {
  std::string data;
  std::vector<double> alpha;
  std::vector<double> ranks{2.0};
  FactorPrior row;
  FactorPrior column;
  bool has_source = false;

  void declare(Fields& fields) {
    fields.text("data", data)
        .file()
        .required()
        .help(
            "CSV with the columns `row`, `column` (both from 0), `real` and `imaginary`; one entry "
            "on each line");
    fields.numbers("alpha", alpha)
        .required()
        .above(0)
        .below(2)
        .help("characteristic exponent of each source; eq. 15 of the paper has one source");
    fields.numbers("ranks", ranks)
        .at_least(1)
        .at_most(1000)
        .help("number of factors of each source");
    fields.number("row_shape", row.shape).above(0).help("a_w, shape of the row factors' prior");
    fields.number("row_scale", row.scale).above(0).help("b_w, scale of the row factors' prior");
    fields.number("column_shape", column.shape)
        .above(0)
        .help("a_h, shape of the column factors' prior");
    fields.number("column_scale", column.scale)
        .above(0)
        .help("b_h, scale of the column factors' prior");
    fields.flag("has_source", has_source)
        .help(
            "read the true first source (columns `source_real`, `source_imaginary`) to compute a "
            "run's error");
  }
};

void require_keys(const Keys& keys) {
  if (keys.alpha.empty())
    throw ParameterError("alpha",
                         "must have one number for each source. Give at least one number.");
  if (keys.ranks.size() != keys.alpha.size())
    throw ParameterError(
        "ranks",
        "must have one number for each source, but has " + std::to_string(keys.ranks.size()) +
            " for " + std::to_string(keys.alpha.size()) +
            " sources (`alpha` has one number for each source). Give one rank for each source.");
  for (const double rank : keys.ranks)
    if (rank != std::floor(rank))
      throw ParameterError("ranks", "must be whole numbers, such as [2, 1].");
  if (keys.has_source && keys.alpha.size() < 2)
    throw ParameterError("has_source",
                         "needs at least two sources, because a single source is the whole matrix. "
                         "Give at least two numbers in `alpha`.");
}

Entries entries_of(const Keys& keys) {
  require_keys(keys);
  return read_entries(keys.data, keys.has_source);
}

std::vector<Source> sources_of(const Keys& keys) {
  std::vector<Source> sources;
  Index first = 0;
  for (std::size_t s = 0; s < keys.alpha.size(); ++s) {
    const auto rank = static_cast<Index>(keys.ranks[s]);
    sources.push_back({.alpha = keys.alpha[s], .first = first, .rank = rank});
    first += rank;
  }
  return sources;
}

Layout layout_of(const Keys& keys, const Entries& entries) {
  Layout layout{.rows = entries.row_count(),
                .columns = entries.column_count(),
                .entries = entries.size(),
                .rank = 0,
                .sources = sources_of(keys)};
  for (const Source& one : layout.sources) layout.rank += one.rank;
  return layout;
}

Likelihood likelihood_of(const Keys& keys, Entries entries) {
  Layout layout = layout_of(keys, entries);
  return {std::move(layout), std::move(entries)};
}

class StableFactorisation final : public Model, public Prior, public DataDraws, public SumOfTerms {
 public:
  using Params = Keys;
  explicit StableFactorisation(const Params& params)
      : StableFactorisation(params, entries_of(params)) {}

  std::vector<Parameter> parameters() const override;
  /// The gradient is unbounded where a factor is near 0.
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::singular; }
  std::shared_ptr<const ConditionalPotential> conditional_potential(
      const std::vector<Index>& coordinates) const override {
    return Scales::make(likelihood_, priors_, coordinates);
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    each_column(stream, at, theta,
                [&](RandomNumbers& random, double* x) { priors_.draw(random, x); });
  }
  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                      Address at) const override;

  bool rest_is_prior() const noexcept override { return true; }
  Index terms() const noexcept override { return likelihood_.entries().size(); }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override;
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override;

 private:
  void offer(Offer& offer) const noexcept override { offer.set<Prediction>(separation_.get()); }
  StableFactorisation(const Params& params, Entries entries)
      : likelihood_(likelihood_of(params, std::move(entries))),
        priors_(likelihood_.layout(), params.row, params.column),
        separation_(params.has_source ? std::make_unique<Separation>(likelihood_) : nullptr) {}
  StableFactorisation(const StableFactorisation& other, Entries entries)
      : likelihood_(other.likelihood_.layout(), std::move(entries)), priors_(other.priors_) {
    set_name(other.name());
  }

  bool evaluates_potential_alone() const noexcept override { return true; }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override;
  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    Model::do_initial(stream, at, theta);
    for (Index r = 0; r < theta.cols(); ++r) priors_.scale(theta.col(r).data());
  }

  Likelihood likelihood_;
  Priors priors_;
  std::unique_ptr<const Separation> separation_;
};

std::vector<Parameter> StableFactorisation::parameters() const {
  const Layout& layout = likelihood_.layout();
  const Index sources = likelihood_.sources();
  return {{.name = "row_factors",
           .shape = {layout.rows, layout.rank},
           .constraint = Constraint::absolute(),
           .dims = {"row", "factor"}},
          {.name = "column_factors",
           .shape = {layout.columns, layout.rank},
           .constraint = Constraint::absolute(),
           .dims = {"column", "factor"}},
          {.name = "angle",
           .shape = {sources, layout.entries},
           .constraint = Constraint::interval(0.0, std::numbers::pi),
           .dims = {"source", "entry"}},
          {.name = "energy",
           .shape = {sources, layout.entries},
           .constraint = Constraint::positive(),
           .dims = {"source", "entry"}}};
}

std::shared_ptr<Model> StableFactorisation::with_data_at(ConstBatch theta, const Stream& stream,
                                                         Address at) const {
  Entries drawn = likelihood_.entries();
  Eigen::MatrixXd z(2 * drawn.size(), 1);
  stream.normals(at, z);
  for (Index n = 0; n < drawn.size(); ++n) {
    const double sd = std::sqrt(likelihood_.variance(theta.col(0).data(), n));
    drawn.real(n) = sd * z(2 * n, 0);
    drawn.imaginary(n) = sd * z(2 * n + 1, 0);
  }
  return std::shared_ptr<Model>(new StableFactorisation(*this, std::move(drawn)));
}

/// Costs 4 exponentials for each scale and 2 for each factor.
void StableFactorisation::evaluate_rest(ConstBatch theta, const Evaluation& out) const {
  by_column::set(theta, out, [&](const double* x, double* g, Index) {
    return g != nullptr ? priors_.add(x, g) : priors_.potential(x);
  });
}

void StableFactorisation::evaluate_terms(ConstBatch theta, ConstBatch indices,
                                         const Evaluation& out) const {
  by_column::evaluate_terms(likelihood_, theta, indices, out);
}

/// Costs one evaluation of the prior, and 10 K operations for each entry. U without its gradient
/// costs 2 K operations for each entry.
void StableFactorisation::do_evaluate(ConstBatch theta, const Evaluation& out) const {
  evaluate_rest(theta, out);
  by_column::add_all_terms(likelihood_, terms(), theta, out);
}

}  // namespace
}  // namespace mixwell::stable_factorisation

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::stable_factorisation::StableFactorisation>(
      {.id = "stable-factorisation",
       .summary = "A complex matrix of symmetric alpha-stable entries with factorised dispersions",
       .details =
           "With one source, x_ij given W and H is isotropic alpha-stable: E exp(i Re(conj(t) x)) "
           "= exp(-lambda |t|^alpha), with lambda_ij = sum_k W_ik H_jk. The model represents x_ij "
           "as a normal variable with random scales: x_ij = sqrt(Phi_ij) lambda_ij^(1/alpha) (z + "
           "i z'), where z and z' ~ N(0, 1), and Phi is positive (alpha/2)-stable. Phi is Kanter's "
           "function of two parameters: an angle ~ uniform(0, pi), and an energy ~ exponential(1). "
           "With several sources, the matrix x is the sum of the sources. Each source has its own "
           "alpha and factors. With `has_source`, the error of a run is 10 log10(|s - s_0|^2 / "
           "|s_0|^2), where s_0 is the true first source and s is its estimate. Each draw gives a "
           "conditional mean of the first source, and s is the average of these means. The error "
           "is minus the signal-to-distortion ratio.\n"
           "The priors are (W_ik / b_w)^(-2/alpha) ~ Gamma(a_w, 1) and (H_jk / b_h)^(-2/alpha) ~ "
           "Gamma(a_h, 1). The coordinates of W and H can be negative. The potential is U(|W|, "
           "|H|), and Mixwell records the absolute values. The gradient of the prior is unbounded "
           "near 0.\n"
           "To update the scales Phi, use kernel `prior-metropolis` in compositor `blocks` with "
           "`parameters = [\"angle\", \"energy\"]`. To update the scales of only some sources, "
           "list their elements. For example, `[\"angle[0]\", \"energy[0]\"]` selects the scales "
           "of the first source. As a sum of terms, U = U_0 + sum_n u_n, where U_0 is the prior's "
           "term and u_n is the term of entry n. With K factors, each u_n costs 10 K operations.",
       .sources = {"Simsekli, Badeau, Cemgil & Richard 2016, ICML, eq. 15 and 16; the printed eq. "
                   "16 has cos(pi alpha)/4 instead of cos(pi alpha/4)",
                   "Simsekli, Liutkus & Cemgil 2015, IEEE Signal Process. Lett. 22",
                   "Kanter 1975, Ann. Prob. 3, theorem 4.1"}});
}
