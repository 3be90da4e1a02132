// The contract of every Model: evaluation, starting points, recorded quantities, exact draws.
// SPDX-License-Identifier: Apache-2.0
#include "capabilities.hpp"
#include "measured.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/lab/gradient_check.hpp>
#include <mixwell/lab/metropolis_change.hpp>
#include <mixwell/law/capabilities.hpp>
#include <mixwell/law/selection.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

namespace mixwell::contracts {
namespace {

using Eigen::ArrayXd;
using Eigen::VectorXd;

constexpr std::uint64_t seed = 20260101;
constexpr Index width = 13;  // one whole group of 8 columns, and a remainder

using DrawFunction = std::function<void(const Stream&, Address, Batch)>;

MatrixXd drawn(const DrawFunction& draws, Index rows, Index columns, Address at) {
  MatrixXd theta = MatrixXd::Constant(rows, columns, nan);
  draws(Stream(seed, "contracts/model"), at, theta);
  return theta;
}

MatrixXd starting_points(const Model& model, Index columns) {
  return drawn([&model](const Stream& s, Address at, Batch out) { model.initial(s, at, out); },
               model.dimension(), columns, {});
}

/// The first thing that is wrong with parameters or quantities, or "". `names`: the names seen so
/// far, as group/name, because two groups may use the same name.
std::string wrong_parameter(const std::vector<Parameter>& parameters,
                            std::set<std::string>& names) {
  for (const Parameter& parameter : parameters) {
    const std::string rule = broken_name_rule(parameter.name);
    if (!rule.empty()) return "the name \"" + parameter.name + "\" " + rule;
    if (!names.insert(std::string(to_string(parameter.group)) + "/" + parameter.name).second)
      return "two parameters or quantities in the same group have the name \"" + parameter.name +
             "\"";
    if (parameter.size() < 1) return "\"" + parameter.name + "\" has no elements";
    const std::string shape = parameter.constraint.broken_shape_rule(parameter.shape);
    if (!shape.empty()) return "the shape of \"" + parameter.name + "\": its constraint " + shape;
    if (parameter.group == RecordGroup::sample_stats)
      return "\"" + parameter.name +
             "\" is in the group sample_stats, but only kernels may record there";
  }
  return {};
}

Finding check_parameters(const Model& model) {
  std::set<std::string> names;
  const std::vector<Parameter> parameters = model.parameters();
  std::string wrong = wrong_parameter(parameters, names);
  for (const Parameter& parameter : parameters)
    if (wrong.empty() && parameter.group != RecordGroup::posterior)
      wrong = "\"" + parameter.name + "\" must belong to the group posterior";
  const Index d = model.dimension();
  if (!wrong.empty() || d < 1) return {"parameters", false, wrong.empty() ? "d is 0" : wrong};
  return {"parameters", true, std::to_string(names.size()) + " names, d = " + std::to_string(d)};
}

/// The address of the replicate in column j.
Address of_replicate(const Address& at, Index j) {
  return {at.sweep, at.draw, at.replicate + static_cast<std::uint64_t>(j)};
}

Finding check_addresses(const std::string& clause, const DrawFunction& draws, Index d) {
  const Address at{3, 1, 40};
  const MatrixXd all = drawn(draws, d, width, at);
  const double worst =
      difference_alone(all, [&](Index j) { return drawn(draws, d, 1, of_replicate(at, j)); });
  const bool repeats = same_bits(all, drawn(draws, d, width, at));
  const bool moves = (all.array() != drawn(draws, d, width, {4, 1, 40}).array()).any();
  const bool holds = worst <= 1e-12 && repeats && moves && all.allFinite();
  return {
      clause, holds,
      "a separately drawn replicate differs from the same replicate in a batch by " + text(worst) +
          (repeats ? ""
                   : ". A second call with the same random-stream address must give the same "
                     "draws, but gives different ones") +
          (moves ? "" : ". The next sweep must give different draws, but gives the same draws")};
}

Finding check_initial(const Model& model, const Evaluated& at) {
  Finding finding = check_addresses(
      "initial", [&model](const Stream& s, Address a, Batch out) { model.initial(s, a, out); },
      model.dimension());
  if (at.u.allFinite() && at.g.allFinite()) return finding;
  return {"initial", false, "U or its gradient is not finite at a starting point"};
}

Finding check_gradient(const Model& model, const MatrixXd& theta) {
  const GradientError worst = gradient_error(model, theta.leftCols(5));
  const std::string name =
      coordinate_names(model.parameters())[static_cast<std::size_t>(worst.coordinate)];
  return {"gradient", worst.relative < 1e-6,
          "worst at " + name + ": relative error " + text(worst.relative) + " (gradient " +
              text(worst.gradient) + ", difference of U " + text(worst.difference) + ")"};
}

Finding check_batch(const Model& model, const MatrixXd& theta, const Evaluated& together) {
  double worst = 0;
  for (Index j = 0; j < theta.cols(); ++j) {
    const Evaluated alone = evaluated(model, theta.col(j));
    const double size = std::max(1.0, std::abs(together.u[j]));
    worst = worse(worst, column_difference(together.g.col(j), alone.g));
    worst = worse(worst, std::abs(together.u[j] - alone.u[0]) / size);
  }
  return {"batch", worst <= 1e-12,
          "columns evaluated together differ from columns evaluated separately by " + text(worst)};
}

Finding check_isolation(const Model& model, const MatrixXd& theta, const Evaluated& clean) {
  const double bad[] = {nan, 1e300, std::numeric_limits<double>::infinity(), -1e8};
  Index changed = 0;
  for (const double value : bad) {
    for (const Index kept : {Index{0}, Index{3}, width - 1}) {
      MatrixXd spoilt = MatrixXd::Constant(theta.rows(), theta.cols(), value);
      spoilt.col(kept) = theta.col(kept);
      const Evaluated values = evaluated(model, spoilt);
      changed += !same_bits(values.g.col(kept), clean.g.col(kept)) ||
                 !same_bits(values.u.col(kept), clean.u.col(kept));
    }
  }
  return {
      "isolation", changed == 0,
      std::to_string(changed) + " of 12 columns changed when only the other columns were changed"};
}

Finding check_gradient_only(const Model& model, const MatrixXd& theta, const Evaluated& both) {
  return {"gradient only", same_bits(evaluated(model, theta, Asked::gradient).g, both.g),
          "the gradient must have the same bits whether or not U is requested"};
}

/// |U only - U| <= 1e-12 (1 + |U|), column by column.
Finding check_potential_alone(const Model& model, const MatrixXd& theta, const Evaluated& both) {
  const RowVectorXd alone = evaluated(model, theta, Asked::potential).u;
  const double error = ((alone - both.u).array().abs() / (1.0 + both.u.array().abs())).maxCoeff();
  return {"potential only", error <= 1e-12,
          "the relative difference between U evaluated with and without the gradient is " +
              std::to_string(error)};
}

Index total_size(const std::vector<Parameter>& quantities) {
  return std::accumulate(quantities.begin(), quantities.end(), Index{0},
                         [](Index sum, const Parameter& one) { return sum + one.size(); });
}

/// The names of everything recorded before generated quantities.
std::set<std::string> recorded_names(const Model& model) {
  std::set<std::string> names;
  const Derived* const derived = model.offers<Derived>();
  if (derived == nullptr || !derived->replaces_parameters())
    wrong_parameter(model.parameters(), names);
  if (derived != nullptr) wrong_parameter(derived->quantities(), names);
  return names;
}

Finding check_derived(const Model& model, const Derived& derived, const MatrixXd& theta) {
  std::set<std::string> names;
  if (!derived.replaces_parameters()) wrong_parameter(model.parameters(), names);
  const std::vector<Parameter> quantities = derived.quantities();
  const std::string wrong = wrong_parameter(quantities, names);
  if (!wrong.empty()) return {"derived", false, wrong};
  const Index rows = total_size(quantities);
  if (rows == 0) return {"derived", derived.replaces_parameters(), "no quantities"};
  MatrixXd out = MatrixXd::Constant(rows, theta.cols(), nan);
  derived.derive(theta, out);
  const double worst = difference_alone(out, [&](Index j) {
    MatrixXd alone(rows, 1);
    derived.derive(theta.col(j), alone);
    return alone;
  });
  return {"derived", out.allFinite() && worst <= 1e-12,
          std::to_string(rows) +
              " quantities. Columns derived together differ from columns derived separately by " +
              text(worst)};
}

/// Generated values depend on the replicate, not on the position of its column.
Finding check_generated(const Model& model, const Generated& quantities, const MatrixXd& theta) {
  std::set<std::string> names = recorded_names(model);
  const std::vector<Parameter> generated = quantities.generated();
  const std::string wrong = wrong_parameter(generated, names);
  if (!wrong.empty()) return {"generated", false, wrong};
  const auto draws = [&](ConstBatch points, Address at) {
    MatrixXd out = MatrixXd::Constant(total_size(generated), points.cols(), nan);
    quantities.generate(points, Stream(seed, "contracts/model"), at, out);
    return out;
  };
  const Address at{3, 1, 40};
  const MatrixXd all = draws(theta, at);
  const double worst =
      difference_alone(all, [&](Index j) { return draws(theta.col(j), of_replicate(at, j)); });
  const bool repeats = same_bits(all, draws(theta, at));
  return {"generated", worst <= 1e-12 && repeats && all.allFinite(),
          "a separately drawn replicate differs from the same replicate in a batch by " +
              text(worst) +
              (repeats ? ""
                       : ". A second call with the same random-stream address must give the same "
                         "draws, but gives different ones")};
}

MatrixXd multiplied(const HessianProducts& products, const MatrixXd& theta, const MatrixXd& v) {
  MatrixXd out = MatrixXd::Constant(theta.rows(), theta.cols(), nan);
  Workspace scratch;
  products.multiply_hessian(theta, v, out, scratch);
  return out;
}

/// Compares products with central differences of the gradient along v. The errors of these
/// differences are about 1e-10 of the gradient or of its change, whichever is larger.
Finding check_hessian_products(const Model& model, const HessianProducts& products,
                               const MatrixXd& theta) {
  constexpr double h = 6e-6;
  MatrixXd v(theta.rows(), theta.cols());
  Stream(seed, "contracts/model/hessian").normals({}, v);
  const MatrixXd analytic = multiplied(products, theta, v);
  const MatrixXd up = evaluated(model, theta + h * v, Asked::gradient).g;
  const MatrixXd numeric = (up - evaluated(model, theta - h * v, Asked::gradient).g) / (2 * h);
  double worst = 0;
  for (Index j = 0; j < theta.cols(); ++j) {
    const double scale = 1 + std::max(up.col(j).norm(), numeric.col(j).norm());
    worst = worse(worst, (analytic.col(j) - numeric.col(j)).norm() / scale);
  }
  const double apart = difference_alone(
      analytic, [&](Index j) { return multiplied(products, theta.col(j), v.col(j)); });
  return {"Hessian products", worst < 1e-6 && apart <= 1e-8,
          "compared with central differences of the gradient, the relative error of the Hessian "
          "products is " +
              text(worst) +
              ". Products for all columns in one call differ from products for single columns by " +
              text(apart)};
}

/// G at each column of theta, d^2 x w. NaN marks what the model does not write.
MatrixXd metrics(const Metric& metric, const MatrixXd& theta) {
  MatrixXd G = MatrixXd::Constant(theta.rows() * theta.rows(), theta.cols(), nan);
  Workspace scratch;
  metric.metric(theta, G, scratch);
  return G;
}

using Contraction = void (Metric::*)(ConstBatch, ConstBatch, Batch, Workspace&) const;

MatrixXd contracted(const Metric& metric, Contraction how, const MatrixXd& theta,
                    const MatrixXd& W) {
  MatrixXd out = MatrixXd::Constant(theta.rows(), theta.cols(), nan);
  Workspace scratch;
  (metric.*how)(theta, W, out, scratch);
  return out;
}

/// Symmetric matrices of normals, d^2 x w.
MatrixXd symmetric_weights(Index d, Index w) {
  MatrixXd W(d * d, w);
  Stream(seed, "contracts/model/metric").normals({}, W);
  for (Index j = 0; j < w; ++j) {
    Eigen::Map<MatrixXd> one(W.col(j).data(), d, d);
    one = (one + one.transpose()).eval();
  }
  return W;
}

Finding check_metric_matrix(const Metric& metric, const MatrixXd& theta) {
  const Index d = theta.rows();
  const MatrixXd G = metrics(metric, theta);
  double asymmetry = 0;
  Index indefinite = 0;
  for (Index j = 0; j < theta.cols(); ++j) {
    const Eigen::Map<const MatrixXd> one(G.col(j).data(), d, d);
    asymmetry = std::max(asymmetry, (one - one.transpose()).norm() / one.norm());
    indefinite += !one.allFinite() || one.llt().info() != Eigen::Success;
  }
  return {"metric", asymmetry <= 1e-12 && indefinite == 0,
          "the relative asymmetry of the metric G is " + text(asymmetry) + ". " +
              std::to_string(indefinite) + " of " + std::to_string(theta.cols()) +
              " matrices G are not positive definite"};
}

/// The relative error of a contraction, against central differences of G. `numeric(i, W, dG /
/// dtheta_i, out)` adds to `out` the contribution of the difference along coordinate i.
template <class Numeric>
double contraction_error(const Metric& metric, Contraction how, const MatrixXd& theta,
                         const Numeric& numeric) {
  constexpr double h = 1e-5;
  const MatrixXd W = symmetric_weights(theta.rows(), theta.cols());
  const MatrixXd analytic = contracted(metric, how, theta, W);
  MatrixXd found = MatrixXd::Zero(theta.rows(), theta.cols());
  double scale = 0;
  for (Index i = 0; i < theta.rows(); ++i) {
    const MatrixXd up = moved(theta, i, h);
    const MatrixXd down = moved(theta, i, -h);
    const MatrixXd G = metrics(metric, up);
    scale = std::max(scale, W.cwiseProduct(G).cwiseAbs().maxCoeff());
    const MatrixXd change =
        (G - metrics(metric, down)).array().rowwise() / (up.row(i) - down.row(i)).array();
    numeric(i, W, change, found);
  }
  const double largest = std::max(scale, found.cwiseAbs().maxCoeff());
  return (analytic - found).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() / largest;
}

/// Checks sum_ab W_ab dG_ab / dtheta_i.
Finding check_metric_derivative(const Metric& metric, const MatrixXd& theta) {
  const double worst =
      contraction_error(metric, &Metric::contract_derivative, theta,
                        [](Index i, const MatrixXd& W, const MatrixXd& change, MatrixXd& out) {
                          out.row(i) = W.cwiseProduct(change).colwise().sum();
                        });
  return {"metric derivative", worst < 1e-7,
          "compared with central differences of the metric G, the relative error of "
          "contract_derivative() is " +
              text(worst)};
}

/// Checks sum_bj W_bj dG_ab / dtheta_j.
Finding check_metric_crosswise(const Metric& metric, const MatrixXd& theta) {
  const double worst =
      contraction_error(metric, &Metric::contract_crosswise, theta,
                        [](Index i, const MatrixXd& W, const MatrixXd& change, MatrixXd& out) {
                          for (Index j = 0; j < out.cols(); ++j)
                            out.col(j) += change.col(j).reshaped(out.rows(), out.rows()) *
                                          W.col(j).segment(i * out.rows(), out.rows());
                        });
  return {"metric crosswise", worst < 1e-7,
          "compared with central differences of the metric G, the relative error of "
          "contract_crosswise() is " +
              text(worst)};
}

/// Compares a column by itself with the same column among columns of NaN.
Finding check_metric_columns(const Metric& metric, const MatrixXd& theta) {
  const MatrixXd W = symmetric_weights(theta.rows(), theta.cols());
  const auto derivative = [&](const MatrixXd& at, const MatrixXd& weights) {
    return contracted(metric, &Metric::contract_derivative, at, weights);
  };
  double worst = 0;
  for (Index j = 0; j < theta.cols(); ++j) {
    MatrixXd spoilt = MatrixXd::Constant(theta.rows(), theta.cols(), nan);
    spoilt.col(j) = theta.col(j);
    worst = worse(worst,
                  column_difference(metrics(metric, theta.col(j)), metrics(metric, spoilt).col(j)));
    worst = worse(
        worst, column_difference(derivative(theta.col(j), W.col(j)), derivative(spoilt, W).col(j)));
  }
  return {"metric columns", worst <= 1e-12,
          "a separately evaluated column differs from the same column among columns of NaN by " +
              text(worst)};
}

Findings check_metric(const Metric& metric, const MatrixXd& theta) {
  return {check_metric_matrix(metric, theta), check_metric_derivative(metric, theta),
          check_metric_crosswise(metric, theta), check_metric_columns(metric, theta)};
}

/// The sum of terms of a model. NaN marks what the model does not write.
class Terms {
 public:
  explicit Terms(const SumOfTerms& sum) : sum_(sum) {}

  Index count() const { return sum_.terms(); }

  Evaluated rest(const MatrixXd& theta, Asked asked = Asked::both) const {
    return evaluated_by(
        theta, [&](const Evaluation& out) { sum_.evaluate_rest(theta, out); }, asked);
  }
  Evaluated of(const MatrixXd& theta, const MatrixXd& indices, Asked asked = Asked::both) const {
    return evaluated_by(
        theta, [&](const Evaluation& out) { sum_.evaluate_terms(theta, indices, out); }, asked);
  }
  MatrixXd gradients(const MatrixXd& theta, const MatrixXd& indices) const {
    MatrixXd out = MatrixXd::Constant(theta.rows(), indices.rows(), nan);
    Workspace scratch;
    sum_.gradients_of_terms(theta, indices, out, scratch);
    return out;
  }
  /// All terms, from the last to the first, in each of w columns.
  MatrixXd all(Index w) const {
    return VectorXd::LinSpaced(count(), static_cast<double>(count() - 1), 0).replicate(1, w);
  }
  /// A list of up to seven different terms for each of w columns. The lists differ if there are
  /// enough terms.
  MatrixXd some(Index w) const {
    MatrixXd indices(std::min<Index>(7, count()), w);
    for (Index j = 0; j < w; ++j)
      for (Index k = 0; k < indices.rows(); ++k)
        indices(k, j) = static_cast<double>((3 * j + k) % count());
    return indices;
  }

 private:
  const SumOfTerms& sum_;
};

/// A minibatch as a model, for gradient_error.
class Minibatch final : public Model {
 public:
  Minibatch(const Model& whole, MatrixXd indices) : whole_(whole), indices_(std::move(indices)) {}
  std::vector<Parameter> parameters() const override { return whole_.parameters(); }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    whole_.offers<SumOfTerms>()->evaluate_terms(theta, indices_.replicate(1, theta.cols()), out);
  }

  const Model& whole_;
  MatrixXd indices_;
};

/// Largest |a + b - whole|, relative to the largest of the three in the same column.
double sum_difference(const MatrixXd& whole, const MatrixXd& a, const MatrixXd& b) {
  double worst = 0;
  for (Index j = 0; j < whole.cols(); ++j) {
    const double scale =
        std::max({whole.col(j).cwiseAbs().maxCoeff(), a.col(j).cwiseAbs().maxCoeff(),
                  b.col(j).cwiseAbs().maxCoeff(), 1e-300});
    worst = worse(
        worst,
        (a.col(j) + b.col(j) - whole.col(j)).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() / scale);
  }
  return worst;
}

/// The larger of the sum_differences of U and of the gradient.
double sum_difference(const Evaluated& whole, const Evaluated& a, const Evaluated& b) {
  return worse(sum_difference(whole.g, a.g, b.g), sum_difference(whole.u, a.u, b.u));
}

Finding check_terms_sum(const Terms& terms, const MatrixXd& theta, const Evaluated& whole) {
  const double worst =
      sum_difference(whole, terms.rest(theta), terms.of(theta, terms.all(theta.cols())));
  return {"sum of terms", worst <= 1e-12,
          "the sum of evaluate_rest() and all " + std::to_string(terms.count()) +
              " terms differs from U by " + text(worst)};
}

Finding check_terms_singly(const Terms& terms, const MatrixXd& theta) {
  const MatrixXd indices = terms.some(1);
  const MatrixXd one = theta.leftCols(1);
  const MatrixXd singly = terms.gradients(one, indices);
  const double scale = std::max(singly.cwiseAbs().maxCoeff(), 1e-300);
  const double worst = (singly.rowwise().sum() - terms.of(one, indices).g)
                           .cwiseAbs()
                           .maxCoeff<Eigen::PropagateNaN>() /
                       scale;
  return {"terms one by one", worst <= 1e-12,
          "the sum of the gradients of single terms differs from the gradient of the terms "
          "together by " +
              text(worst)};
}

/// Compares terms n, n, n and m with three times term n plus term m.
Finding check_terms_repeated(const Terms& terms, const MatrixXd& theta) {
  const MatrixXd one = theta.leftCols(1);
  const double m = terms.count() > 1 ? 1 : 0;
  Evaluated thrice = terms.of(one, MatrixXd::Constant(1, 1, 0));
  const MatrixXd first = thrice.g;
  thrice.u *= 3;
  thrice.g *= 3;
  const MatrixXd repeated{{0}, {0}, {0}, {m}};
  const Evaluated other = terms.of(one, MatrixXd::Constant(1, 1, m));
  const double together = sum_difference(terms.of(one, repeated), thrice, other);
  MatrixXd expected(one.rows(), 4);
  expected << first, first, first, other.g;
  const double singly = column_difference(expected, terms.gradients(one, repeated));
  return {
      "terms repeated", together <= 1e-12 && singly <= 1e-12,
      "the sum over a list that contains one term three times differs from the expected sum by " +
          text(together) +
          ", and the gradients of the listed terms differ from the gradients of the single "
          "terms by " +
          text(singly)};
}

/// Compares a column by itself with the same column among columns with other lists, at valid points
/// and at NaN.
Finding check_terms_columns(const Terms& terms, const MatrixXd& theta) {
  const MatrixXd indices = terms.some(theta.cols());
  const Evaluated together = terms.of(theta, indices);
  double worst = 0;
  for (Index j = 0; j < theta.cols(); ++j) {
    MatrixXd spoilt = MatrixXd::Constant(theta.rows(), theta.cols(), nan);
    spoilt.col(j) = theta.col(j);
    const Evaluated among = terms.of(spoilt, indices);
    const Evaluated alone = terms.of(theta.col(j), indices.col(j));
    const Evaluated nothing{RowVectorXd::Zero(1), MatrixXd::Zero(theta.rows(), 1)};
    for (const Evaluated* values : {&together, &among}) {
      const Evaluated here{values->u.col(j), values->g.col(j)};
      worst = worse(worst, sum_difference(alone, here, nothing));
    }
  }
  return {"terms by column", worst <= 1e-12,
          "a separately evaluated column differs from the same column among columns with other "
          "lists of terms by " +
              text(worst)};
}

Finding check_terms_gradient(const Model& model, const Terms& terms, const MatrixXd& theta) {
  const GradientError worst = gradient_error(Minibatch(model, terms.some(1)), theta.leftCols(3));
  return {"gradient of terms", worst.relative < 1e-6,
          "worst at coordinate " + std::to_string(worst.coordinate) + ": relative error " +
              text(worst.relative) + " (gradient " + text(worst.gradient) + ", difference " +
              text(worst.difference) + ")"};
}

Finding check_terms_gradient_only(const Terms& terms, const MatrixXd& theta) {
  const MatrixXd indices = terms.some(theta.cols());
  const MatrixXd of_terms = terms.of(theta, indices, Asked::gradient).g;
  const MatrixXd of_rest = terms.rest(theta, Asked::gradient).g;
  return {
      "terms gradient only",
      same_bits(of_terms, terms.of(theta, indices).g) && same_bits(of_rest, terms.rest(theta).g),
      "the gradient must have the same bits whether or not U is requested"};
}

Findings check_sum(const Model& model, const MatrixXd& theta, const Evaluated& at) {
  const Terms terms(*model.offers<SumOfTerms>());
  return {check_terms_sum(terms, theta, at),         check_terms_singly(terms, theta),
          check_terms_repeated(terms, theta),        check_terms_columns(terms, theta),
          check_terms_gradient(model, terms, theta), check_terms_gradient_only(terms, theta)};
}

/// Exact draws as columns, with U and gradient.
struct Sample {
  MatrixXd theta;
  Evaluated at;
};

/// Keeps only the coordinates with real values. Stein's identities hold for these coordinates,
/// given all other coordinates.
Sample of_real_coordinates(const Model& model, Sample sample) {
  const std::vector<Index> real = real_coordinates(model.parameters());
  if (std::ssize(real) == sample.theta.rows()) return sample;
  return {sample.theta(real, Eigen::all), {sample.at.u, sample.at.g(real, Eigen::all)}};
}

Sample exact_sample(const Model& model, Index n, std::uint64_t sweep) {
  const ExactSampler& exact = *model.offers<ExactSampler>();
  Sample sample;
  sample.theta = drawn([&exact](const Stream& s, Address a, Batch out) { exact.draw(s, a, out); },
                       model.dimension(), n, {sweep, 0, 0});
  sample.at = evaluated(model, sample.theta);
  return of_real_coordinates(model, std::move(sample));
}

/// Up to five coordinates, from the first to the last.
std::vector<Index> some_coordinates(Index d) {
  std::set<Index> chosen;
  for (Index k = 0; k < 5; ++k) chosen.insert(k * (d - 1) / 4);
  return {chosen.begin(), chosen.end()};
}

/// Adds the identities E[f dU/dtheta_j] = E[df/dtheta_j] for f = 1 and for f = theta_i.
void add_identities(const Sample& sample, Index j, ZeroMeans& means) {
  const auto g = sample.at.g.row(j).array();
  const std::string name = "g[" + std::to_string(j) + "]";
  means.add(name, g.matrix());
  for (const Index i : some_coordinates(sample.theta.rows()))
    means.add("theta[" + std::to_string(i) + "] " + name,
              (sample.theta.row(i).array() * g - (i == j ? 1.0 : 0.0)).matrix());
}

/// Adds the identity for f = (U - centre) theta_i, summed over i; `virial` is theta'g.
void add_virial(const Sample& sample, const RowVectorXd& virial, double centre, ZeroMeans& means) {
  const auto d = static_cast<double>(sample.theta.rows());
  const auto u = sample.at.u.array() - centre;
  means.add("U theta'g", (u * (virial.array() - d) - virial.array()).matrix());
}

RowVectorXd virial_of(const Sample& sample) {
  return sample.theta.cwiseProduct(sample.at.g).colwise().sum();
}

Finding check_exact_law(const Sample& sample) {
  ZeroMeans means;
  const Index d = sample.theta.rows();
  for (const Index j : some_coordinates(d)) {
    const auto x = sample.theta.row(j).array();
    add_identities(sample, j, means);
    means.add("theta^3 g[" + std::to_string(j) + "]",
              (x.cube() * sample.at.g.row(j).array() - 3 * x.square()).matrix());
  }
  const RowVectorXd virial = virial_of(sample);
  means.add("theta'g", (virial.array() - static_cast<double>(d)).matrix());
  add_virial(sample, virial, sample.at.u[0], means);
  return means.finding("exact law");
}

/// Prior draws theta, each with U and gradient of the posterior given data that are drawn with this
/// theta.
Sample joint_sample(const Model& model, Index n) {
  Sample sample;
  const Index d = model.dimension();
  sample.theta =
      drawn([&](const Stream& s, Address a, Batch out) { model.offers<Prior>()->draw(s, a, out); },
            d, n, {5, 0, 0});
  sample.at = {RowVectorXd(n), MatrixXd(d, n)};
  for (Index r = 0; r < n; ++r) {
    const Address at{static_cast<std::uint64_t>(r), 0, 0};
    const auto posterior = model.offers<DataDraws>()->with_data_at(
        sample.theta.col(r), Stream(seed, "contracts/model/data"), at);
    const Evaluated values = evaluated(*posterior, sample.theta.col(r));
    sample.at.u[r] = values.u[0];
    sample.at.g.col(r) = values.g;
  }
  return of_real_coordinates(model, std::move(sample));
}

/// Prior draws are exact draws from the posterior given data drawn with these parameters, so
/// Stein's identities hold.
Finding check_data_draws(const Model& model) {
  const Index terms =
      model.offers<SumOfTerms>() == nullptr ? 1 : model.offers<SumOfTerms>()->terms();
  const Sample sample =
      joint_sample(model, std::clamp<Index>(20000000 / (terms * model.dimension()), 200, 20000));
  ZeroMeans means;
  for (const Index j : some_coordinates(sample.theta.rows())) add_identities(sample, j, means);
  add_virial(sample, virial_of(sample), sample.at.u.mean(), means);
  return means.finding("data draws");
}

/// Statistics with mean zero under the exact law. Their products across independent draws have mean
/// zero too.
MatrixXd centred_statistics(const Sample& sample) {
  const Index d = sample.theta.rows();
  MatrixXd out(3, sample.theta.cols());
  out.row(0) = sample.at.g.row(0);
  out.row(1) = sample.at.g.row(d - 1);
  out.row(2) = (virial_of(sample).array() - static_cast<double>(d)).matrix();
  return out;
}

Finding check_independence(const Sample& first, const Sample& second) {
  ZeroMeans means;
  const MatrixXd a = centred_statistics(first);
  const MatrixXd b = centred_statistics(second);
  const Index n = a.cols();
  for (Index i = 0; i < a.rows(); ++i) {
    const std::string name = "statistic " + std::to_string(i);
    means.add(name + " across sweeps", a.row(i).cwiseProduct(b.row(i)));
    for (const Index lag : {1, 2, 7})
      means.add(name + " across replicates",
                a.row(i).head(n - lag).cwiseProduct(a.row(i).tail(n - lag)));
  }
  return means.finding("exact draws are independent");
}

Findings check_exact(const Model& model) {
  const Index n = std::max<Index>(4000, 400000 / model.dimension());
  const Sample first = exact_sample(model, n, 1);
  return {check_exact_law(first), check_independence(first, exact_sample(model, n, 2))};
}

/// The position after one conditional is drawn again.
MatrixXd redrawn(const Model& model, std::size_t which, MatrixXd theta, Address at) {
  Workspace scratch;
  model.offers<ConditionalDraws>()->draw_conditional(
      which, Stream(seed, "contracts/model/conditional"), at, theta, scratch);
  return theta;
}

/// Whether a draw of a conditional leaves all coordinates except its `own` unchanged.
bool keeps_the_rest(const std::vector<Index>& own, const MatrixXd& theta, const MatrixXd& changed) {
  for (Index i = 0; i < theta.rows(); ++i) {
    const bool drawn = std::binary_search(own.begin(), own.end(), i);
    if (!drawn && !same_bits(theta.row(i), changed.row(i))) return false;
  }
  return true;
}

/// Checks that a Metropolis step after a conditional draw leaves means unchanged.
void check_conditional_law(const Model& model, std::size_t which, const std::vector<Index>& own,
                           const MatrixXd& theta, ZeroMeans& means) {
  constexpr Index pilots = 8;
  const auto d = static_cast<double>(model.dimension());
  const Index rounds = std::clamp<Index>(static_cast<Index>(2e4 / d), 50, 1000);
  MetropolisChange change(std::ssize(own), theta.cols());
  MatrixXd y(std::ssize(own), theta.cols());
  for (Index round = 0; round < pilots + rounds; ++round) {
    const auto sweep = static_cast<std::uint64_t>(round);
    const MatrixXd at = redrawn(model, which, theta, {sweep, 0, 0});
    const MatrixXd x = at(own, Eigen::all);
    if (round < pilots) {
      change.see(x);
      continue;
    }
    change.propose(x, sweep, y);
    MatrixXd there = at;
    there(own, Eigen::all) = y;
    change.add(x, evaluated(model, at, Asked::potential).u, y,
               evaluated(model, there, Asked::potential).u);
  }
  means.add_all("conditional " + std::to_string(which) + ": ", change);
}

/// Checks that conditional draws write only their own coordinates, use their addresses, and have
/// the distribution that U defines.
void check_conditionals(const Model& model, Findings& findings) {
  const MatrixXd theta = starting_points(model, 64);
  ZeroMeans means;
  bool keeps = true;
  const auto offered = model.offers<ConditionalDraws>()->conditionals();
  for (std::size_t k = 0; k < offered.size(); ++k) {
    const std::vector<Index> own = select_coordinates(model.parameters(), offered[k]);
    keeps = keeps && keeps_the_rest(own, theta, redrawn(model, k, theta, {1, 0, 0}));
    const auto alone = [&](const Stream&, Address at, Batch out) {
      const MatrixXd start = theta.col(0).replicate(1, out.cols());
      out = redrawn(model, k, start, at)(own, Eigen::all);
    };
    findings.push_back(
        check_addresses("conditional " + std::to_string(k) + " addresses", alone, std::ssize(own)));
    check_conditional_law(model, k, own, theta, means);
  }
  findings.push_back({"conditional draws keep the other coordinates", keeps,
                      "a conditional draw must leave all bits of the other coordinates unchanged"});
  findings.push_back(means.finding("conditional draws"));
}

/// The rows of the quantities in the group log_likelihood; empty unless there is one row for each
/// term of the model.
std::vector<Index> rows_of_terms(const Model& model, const std::vector<Parameter>& quantities) {
  std::vector<Index> rows;
  Index row = 0;
  for (const Parameter& one : quantities) {
    for (Index k = 0; k < one.size(); ++k, ++row)
      if (one.group == RecordGroup::log_likelihood) rows.push_back(row);
  }
  return std::ssize(rows) == model.offers<SumOfTerms>()->terms() ? rows : std::vector<Index>();
}

/// If the terms are the likelihood, the recorded pointwise log likelihoods must sum to U_0 - U plus
/// a constant, where U_0 is the part of U outside the terms.
void check_log_likelihoods(const Model& model, const MatrixXd& theta, Findings& findings) {
  const std::vector<Parameter> quantities = model.offers<Generated>()->generated();
  const std::vector<Index> rows = rows_of_terms(model, quantities);
  if (rows.empty()) return;
  MatrixXd out(total_size(quantities), theta.cols());
  model.offers<Generated>()->generate(theta, Stream(seed, "contracts/model"), {}, out);
  const RowVectorXd terms = evaluated(model, theta, Asked::potential).u -
                            Terms(*model.offers<SumOfTerms>()).rest(theta).u;
  const Eigen::RowVectorXd sums = terms + out(rows, Eigen::all).colwise().sum();
  const double scale = 1 + terms.cwiseAbs().maxCoeff();
  const double worst = (sums.array() - sums(0)).abs().maxCoeff() / scale;
  findings.push_back(
      {"log likelihoods", worst <= 1e-9,
       "the pointwise log likelihoods must sum to U_0 - U plus a constant, where U_0 is the "
       "result of evaluate_rest(). The largest relative change of this constant is " +
           text(worst)});
}

/// If the prior has both a density and draws, E h'(theta_i) = E h(theta_i) dU_0 / dtheta_i over the
/// draws for h = 1, theta_i and sin theta_i, by integration by parts.
void check_prior_law(const Model& model, Findings& findings) {
  const Index d = model.dimension();
  const Index n = std::max<Index>(1000, 100000 / d);
  MatrixXd theta(d, n);
  model.offers<Prior>()->draw(Stream(seed, "contracts/model/prior"), {}, theta);
  const MatrixXd gradient = Terms(*model.offers<SumOfTerms>()).rest(theta, Asked::gradient).g;
  ZeroMeans means;
  for (Index i = 0; i < d; ++i) {
    const std::string name = "coordinate " + std::to_string(i);
    const auto x = theta.row(i).array();
    const auto g = gradient.row(i).array();
    means.add(name + ", gradient", g.matrix());
    means.add(name + ", virial", (x * g - 1.0).matrix());
    means.add(name + ", sine", (x.sin() * g - x.cos()).matrix());
  }
  findings.push_back(means.finding("prior draws match the density of the prior"));
}

/// Adds the clauses that compare bits; they apply only to a pure model.
void check_bits(const Model& model, const MatrixXd& theta, const Evaluated& at,
                Findings& findings) {
  findings.push_back(
      {"purity",
       same_bits(evaluated(model, theta).g, at.g) && same_bits(evaluated(model, theta).u, at.u),
       "two evaluations at the same points must give the same bits"});
  if (!findings.back().holds) return;
  append(findings, {check_isolation(model, theta, at), check_gradient_only(model, theta, at),
                    check_potential_alone(model, theta, at)});
}

void check_capabilities(const Model& model, const MatrixXd& theta, Findings& findings) {
  const Index d = model.dimension();
  if (const Derived* derived = model.offers<Derived>())
    findings.push_back(check_derived(model, *derived, theta));
  const bool has_prior_apart =
      model.offers<SumOfTerms>() != nullptr && model.offers<SumOfTerms>()->rest_is_prior();
  if (const Generated* quantities = model.offers<Generated>()) {
    findings.push_back(check_generated(model, *quantities, theta));
    if (has_prior_apart) check_log_likelihoods(model, theta, findings);
  }
  if (has_prior_apart && model.offers<Prior>() != nullptr) check_prior_law(model, findings);
  if (const Metric* metric = model.offers<Metric>()) append(findings, check_metric(*metric, theta));
  if (const HessianProducts* products = hessian_products(&model))
    findings.push_back(check_hessian_products(model, *products, theta));
  if (const Prior* prior = model.offers<Prior>())
    findings.push_back(check_addresses(
        "prior addresses", [prior](const Stream& s, Address a, Batch o) { prior->draw(s, a, o); },
        d));
  if (const ExactSampler* exact = model.offers<ExactSampler>())
    findings.push_back(check_addresses(
        "exact addresses", [exact](const Stream& s, Address a, Batch o) { exact->draw(s, a, o); },
        d));
  if (model.offers<ConditionalDraws>() != nullptr) check_conditionals(model, findings);
  if (model.offers<MarginalLaws>() != nullptr) check_marginal_laws(model, theta, findings);
  if (model.offers<EstimatedDensity>() != nullptr) check_estimated_density(model, theta, findings);
  if (model.offers<GaussianPrior>() != nullptr)
    findings.push_back(check_gaussian_prior(model, theta));
  append(findings, check_conditional_potentials(model, theta));
}

}  // namespace

Findings check_model(const Model& model) {
  Findings findings = {check_parameters(model)};
  if (!findings.front().holds) return findings;
  const MatrixXd theta = starting_points(model, width);
  const Evaluated at = evaluated(model, theta);
  findings.push_back(check_initial(model, at));
  if (!findings.back().holds) return findings;
  check_bits(model, theta, at, findings);
  findings.push_back(check_batch(model, theta, at));
  check_capabilities(model, theta, findings);
  if (model.offers<SumOfTerms>() != nullptr) append(findings, check_sum(model, theta, at));
  const Finding gradient = check_gradient(model, theta);
  findings.push_back(gradient);
  const bool is_real = std::ssize(real_coordinates(model.parameters())) == theta.rows();
  if (gradient.holds && is_real) findings.push_back(check_gradient_growth(model, theta));
  if (gradient.holds && model.offers<ExactSampler>() != nullptr)
    append(findings, check_exact(model));
  if (gradient.holds && model.offers<Prior>() != nullptr && model.offers<DataDraws>() != nullptr)
    findings.push_back(check_data_draws(model));
  return findings;
}

}  // namespace mixwell::contracts
