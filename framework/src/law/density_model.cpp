// Data that densities observe, and messages about mistakes in the code of densities.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>
#include <mixwell/density/density_model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell {
namespace {

NamedValues named(const std::string& name, const Eigen::VectorXd& values, const Dim& dim) {
  if (dim.length != values.size())
    throw InputError(
        fmt::format("`{}` has {} elements, but its dim `{}` has length {}. Make the two equal",
                    name, values.size(), dim.name, dim.length));
  NamedValues all{.name = name, .shape = {dim.length}, .values = {values.begin(), values.end()}};
  if (!dim.name.empty()) all.dims = {dim.name};
  return all;
}

}  // namespace

void ObservedCases::observe(const std::string& name, const Eigen::VectorXd& values,
                            const Dim& dim) {
  if (!observed_.empty())
    throw InputError(
        fmt::format("observe: `{}` is already observed, so `{}` cannot be observed as well. Call "
                    "observe() once",
                    observed_.front().name, name));
  observed_.push_back(named(name, values, dim));
}

void ObservedCases::add_constant(const std::string& name, const Eigen::VectorXd& values,
                                 const Dim& dim) {
  constant_.push_back(named(name, values, dim));
}

std::vector<Parameter> ObservedCases::quantities(Index cases, bool draws) const {
  Parameter one{.name = "y", .shape = {cases}, .group = RecordGroup::log_likelihood};
  if (!observed_.empty()) {
    const NamedValues& seen = observed_.front();
    if (seen.shape.front() != cases)
      throw InputError(
          fmt::format("observe: `{}` has {} elements, but cases() returns {}. Make the two equal",
                      seen.name, seen.shape.front(), cases));
    one.name = seen.name;
    one.dims = seen.dims;
  }
  std::vector<Parameter> all = {one};
  one.group = RecordGroup::posterior_predictive;
  if (draws) all.push_back(one);
  return all;
}

namespace detail {

void refuse_element(const std::string& name, Index index, Index size) {
  throw RunError(fmt::format(
      "the density reads element {} of `{}`, which has {} elements. Indices start at 0. "
      "Correct the index",
      index, name, size));
}

void refuse_dot(Index constants, Index values) {
  throw RunError(fmt::format(
      "dot() was called with {} constants and {} values. Call it with as many constants as values",
      constants, values));
}

void refuse_undeclared() {
  throw RunError(
      "the density reads a parameter that was never declared. Initialise its class member with "
      "scalar(), vector() or matrix(), at the declaration or in the constructor");
}

std::string trouble_text(const std::string& what, double value) {
  return fmt::format("{} is {}", what, value);
}

MapDirection::MapDirection(const ConstraintMap& map, ConstBatch theta, ConstBatch v,
                           Workspace& scratch)
    : map_(map),
      theta_(theta.data(), theta.rows(), theta.cols()),
      v_(v.data(), v.rows(), v.cols()),
      step_(scratch.row(theta.cols())),
      scratch_(scratch) {
  const double h = std::cbrt(std::numeric_limits<double>::epsilon());
  for (Index j = 0; j < theta.cols(); ++j) {
    const double length = v.col(j).cwiseAbs().maxCoeff();
    step_[j] = length > 0.0 ? h * std::max(1.0, theta.col(j).cwiseAbs().maxCoeff()) / length : h;
  }
}

void MapDirection::move(double sign, Batch theta, Batch x) const {
  theta = theta_;
  for (Index j = 0; j < theta.cols(); ++j) theta.col(j) += sign * step_[j] * v_.col(j);
  map_.constrain(theta, x);
}

void MapDirection::values(Batch out) const {
  const Workspace::Frame frame(scratch_);
  MatrixMap theta = scratch_.matrix(theta_.rows(), theta_.cols());
  MatrixMap down = scratch_.matrix(out.rows(), out.cols());
  move(-1.0, theta, down);
  move(1.0, theta, out);
  for (Index j = 0; j < out.cols(); ++j) out.col(j) = (out.col(j) - down.col(j)) / (2.0 * step_[j]);
}

void MapDirection::add_bend(ConstBatch gradient, Batch out) const {
  const Workspace::Frame frame(scratch_);
  MatrixMap theta = scratch_.matrix(theta_.rows(), theta_.cols());
  MatrixMap x = scratch_.matrix(gradient.rows(), gradient.cols());
  MatrixMap g = scratch_.matrix(theta_.rows(), theta_.cols());
  for (const double sign : {1.0, -1.0}) {
    move(sign, theta, x);
    map_.pull_back(theta, x, gradient, g);
    map_.subtract_gradient_of_log_jacobian(theta, g);
    for (Index j = 0; j < out.cols(); ++j) out.col(j) += sign / (2.0 * step_[j]) * g.col(j);
  }
}

}  // namespace detail
}  // namespace mixwell
