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
        .help("CSV with columns row, column (from 0), real and imaginary; one entry on each line");
    fields.numbers("alpha", alpha)
        .required()
        .above(0)
        .below(2)
        .help(
            "characteristic exponent of each source; a single source gives the density of eq. 15");
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
            "the data also have columns source_real and source_imaginary with the first source; "
            "used for the error of a run");
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
           "i z'), where z and z' ~ N(0, "
           "1), and Phi is positive (alpha/2)-stable. Phi is Kanter's function of an angle, "
           "uniform on (0, pi), and an energy, which is exponential. Both are parameters. With "
           "several sources, x_ij is the sum of the sources. Each source has its own alpha and "
           "factors. With has_source the error of a "
           "run is 10 log10 of a ratio: the squared error of the estimated first source, divided "
           "by the sum of squares of the true first source. The estimate is the source's mean "
           "given each draw, averaged "
           "over the draws. The error is minus the signal-to-distortion ratio.\n(W_ik / "
           "b)^(-2/alpha) ~ Gamma(a, 1), and the same for H. The coordinates are W and H with "
           "signs. The potential is U(|W|, |H|), and Mixwell records the absolute values. Near 0 "
           "the gradient of the prior is unbounded.\nKernel "
           "`prior-metropolis` in compositor `blocks` moves the scales: use parameters = "
           "[\"angle\", \"energy\"], or those of some sources, such as [\"angle[0]\", "
           "\"energy[0]\"]. U is a sum of terms: U_0 is the prior's part, u_n is the part of entry "
           "n, and each u_n costs 10 K operations for K factors.",
       .sources = {"Simsekli, Badeau, Cemgil & Richard 2016, ICML, eq. 15 and 16; the printed eq. "
                   "16 has cos(pi alpha)/4 instead of cos(pi alpha/4)",
                   "Simsekli, Liutkus & Cemgil 2015, IEEE Signal Process. Lett. 22",
                   "Kanter 1975, Ann. Prob. 3, theorem 4.1"}});
}
