// What a model makes of U given some of its coordinates, against the whole U.
// SPDX-License-Identifier: Apache-2.0
#include "block_potential.hpp"

#include <mixwell/block_potential.hpp>
#include <mixwell/selection.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace mixwell::contracts {
namespace {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct BlockEvaluated {
  RowVectorXd u;
  MatrixXd g;
};

BlockEvaluated blank(Index rows, Index columns) {
  return {RowVectorXd::Constant(columns, nan), MatrixXd::Constant(rows, columns, nan)};
}

/// One block of a model, and the positions that it is looked at: the rest of theta's columns, with
/// the block's rows of their neighbours.
class Look {
 public:
  Look(const Model& model, const BlockPotential& block, std::vector<Index> coordinates,
       const MatrixXd& theta)
      : block_(block), own_(std::move(coordinates)), rest_(theta), x_(rows(neighbours(theta))) {
    whole_ = theta;
    for (Index j = 0; j < theta.cols(); ++j) whole_.col(j)(own_) = x_.col(j);
    wanted_ = blank(theta.rows(), theta.cols());
    Workspace scratch;
    model.evaluate(whole_, {wanted_.u.data(), wanted_.g, scratch});
  }

  MatrixXd caches(const MatrixXd& theta) const {
    MatrixXd made = MatrixXd::Constant(block_.cache_rows(), theta.cols(), nan);
    Workspace scratch;
    block_.prepare(theta, made, scratch);
    return made;
  }

  BlockEvaluated evaluated(const MatrixXd& caches, const MatrixXd& x) const {
    BlockEvaluated out = blank(x.rows(), x.cols());
    Workspace scratch;
    block_.evaluate(of(caches), x, {out.u.data(), out.g, scratch});
    return out;
  }

  double against_the_whole() const {
    const BlockEvaluated found = evaluated(caches(rest_), x_);
    return std::max(relative(found.u, wanted_.u), relative(found.g, rows(wanted_.g)));
  }

  /// Both at once and each by itself.
  double alone_and_together() const {
    const MatrixXd made = caches(rest_);
    const BlockEvaluated both = evaluated(made, x_);
    BlockEvaluated single = blank(x_.rows(), x_.cols());
    Workspace scratch;
    block_.evaluate(of(made), x_, Evaluation::of_potential(single.u.data(), x_, scratch));
    block_.evaluate(of(made), x_, {nullptr, single.g, scratch});
    return std::max(relative(single.u, both.u), relative(single.g, both.g));
  }

  double among_nan() const {
    const BlockEvaluated all = evaluated(caches(rest_), x_);
    double worst = 0.0;
    for (Index j = 0; j < x_.cols(); ++j) {
      MatrixXd rest = MatrixXd::Constant(rest_.rows(), rest_.cols(), nan);
      MatrixXd x = MatrixXd::Constant(x_.rows(), x_.cols(), nan);
      rest.col(j) = rest_.col(j);
      x.col(j) = x_.col(j);
      const BlockEvaluated one = evaluated(caches(rest), x);
      worst = larger(worst, relative(one.u.col(j), all.u.col(j)));
      worst = larger(worst, relative(one.g.col(j), all.g.col(j)));
    }
    return worst;
  }

  bool reads_its_own_rows() const {
    MatrixXd without = rest_;
    for (Index j = 0; j < without.cols(); ++j) without.col(j)(own_).setConstant(nan);
    const MatrixXd with = caches(rest_);
    const MatrixXd blind = caches(without);
    const auto bytes = static_cast<std::size_t>(with.size()) * sizeof(double);
    return std::memcmp(with.data(), blind.data(), bytes) != 0;
  }

 private:
  static MatrixXd neighbours(const MatrixXd& theta) {
    MatrixXd shifted(theta.rows(), theta.cols());
    shifted << theta.rightCols(theta.cols() - 1), theta.leftCols(1);
    return shifted;
  }
  MatrixXd rows(const MatrixXd& whole) const { return whole(own_, Eigen::all); }
  static BlockCaches of(const MatrixXd& caches) {
    return {Numbers(ConstMatrixMap(caches.data(), caches.rows(), caches.cols())), 0};
  }
  static double larger(double a, double b) { return a >= b ? a : b; }
  /// Largest difference, relative to 1 + the largest number wanted.
  static double relative(const MatrixXd& found, const MatrixXd& wanted) {
    if (wanted.size() == 0) return 0.0;
    const double difference = (found - wanted).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    return difference / (1.0 + wanted.cwiseAbs().maxCoeff());
  }

  const BlockPotential& block_;
  std::vector<Index> own_;
  MatrixXd rest_;
  MatrixXd x_;
  MatrixXd whole_;
  BlockEvaluated wanted_;
};

/// Each parameter, and blocks that go across them.
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
  std::ostringstream text;
  const double whole = look.against_the_whole();
  if (!(whole <= 1e-11)) text << "differs from the whole U by " << whole << "; ";
  const double alone = look.alone_and_together();
  if (!(alone <= 1e-12)) text << "U or gradient by itself differs by " << alone << "; ";
  const double among = look.among_nan();
  if (!(among <= 1e-12)) text << "a column among columns of NaN differs by " << among << "; ";
  if (look.reads_its_own_rows()) text << "the cache changes with the block's own rows; ";
  return text.str();
}

}  // namespace

Findings check_block_potentials(const Model& model, const MatrixXd& theta) {
  std::string wrong;
  int offered = 0;
  for (const std::vector<Index>& coordinates : some_blocks(model)) {
    const auto block = model.block_potential(coordinates);
    if (!block) continue;
    ++offered;
    wrong += what_is_wrong(Look(model, *block, coordinates, theta));
  }
  if (offered == 0) return {};
  const std::string detail = std::to_string(offered) + " blocks against the whole U";
  return {{"block potential", wrong.empty(), wrong.empty() ? detail : wrong}};
}

}  // namespace mixwell::contracts
