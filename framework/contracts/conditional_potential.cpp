// Checks conditional potentials (U as a function of some coordinates) against the whole model.
// SPDX-License-Identifier: Apache-2.0
#include "capabilities.hpp"
#include "measured.hpp"

#include <mixwell/law/conditional_potential.hpp>
#include <mixwell/law/selection.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace mixwell::contracts {
namespace {

/// One block of a model, and the positions at which the block is checked. These are the columns of
/// theta, with the block's rows taken from the neighbouring column.
class Look {
 public:
  Look(const Model& model, const ConditionalPotential& block, std::vector<Index> coordinates,
       const MatrixXd& theta)
      : block_(block), own_(std::move(coordinates)), rest_(theta), x_(rows(neighbours(theta))) {
    whole_ = theta;
    for (Index j = 0; j < theta.cols(); ++j) whole_.col(j)(own_) = x_.col(j);
    wanted_ = contracts::evaluated(model, whole_);
  }

  MatrixXd caches(const MatrixXd& theta) const {
    MatrixXd made = MatrixXd::Constant(block_.cache_rows(), theta.cols(), nan);
    Workspace scratch;
    block_.prepare(theta, made, scratch);
    return made;
  }

  Evaluated evaluated(const MatrixXd& caches, const MatrixXd& x, Asked asked = Asked::both) const {
    return evaluated_by(
        x, [&](const Evaluation& out) { block_.evaluate(of(caches), x, out); }, asked);
  }

  double against_the_whole() const {
    const Evaluated found = evaluated(caches(rest_), x_);
    return worse(relative(found.u, wanted_.u), relative(found.g, rows(wanted_.g)));
  }

  /// Compares U and gradient requested together and separately.
  double alone_and_together() const {
    const MatrixXd made = caches(rest_);
    const Evaluated both = evaluated(made, x_);
    return worse(relative(evaluated(made, x_, Asked::potential).u, both.u),
                 relative(evaluated(made, x_, Asked::gradient).g, both.g));
  }

  double among_nan() const {
    const Evaluated all = evaluated(caches(rest_), x_);
    double worst = 0.0;
    for (Index j = 0; j < x_.cols(); ++j) {
      MatrixXd rest = MatrixXd::Constant(rest_.rows(), rest_.cols(), nan);
      MatrixXd x = MatrixXd::Constant(x_.rows(), x_.cols(), nan);
      rest.col(j) = rest_.col(j);
      x.col(j) = x_.col(j);
      const Evaluated one = evaluated(caches(rest), x);
      worst = worse(worst, relative(one.u.col(j), all.u.col(j)));
      worst = worse(worst, relative(one.g.col(j), all.g.col(j)));
    }
    return worst;
  }

  bool reads_its_own_rows() const {
    MatrixXd without = rest_;
    for (Index j = 0; j < without.cols(); ++j) without.col(j)(own_).setConstant(nan);
    return !same_bits(caches(rest_), caches(without));
  }

 private:
  static MatrixXd neighbours(const MatrixXd& theta) {
    MatrixXd shifted(theta.rows(), theta.cols());
    shifted << theta.rightCols(theta.cols() - 1), theta.leftCols(1);
    return shifted;
  }
  MatrixXd rows(const MatrixXd& whole) const { return whole(own_, Eigen::all); }
  static ConditionalCaches of(const MatrixXd& caches) {
    return {Numbers(ConstMatrixMap(caches.data(), caches.rows(), caches.cols())), 0};
  }
  /// The largest difference, relative to 1 + the largest expected number.
  static double relative(const MatrixXd& found, const MatrixXd& wanted) {
    if (wanted.size() == 0) return 0.0;
    const double difference = (found - wanted).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    return difference / (1.0 + wanted.cwiseAbs().maxCoeff());
  }

  const ConditionalPotential& block_;
  std::vector<Index> own_;
  MatrixXd rest_;
  MatrixXd x_;
  MatrixXd whole_;
  Evaluated wanted_;
};

/// Each parameter as a block, and blocks that combine several parameters.
std::vector<std::vector<Index>> some_blocks(const Model& model) {
  const Index dimension = model.dimension();
  std::vector<Index> half;
  std::vector<Index> thirds;
  for (Index i = 0; i < dimension; ++i) {
    if (2 * i < dimension) half.push_back(i);
    if (i % 3 == 1) thirds.push_back(i);
  }
  std::vector<std::vector<Index>> blocks{half, {dimension - 1}};
  if (!thirds.empty()) blocks.push_back(thirds);
  const std::vector<Parameter> parameters = model.parameters();
  for (const Parameter& one : parameters) {
    blocks.push_back(select_coordinates(parameters, one.name));
  }
  return blocks;
}

std::string what_is_wrong(const Look& look) {
  std::string wrong;
  const auto require = [&wrong](const std::string& what, double error, double limit) {
    if (!(error <= limit)) wrong += what + " by " + text(error) + "; ";
  };
  require("the conditional potential differs from U of the whole model", look.against_the_whole(),
          1e-11);
  require("U or the gradient differs between separate and joint requests",
          look.alone_and_together(), 1e-12);
  require("NaN in other columns changes the result of a column", look.among_nan(), 1e-12);
  if (look.reads_its_own_rows())
    wrong +=
        "the cache changes with the block's own parameters, but must depend only on the other "
        "parameters; ";
  return wrong;
}

}  // namespace

Findings check_conditional_potentials(const Model& model, const MatrixXd& theta) {
  std::string wrong;
  int offered = 0;
  for (const std::vector<Index>& coordinates : some_blocks(model)) {
    const auto block = model.conditional_potential(coordinates);
    if (!block) continue;
    ++offered;
    wrong += what_is_wrong(Look(model, *block, coordinates, theta));
  }
  if (offered == 0) return {};
  const std::string detail =
      std::to_string(offered) + " conditional potentials agree with U of the whole model";
  return {{"conditional potential", wrong.empty(), wrong.empty() ? detail : wrong}};
}

}  // namespace mixwell::contracts
