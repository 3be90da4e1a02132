// Model `matrix-factorisation`: Bayesian factorisation of a partially observed matrix.
// SPDX-License-Identifier: Apache-2.0
#include "matrix-factorisation/conditional.hpp"
#include "matrix-factorisation/gamma_prior.hpp"
#include "matrix-factorisation/layout.hpp"
#include "matrix-factorisation/likelihood.hpp"
#include "matrix-factorisation/portion.hpp"
#include "matrix-factorisation/priors.hpp"
#include "matrix-factorisation/ratings.hpp"
#include "matrix-factorisation/row_draws.hpp"
#include "matrix-factorisation/row_prior.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::factorisation {
namespace {

using hyper_prior::GammaPrior;
using hyper_prior::RowPrior;

/// The conditionals that the model can draw, in the order of conditionals().
enum Conditional : std::size_t { of_users, of_items, of_hyper_parameters };

struct Keys {
  std::string data;
  std::optional<std::string> test;
  Fold fold;
  std::int64_t rank = 10;
  bool biases = true;
  std::optional<double> offset;
  double noise_precision = 2.0;
  std::string prior = "gamma";
  double shape = 1.0;
  double rate = 1.0;
  double strength = 2.0;
  std::optional<double> degrees;
  std::optional<double> precision;
  std::optional<Interval> clip;
  std::int64_t blocks = 4;

  void declare(Fields& fields) {
    fields.text("data", data)
        .file()
        .required()
        .help(
            "file of ratings in a MovieLens format (user::item::rating, tabs or CSV), plain or "
            "gzipped");
    fields.text("test", test)
        .file()
        .help("file of other ratings of the same items by the same users, for the test error");
    fields.integer("folds", fold.folds)
        .at_least(1)
        .at_most(1000)
        .help("k > 1: split the ratings of `data` into k random folds and hold one fold out");
    fields.integer("fold", fold.fold)
        .at_least(0)
        .at_most(1e6)
        .help("index of the fold that is held out, from 0");
    fields.integer("fold_seed", fold.seed)
        .at_least(0)
        .only_where("folds above 1", [this] { return fold.folds > 1; })
        .help("seed of the split");
    fields.integer("rank", rank)
        .at_least(1)
        .at_most(1000)
        .help("K, number of factors of each user and each item");
    fields.flag("biases", biases).help("add a bias a_i for each user and b_j for each item");
    fields.number("offset", offset)
        .help("constant part of each rating; default: mean of the training ratings");
    fields.number("noise_precision", noise_precision)
        .above(0)
        .help("tau, precision of the noise of a rating");
    fields.text("prior", prior)
        .one_of({"gamma", "normal-wishart", "fixed"})
        .help("prior of the factors: gamma, normal-wishart, or fixed (see details)");
    fields.number("shape", shape).above(0).help("shape of the gamma prior of precisions");
    fields.number("rate", rate)
        .above(0)
        .help(
            "rate of the gamma prior of a precision l; its density is proportional to l^(shape-1) "
            "exp(-rate l)");
    fields.number("strength", strength)
        .above(0)
        .only_with("prior", {"normal-wishart"})
        .help(
            "strength of the prior m ~ N(0, (strength P)^-1), where the factors have mean m and "
            "precision P");
    fields.number("degrees", degrees)
        .above(0)
        .only_with("prior", {"normal-wishart"})
        .help(
            "degrees of freedom of the prior P ~ Wishart(degrees, I); must be above K - 1; "
            "default: K");
    fields.number("precision", precision)
        .above(0)
        .only_with("prior", {"fixed"})
        .help("precision of each factor; default: 1");
    fields.interval("clip", clip)
        .only_where("test cases (from `test`, or from `folds` above 1)",
                    [this] { return test.has_value() || fold.folds > 1; })
        .help("[low, high]: limits of predicted ratings, such as [1, 5]");
    fields.integer("blocks", blocks)
        .at_least(1)
        .at_most(1000)
        .help(
            "number of user blocks, item blocks and strata (all equal) for run.ranks = "
            "\"coordinates\"");
  }
};

std::unique_ptr<const RowPrior> factor_prior(const Keys& keys) {
  if (keys.prior == "gamma") return std::make_unique<GammaPrior>(keys.shape, keys.rate);
  if (keys.prior == "fixed") return std::make_unique<FixedPrior>(keys.precision.value_or(1.0));
  const auto rank = static_cast<double>(keys.rank);
  const double degrees = keys.degrees.value_or(rank);
  if (degrees <= rank - 1.0)
    throw ParameterError("degrees", "must be above rank - 1 = " + std::to_string(keys.rank - 1));
  return std::make_unique<NormalWishartPrior>(keys.rank, keys.strength, degrees);
}

void require_keys(const Keys& keys) {
  if (keys.fold.fold >= keys.fold.folds)
    throw ParameterError("fold", "must be below `folds` (" + std::to_string(keys.fold.folds) + ")");
  if (keys.test && keys.fold.folds > 1)
    throw ParameterError(
        "test", "must be left out if `folds` is above 1, because one fold is the test set");
}

/// The ratings, and the ids of users and items.
struct Data {
  Ids ids;
  Split split;
};

Data read_data(const Keys& keys) {
  require_keys(keys);
  const std::vector<RatingLine> lines = read_ratings(keys.data);
  Data data{.ids = ids_of(lines), .split = {}};
  data.split = split(ratings_of(lines, data.ids), keys.fold);
  if (data.split.training.size() == 0)
    throw ParameterError(
        "folds",
        "must leave at least one rating to train on, but the number of ratings in `data` is " +
            std::to_string(lines.size()));
  if (keys.test) data.split.test = ratings_of(read_ratings(*keys.test), data.ids);
  return data;
}

double offset_of(const Keys& keys, const Ratings& training) {
  return keys.offset ? *keys.offset : training.values.mean();
}

class MatrixFactorisation final : public Model,
                                  public Prior,
                                  public DataDraws,
                                  public SumOfTerms,
                                  public ConditionalDraws,
                                  public DivisibleModel {
 public:
  using Params = Keys;
  explicit MatrixFactorisation(const Params& params)
      : MatrixFactorisation(params, read_data(params)) {}
  std::shared_ptr<Model> portion(std::shared_ptr<Portions> processes) const override;

  std::vector<Parameter> parameters() const override;
  std::vector<Labels> labels() const override { return labels_; }
  std::vector<std::string> remarks() const override { return remarks_; }
  /// Products of factors give a gradient of third degree.
  GradientGrowth gradient_growth() const noexcept override {
    return GradientGrowth::locally_lipschitz;
  }
  std::shared_ptr<const ConditionalPotential> conditional_potential(
      const std::vector<Index>& coordinates) const override {
    return RowsGivenRest::make(layout_, likelihood_, priors(), coordinates);
  }

  /// Draws hyper-parameters, then factors and biases given the hyper-parameters.
  void draw(const Stream& stream, Address at, Batch theta) const override;
  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                      Address at) const override;

  Index terms() const noexcept override { return likelihood_.ratings().size(); }
  Index stratum(Index n, Index strata) const override { return likelihood_.stratum(n, strata); }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override;
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override;

  std::vector<std::vector<std::string>> conditionals() const override;
  void draw_conditional(std::size_t which, const Stream& stream, Address at, Batch theta,
                        Workspace& scratch) const override;

 private:
  void offer(Offer& offer) const noexcept override { offer.set<Prediction>(held_out_.get()); }
  MatrixFactorisation(const Params& params, Data data);
  MatrixFactorisation(const MatrixFactorisation& other, Ratings ratings);

  bool evaluates_potential_alone() const noexcept override { return true; }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override;
  /// A tenth of the default range, so products of factors are near 0 and precisions near 1.
  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    Model::do_initial(stream, at, theta);
    theta *= 0.1;
  }

  Priors priors() const noexcept { return {*factor_prior_, bias_prior_}; }
  void draw_hyper_parameters(RandomNumbers& random, double* theta, Workspace& scratch) const;

  std::shared_ptr<const RowPrior> factor_prior_;
  Layout layout_;
  GammaPrior bias_prior_;
  Likelihood likelihood_;
  RowDraws user_draws_;
  RowDraws item_draws_;
  std::vector<Labels> labels_;
  std::vector<std::string> remarks_;
  std::shared_ptr<const HeldOut> held_out_;
  Index blocks_;  ///< number of blocks of users and of items, which ranks share
};

/// Checks that ranks can divide the coordinates. They cannot divide hyper-parameters, which depend
/// on all rows of a side.
void require_blocks(const Layout& layout, Index blocks, const Portions& processes) {
  if (layout.hyper != 0)
    throw ParameterError("prior",
                         "must be \"fixed\" with run.ranks = \"coordinates\", because other priors "
                         "have hyper-parameters that all users or all items share");
  if (layout.biases)
    throw ParameterError("biases",
                         "must be false with run.ranks = \"coordinates\", because all users or all "
                         "items share the precision of their biases");
  if (blocks > std::min(layout.users, layout.items))
    throw ParameterError("blocks",
                         "must be at most " + std::to_string(std::min(layout.users, layout.items)) +
                             ", the smaller of the number of users and the number of items");
  if (processes.ranks() > blocks)
    throw ParameterError("blocks",
                         "must be at least " + std::to_string(processes.ranks()) +
                             ", the number of ranks, because each rank needs at least one block");
}

Layout layout_of(const Keys& keys, const Ids& ids, const RowPrior& prior) {
  return {.users = std::ssize(ids.users),
          .items = std::ssize(ids.items),
          .rank = keys.rank,
          .biases = keys.biases,
          .hyper = prior.coordinates()};
}

Labels labels_of(const std::string& dim, const std::vector<std::int64_t>& ids) {
  Labels labels{.dim = dim, .labels = {}};
  for (const std::int64_t id : ids) labels.labels.push_back(std::to_string(id));
  return labels;
}

std::vector<std::string> remarks_on(const Data& data) {
  std::vector<std::string> all;
  for (const std::string& remark :
       {remark_on_unrated(data.ids.users, data.split.training.users, "users"),
        remark_on_unrated(data.ids.items, data.split.training.items, "items")})
    if (!remark.empty()) all.push_back(remark);
  return all;
}

MatrixFactorisation::MatrixFactorisation(const Params& params, Data data)
    : factor_prior_(factor_prior(params)),
      layout_(layout_of(params, data.ids, *factor_prior_)),
      bias_prior_(params.shape, params.rate),
      likelihood_(layout_, data.split.training, offset_of(params, data.split.training),
                  params.noise_precision),
      user_draws_(layout_, Side::users, likelihood_),
      item_draws_(layout_, Side::items, likelihood_),
      labels_{labels_of("user", data.ids.users), labels_of("item", data.ids.items)},
      remarks_(remarks_on(data)),
      blocks_(params.blocks) {
  if (data.split.test.size() == 0) return;
  held_out_ = std::make_shared<HeldOut>(
      Likelihood(layout_, data.split.test, likelihood_.offset(), params.noise_precision),
      params.clip);
}

/// The model of the whole has names, labels and predictions, but no ratings.
std::shared_ptr<Model> MatrixFactorisation::portion(std::shared_ptr<Portions> processes) const {
  require_blocks(layout_, blocks_, *processes);
  auto whole = std::shared_ptr<MatrixFactorisation>(new MatrixFactorisation(*this, Ratings()));
  whole->remarks_ = remarks_;
  whole->held_out_ = held_out_;
  const Deal deal{blocks_};
  Cells cells(layout_, deal, processes->first_block(processes->rank(), deal.blocks),
              processes->first_block(processes->rank() + 1, deal.blocks), likelihood_.ratings(),
              likelihood_.offset(), likelihood_.precision());
  return std::make_shared<Portion>(std::move(whole), std::move(processes), layout_, deal,
                                   factor_prior_, std::move(cells));
}

MatrixFactorisation::MatrixFactorisation(const MatrixFactorisation& other, Ratings ratings)
    : factor_prior_(other.factor_prior_),
      layout_(other.layout_),
      bias_prior_(other.bias_prior_),
      likelihood_(layout_, std::move(ratings), other.likelihood_.offset(),
                  other.likelihood_.precision()),
      user_draws_(layout_, Side::users, likelihood_),
      item_draws_(layout_, Side::items, likelihood_),
      labels_(other.labels_),
      blocks_(other.blocks_) {
  set_name(other.name());
}

std::vector<Parameter> MatrixFactorisation::parameters() const {
  const auto [users, items, rank, with_biases, hyper] = layout_;
  std::vector<Parameter> all = {
      {.name = "user_factors", .shape = {users, rank}, .dims = {"user", "factor"}},
      {.name = "item_factors", .shape = {items, rank}, .dims = {"item", "factor"}}};
  if (with_biases) {
    all.push_back({.name = "user_bias", .shape = {users}, .dims = {"user"}});
    all.push_back({.name = "item_bias", .shape = {items}, .dims = {"item"}});
  }
  const auto append = [&all](const RowPrior& prior, const std::string& what) {
    for (const Parameter& one : prior.parameters(what)) all.push_back(one);
  };
  append(*factor_prior_, "user");
  append(*factor_prior_, "item");
  if (with_biases) {
    append(bias_prior_, "user_bias");
    append(bias_prior_, "item_bias");
  }
  return all;
}

void MatrixFactorisation::draw(const Stream& stream, Address at, Batch theta) const {
  Workspace scratch;
  each_column(stream, at, theta, [&](RandomNumbers& random, double* x) {
    each_part(priors(), layout_, [&](const PriorPart& part) {
      part.prior.draw(random, part.rows(x).leftCols(0), x + part.hyper, scratch);
      part.prior.draw_rows(random, x + part.hyper, part.rows(x), scratch);
    });
  });
}

std::shared_ptr<Model> MatrixFactorisation::with_data_at(ConstBatch theta, const Stream& stream,
                                                         Address at) const {
  Ratings drawn = likelihood_.ratings();
  Eigen::MatrixXd z(drawn.size(), 1);
  stream.normals(at, z);
  for (Index n = 0; n < drawn.size(); ++n)
    drawn.values[n] =
        likelihood_.expected(theta.col(0).data(), n) + z(n, 0) / std::sqrt(likelihood_.precision());
  return std::shared_ptr<Model>(new MatrixFactorisation(*this, std::move(drawn)));
}

void MatrixFactorisation::evaluate_rest(ConstBatch theta, const Evaluation& out) const {
  by_column::set(theta, out, [&](const double* x, double* g, Index) {
    double u = 0.0;
    each_part(priors(), layout_, [&](const PriorPart& part) { part.add(x, u, g, out.scratch); });
    return u;
  });
}

void MatrixFactorisation::evaluate_terms(ConstBatch theta, ConstBatch indices,
                                         const Evaluation& out) const {
  by_column::evaluate_terms(likelihood_, theta, indices, out);
}

/// Takes 6 N K operations for each column, or 2 N K for U only, plus the prior.
void MatrixFactorisation::do_evaluate(ConstBatch theta, const Evaluation& out) const {
  evaluate_rest(theta, out);
  by_column::add_all_terms(likelihood_, terms(), theta, out);
}

std::vector<std::vector<std::string>> MatrixFactorisation::conditionals() const {
  std::vector<std::vector<std::string>> all = {{"user_factors"}, {"item_factors"}, {}};
  if (layout_.biases) {
    all[of_users].push_back("user_bias");
    all[of_items].push_back("item_bias");
  }
  const std::size_t first = layout_.biases ? 4 : 2;
  const std::vector<Parameter> known = parameters();
  for (std::size_t k = first; k < known.size(); ++k)
    all[of_hyper_parameters].push_back(known[k].name);
  if (all[of_hyper_parameters].empty()) all.pop_back();
  return all;
}

void MatrixFactorisation::draw_hyper_parameters(RandomNumbers& random, double* theta,
                                                Workspace& scratch) const {
  each_part(priors(), layout_, [&](const PriorPart& part) {
    part.prior.draw(random, part.rows(theta), theta + part.hyper, scratch);
  });
}

void MatrixFactorisation::draw_conditional(std::size_t which, const Stream& stream, Address at,
                                           Batch theta, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  if (which == of_hyper_parameters) {
    each_column(stream, at, theta, [&](RandomNumbers& random, double* x) {
      draw_hyper_parameters(random, x, scratch);
    });
    return;
  }
  const RowDraws& draws = which == of_users ? user_draws_ : item_draws_;
  const Side side = which == of_users ? Side::users : Side::items;
  MatrixMap z = scratch.matrix(draws.width() * layout_.count(side), theta.cols());
  stream.normals(at, z);
  for (Index r = 0; r < theta.cols(); ++r)
    draws.draw(priors(), z.col(r), theta.col(r).data(), scratch);
}

}  // namespace
}  // namespace mixwell::factorisation

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::factorisation::MatrixFactorisation>(
      {.id = "matrix-factorisation",
       .summary = "Bayesian factorisation of a partially observed matrix of ratings",
       .details =
           "y_n ~ N(offset + u_i'v_j + a_i + b_j, 1 / noise_precision) for the rating of item j by "
           "user i, where the vectors u_i and v_j have K factors each. Biases are N(0, 1 / l), "
           "where l has a density proportional to l^(shape-1) exp(-rate l). All biases of users "
           "share one precision l, and all biases of items share another.\n"
           "prior = \"gamma\": factors have a prior of the same form as biases, with two separate "
           "precisions: one for users and one for items. prior = \"normal-wishart\": u_i ~ N(m, "
           "P^-1), P ~ Wishart(degrees, I), m ~ N(0, (strength P)^-1), and the same for v_j. A run "
           "records the Cholesky factor C of P = C C' as `user_precision_factor` or "
           "`item_precision_factor`. prior = \"fixed\": every factor is N(0, 1 / precision).\n"
           "Each line of a ratings file has the form user::item::rating, optionally followed by "
           "::timestamp. Tabs, or commas in a CSV file, may replace \"::\". The first line of a "
           "CSV file may be the header userId,movieId,rating,timestamp. Users and items are those "
           "of `data`, in rising order of their ids. An evaluation takes 6 N K operations for N "
           "ratings. As a sum of terms, U = U_0 + sum_n u_n, where U_0 is the prior's term and u_n "
           "is the term of training rating n. With run.ranks = \"coordinates\", the oracle "
           "`strata` must have as many strata as there are blocks.\n"
           "The kernel `conditional` draws one of three groups given the rest: user_factors and "
           "user_bias, item_factors and item_bias, or all hyper-parameters. Drawing the factors "
           "and biases of all users takes N (K + 1)^2 operations in total, plus one Cholesky "
           "factorisation for each user. Drawing the factors and biases of all items takes as many "
           "operations, plus one Cholesky factorisation for each item.\n"
           "The error of a run with `folds` or `test` is the root mean square error of held-out "
           "ratings. The prediction for a rating is the average of its expected value over draws.",
       .sources = {"Salakhutdinov & Mnih 2008, ICML (normal-Wishart)",
                   "Chen, Fox & Guestrin 2014, ICML, eq. 29 (gamma)"}});
}
