// Model `mirrored`: extends a density of positive parameters to a symmetric one on R^d.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace mixwell;

/// The coordinates that are mirrored at 0, and the map theta -> x, where x_i = |theta_i| for these.
class Fold {
 public:
  explicit Fold(std::vector<bool> mirrored) : mirrored_(std::move(mirrored)) {}

  /// theta and x may alias.
  void fold(ConstBatch theta, Batch x) const {
    for (Index j = 0; j < theta.cols(); ++j)
      for (Index i = 0; i < theta.rows(); ++i) x(i, j) = sign(i, theta(i, j)) * theta(i, j);
  }
  MatrixMap folded(ConstBatch theta, Workspace& scratch) const {
    MatrixMap x = scratch.matrix(theta.rows(), theta.cols());
    fold(theta, x);
    return x;
  }
  Eigen::MatrixXd folded(ConstBatch theta) const {
    Eigen::MatrixXd x(theta.rows(), theta.cols());
    fold(theta, x);
    return x;
  }

  /// g_i -> s_i g_i with s_i = dx_i / dtheta_i = +-1: turns gradients with respect to x into
  /// gradients with respect to theta. One column of theta serves all columns of g.
  void unfold_gradient(ConstBatch theta, Batch g) const {
    for (Index j = 0; j < g.cols(); ++j)
      for (Index i = 0; i < g.rows(); ++i) g(i, j) *= sign(i, theta(i, theta.cols() == 1 ? 0 : j));
  }
  /// G_ab -> s_a s_b G_ab, d^2 x w.
  void unfold_matrix(ConstBatch theta, Batch G) const {
    const Index d = theta.rows();
    for (Index j = 0; j < theta.cols(); ++j)
      for (Index b = 0; b < d; ++b)
        for (Index a = 0; a < d; ++a)
          G(b * d + a, j) *= sign(a, theta(a, j)) * sign(b, theta(b, j));
  }

  /// Makes each mirrored coordinate negative with probability 1/2. The draw numbers begin at 2^23,
  /// so the base does not use the same random numbers.
  void scatter(const Stream& stream, Address at, Batch theta) const {
    Eigen::MatrixXd uniform(theta.rows(), theta.cols());
    stream.uniforms({at.sweep, at.draw + (1U << 23U), at.replicate}, uniform);
    for (Index j = 0; j < theta.cols(); ++j)
      for (Index i = 0; i < theta.rows(); ++i)
        if (is_mirrored(i) && uniform(i, j) < 0.5) theta(i, j) = -theta(i, j);
  }

 private:
  bool is_mirrored(Index i) const { return mirrored_[static_cast<std::size_t>(i)]; }
  double sign(Index i, double theta) const { return is_mirrored(i) && theta < 0.0 ? -1.0 : 1.0; }

  std::vector<bool> mirrored_;
};

/// Draws of the base with random signs, from pi or from the prior.
template <class Base>
class Scattered final : public Base {
 public:
  Scattered(const Base* base, const Fold& fold) : base_(base), fold_(fold) {}
  bool exists() const noexcept { return base_ != nullptr; }
  void draw(const Stream& stream, Address at, Batch theta) const override {
    base_->draw(stream, at, theta);
    fold_.scatter(stream, at, theta);
  }

 private:
  const Base* base_;
  const Fold& fold_;
};

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& p : parameters) names.push_back(p.name);
  return names;
}

/// The base's parameters, with a constraint on those that are mirrored: all, or the `chosen` ones.
std::vector<Parameter> mirror(std::vector<Parameter> parameters,
                              const std::vector<std::string>& chosen) {
  const std::vector<std::string> known = names_of(parameters);
  for (const std::string& name : chosen)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw ParameterError("parameters", "\"" + name +
                                             "\" is not a parameter of the model that `of` names" +
                                             suggestion(name, known));
  for (Parameter& p : parameters) {
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), p.name) == chosen.end())
      continue;
    if (p.constraint != Constraint())
      throw ParameterError(
          "parameters",
          "\"" + p.name + "\" already has a constraint (" + p.constraint.text() +
              "), so it needs no mirroring. Name only parameters without a constraint.");
    p.constraint = Constraint::absolute();
  }
  return parameters;
}

bool is_mirrored(const Parameter& p) { return p.constraint == Constraint::absolute(); }

/// Whether the base itself is a density on positive numbers, that is, U = +inf if the first
/// coordinate of a mirrored parameter is negative. Otherwise the mirrored density is the base's
/// density truncated at 0, and the base's draws have another distribution.
bool is_positive(const Model& base, const std::vector<Parameter>& parameters) {
  Eigen::MatrixXd start(base.dimension(), 1);
  base.initial(Stream(0, "mirrored"), {}, start);
  Eigen::MatrixXd g(start.rows(), 1);
  Workspace scratch;
  Index row = 0;
  for (const Parameter& p : parameters) {
    Eigen::MatrixXd theta = start;
    theta(row, 0) = -std::abs(theta(row, 0));
    row += p.coordinates();
    double u = 0.0;
    if (is_mirrored(p)) base.evaluate(theta, {&u, g, scratch});
    if (is_mirrored(p) && u != HUGE_VAL) return false;
  }
  return true;
}

std::vector<bool> mirrored_coordinates(const std::vector<Parameter>& parameters) {
  std::vector<bool> mirrored;
  for (const Parameter& p : parameters)
    mirrored.insert(mirrored.end(), static_cast<std::size_t>(p.coordinates()), is_mirrored(p));
  return mirrored;
}

class Mirrored final : public Model,
                       public Derived,
                       public Generated,
                       public Prediction,
                       public Metric,
                       public SumOfTerms,
                       public ForeignCode {
 public:
  struct Params {
    std::shared_ptr<const Model> of;
    std::vector<std::string> parameters;

    void declare(Fields& fields) {
      fields.component("of", of).help("model whose parameters are positive");
      fields.texts("parameters", parameters).help("names of the positive parameters; default: all");
    }
  };

  explicit Mirrored(const Params& params)
      : base_(params.of),
        parameters_(mirror(base_->parameters(), params.parameters)),
        fold_(mirrored_coordinates(parameters_)),
        derived_(base_->offers<Derived>()),
        generated_(base_->offers<Generated>()),
        prediction_(base_->offers<Prediction>()),
        metric_(base_->offers<Metric>()),
        sum_(base_->offers<SumOfTerms>()),
        exact_(base_->offers<ExactSampler>(), fold_),
        prior_(base_->offers<Prior>(), fold_),
        has_draws_((exact_.exists() || prior_.exists()) && is_positive(*base_, parameters_)) {}

  std::vector<Parameter> parameters() const override { return parameters_; }
  std::vector<std::string> remarks() const override {
    return {
        "The density is mirrored at 0. Metropolis kernels leave this density invariant. Without a "
        "Metropolis step, an integrator keeps its order of accuracy if dU/dtheta is bounded near "
        "0. If dU/dtheta is unbounded near 0, the order gives no bound on the error. A step that "
        "starts close to 0 may then be arbitrarily large."};
  }

  /// If the base's gradient is bounded at 0, an integrator keeps its order of accuracy despite the
  /// mirroring (Bossy, Gobet & Talay 2004).
  GradientGrowth gradient_growth() const noexcept override {
    return base_->gradient_growth_inside();
  }
  bool calls_foreign_code() const noexcept override { return mixwell::calls_foreign_code(*base_); }
  std::vector<Parameter> quantities() const override { return derived_->quantities(); }
  void derive(ConstBatch theta, Batch out) const override {
    derived_->derive(fold_.folded(theta), out);
  }
  bool replaces_parameters() const noexcept override { return derived_->replaces_parameters(); }

  std::vector<NamedValues> observed_data() const override { return base_->observed_data(); }
  std::vector<NamedValues> constant_data() const override { return base_->constant_data(); }
  std::vector<Labels> labels() const override { return base_->labels(); }
  std::vector<Parameter> generated() const override { return generated_->generated(); }
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    generated_->generate(fold_.folded(theta), stream, at, out);
  }

  Index cases() const override { return prediction_->cases(); }
  Index predicted() const override { return prediction_->predicted(); }
  void predict(ConstBatch theta, Batch out) const override {
    prediction_->predict(fold_.folded(theta), out);
  }
  std::string measure() const override { return prediction_->measure(); }
  double error(const Eigen::VectorXd& averages) const override {
    return prediction_->error(averages);
  }

  void metric(ConstBatch theta, Batch G, Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    metric_->metric(fold_.folded(theta, scratch), G, scratch);
    fold_.unfold_matrix(theta, G);
  }
  /// d/dtheta_i of sum_ab W_ab s_a s_b G_ab(x) = s_i times the derivative at x with s_a s_b W_ab.
  void contract_derivative(ConstBatch theta, ConstBatch W, Batch out,
                           Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const MatrixMap turned = turned_weights(theta, W, scratch);
    metric_->contract_derivative(fold_.folded(theta, scratch), turned, out, scratch);
    fold_.unfold_gradient(theta, out);
  }
  /// sum_bj W_bj s_a s_b s_j dG_ab / dx_j = s_a times the same at x with s_b s_j W_bj.
  void contract_crosswise(ConstBatch theta, ConstBatch W, Batch out,
                          Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const MatrixMap turned = turned_weights(theta, W, scratch);
    metric_->contract_crosswise(fold_.folded(theta, scratch), turned, out, scratch);
    fold_.unfold_gradient(theta, out);
  }

  Index terms() const noexcept override { return sum_->terms(); }
  Index stratum(Index n, Index strata) const override { return sum_->stratum(n, strata); }
  bool rest_is_prior() const noexcept override { return sum_->rest_is_prior(); }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    sum_->evaluate_rest(fold_.folded(theta, out.scratch), out);
    fold_.unfold_gradient(theta, out.gradient);
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    sum_->evaluate_terms(fold_.folded(theta, out.scratch), indices, out);
    fold_.unfold_gradient(theta, out.gradient);
  }
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    sum_->gradients_of_terms(fold_.folded(theta, scratch), indices, out, scratch);
    fold_.unfold_gradient(theta, out);
  }

 private:
  void offer(Offer& offer) const noexcept override {
    offer.set<Derived>(derived_ != nullptr ? this : nullptr);
    offer.set<Generated>(generated_ != nullptr ? this : nullptr);
    offer.set<Prediction>(prediction_ != nullptr ? this : nullptr);
    offer.set<Metric>(metric_ != nullptr ? this : nullptr);
    offer.set<SumOfTerms>(sum_ != nullptr ? this : nullptr);
    offer.set<ExactSampler>(has_draws_ && exact_.exists() ? &exact_ : nullptr);
    offer.set<Prior>(has_draws_ && prior_.exists() ? &prior_ : nullptr);
  }
  MatrixMap turned_weights(ConstBatch theta, ConstBatch W, Workspace& scratch) const {
    MatrixMap turned = scratch.matrix(W.rows(), W.cols());
    turned = W;
    fold_.unfold_matrix(theta, turned);
    return turned;
  }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    base_->evaluate(fold_.folded(theta, out.scratch), out);
    fold_.unfold_gradient(theta, out.gradient);
  }
  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    base_->initial(stream, at, theta);
    fold_.scatter(stream, at, theta);
  }

  std::shared_ptr<const Model> base_;
  std::vector<Parameter> parameters_;
  Fold fold_;
  const Derived* derived_;
  const Generated* generated_;
  const Prediction* prediction_;
  const Metric* metric_;
  const SumOfTerms* sum_;
  Scattered<ExactSampler> exact_;
  Scattered<Prior> prior_;
  bool has_draws_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Mirrored>(
      {.id = "mirrored",
       .summary =
           "Another model's density of positive parameters, mirrored at 0 to be symmetric on R^d",
       .details =
           "The base is the model that the key `of` names. The potential at theta is U(x) of the "
           "base, with x_i = |theta_i| for the positive parameters and x_i = theta_i for all other "
           "parameters. A run records x under the parameter names of the base. x has exactly the "
           "base's distribution. If a chain on R^d moves from theta to theta+, the recorded x "
           "moves from |theta| to |theta+|. This is how a chain for the base would move if its "
           "steps were reflected at 0. Patterson & Teh (2013) treat positive parameters in this "
           "way. If the base allows negative values too, its density is truncated at 0.\n"
           "The base computes derived and generated quantities, test predictions, the metric and "
           "the terms at x. Exact draws and prior draws are draws of the base with random signs. "
           "If the density is truncated at 0, this model offers no such draws. Mirroring adds O(d) "
           "operations for each replicate, or O(d^2) if the metric is computed.\n"
           "Without a Metropolis step, an integrator keeps its order of accuracy if dU/dtheta is "
           "bounded near 0. The Langevin steps theta+ = theta - eps grad U + sqrt(2 eps) z give "
           "the mean 1 / b + b eps / 2 for `gamma` with shape 1 and rate b. If dU/dtheta is "
           "unbounded near 0, a step may be arbitrarily large. The moments of the chain may then "
           "be infinite or undefined. Use a Metropolis kernel instead.\n"
           "If a manifest has both models, name the model to sample:\n"
           "  [model.positive]\n"
           "  use = \"gamma\"\n"
           "  [model.whole]\n"
           "  use = \"mirrored\"\n"
           "  of = \"positive\"\n"
           "  [compositor.main]\n"
           "  use = \"chain\"\n"
           "  model = \"whole\"",
       .sources = {"Patterson & Teh 2013, NIPS 26 (|theta+| after a step)",
                   "Bossy, Gobet & Talay 2004, J. Appl. Probab. 41 (symmetrized Euler scheme, weak "
                   "order 1)"}});
}
