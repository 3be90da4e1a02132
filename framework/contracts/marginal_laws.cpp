// Checks a model's marginal laws, in which some parameters are integrated out.
// SPDX-License-Identifier: Apache-2.0
#include "capabilities.hpp"
#include "measured.hpp"

#include <mixwell/law/capabilities.hpp>
#include <mixwell/law/selection.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::contracts {
namespace {

constexpr Index draws = 20000;
constexpr Index points = 3;

class MarginalCheck {
 public:
  MarginalCheck(const Model& model, std::size_t which)
      : model_(model),
        which_(which),
        out_(select_coordinates(model.parameters(),
                                model.offers<MarginalLaws>()->integrable()[which])) {}

  Evaluated marginal(const MatrixXd& theta, Asked asked = Asked::both) const {
    const MarginalLaws& laws = *model_.offers<MarginalLaws>();
    return evaluated_by(
        theta, [&](const Evaluation& out) { laws.evaluate_marginal(which_, theta, out); }, asked);
  }
  RowVectorXd potential(const MatrixXd& theta) const { return marginal(theta, Asked::potential).u; }

  /// The largest difference from central differences, relative to 1 + |g|.
  double gradient_error(const MatrixXd& theta) const {
    constexpr double h = 1e-5;
    const MatrixXd g = marginal(theta).g;
    double worst = 0.0;
    for (Index i = 0; i < theta.rows(); ++i) {
      const RowVectorXd slope =
          (potential(moved(theta, i, h)) - potential(moved(theta, i, -h))) / (2.0 * h);
      const auto scale = 1.0 + g.row(i).array().abs();
      worst = std::max(worst, ((slope - g.row(i)).array() / scale).abs().maxCoeff());
    }
    return worst;
  }

  bool reads_what_is_integrated_out(const MatrixXd& theta) const {
    MatrixXd other = theta;
    for (const Index row : out_) other.row(row).setConstant(nan);
    const MatrixXd g = marginal(other).g;
    const bool same = potential(other) == potential(theta) && g == marginal(theta).g;
    const auto is_zero = [&](Index row) { return g.row(row).isZero(0.0); };
    return !same || !std::all_of(out_.begin(), out_.end(), is_zero);
  }

  /// Adds grad_x U(x, z) - grad U(x) over draws of z, at one point.
  void add_fisher(const MatrixXd& at, std::size_t conditional, ZeroMeans& means) const {
    MatrixXd theta = at.replicate(1, draws);
    model_.offers<ConditionalDraws>()->draw_conditional(
        conditional, Stream(20260102, "contracts/marginal"), {}, theta, scratch_);
    const MatrixXd g = evaluated(model_, theta).g;
    const MatrixXd of_marginal = marginal(at).g;
    for (Index i = 0; i < theta.rows(); ++i) {
      if (std::binary_search(out_.begin(), out_.end(), i)) continue;
      means.add("coordinate " + std::to_string(i), g.row(i).array() - of_marginal(i, 0));
    }
  }

  /// The index of the conditional that draws exactly the integrated-out parameters; nothing if
  /// there is none.
  std::optional<std::size_t> conditional() const {
    if (model_.offers<ConditionalDraws>() == nullptr) return std::nullopt;
    const auto offered = model_.offers<ConditionalDraws>()->conditionals();
    for (std::size_t k = 0; k < offered.size(); ++k) {
      if (select_coordinates(model_.parameters(), offered[k]) == out_) return k;
    }
    return std::nullopt;
  }

 private:
  const Model& model_;
  std::size_t which_;
  std::vector<Index> out_;
  mutable Workspace scratch_;
};

}  // namespace

void check_marginal_laws(const Model& model, const MatrixXd& theta, Findings& findings) {
  const auto offered = model.offers<MarginalLaws>()->integrable();
  ZeroMeans means;
  double error = 0.0;
  bool reads = false;
  bool drawn = false;
  for (std::size_t k = 0; k < offered.size(); ++k) {
    const MarginalCheck check(model, k);
    error = std::max(error, check.gradient_error(theta));
    reads = reads || check.reads_what_is_integrated_out(theta);
    const auto conditional = check.conditional();
    if (!conditional) continue;
    drawn = true;
    for (Index j = 0; j < std::min(points, theta.cols()); ++j) {
      check.add_fisher(theta.col(j), *conditional, means);
    }
  }
  findings.push_back(
      {"marginal gradients", error < 1e-5,
       "compared with central differences of U, the largest relative error of a gradient is " +
           text(error)});
  findings.push_back(
      {"marginal laws do not depend on the parameters that are integrated out", !reads,
       "U and its gradient must not change in any bit if the integrated-out parameters are "
       "set to NaN. The gradient with respect to these parameters must be 0"});
  if (drawn) {
    findings.push_back(means.finding("marginal laws integrate U"));
    findings.back().trait = "marginal";
  }
}

}  // namespace mixwell::contracts
