// The map from coordinates to values, parameter by parameter, and models that use this map.
// SPDX-License-Identifier: Apache-2.0
#include "law/constraint_rule.hpp"
#include "law/parameter_rules.hpp"

#include <mixwell/law/constrained_model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mixwell {
namespace {

/// The rule of one piece: all numbers of a parameter with a bound, or one list, or one matrix.
std::shared_ptr<const ConstraintRule> rule_of(const Parameter& parameter) {
  const std::vector<Index>& shape = parameter.shape;
  switch (parameter.constraint.form()) {
    case Constraint::Form::simplex:
      return simplex_rule(shape.back());
    case Constraint::Form::ordered:
      return ordered_rule(shape.back(), false);
    case Constraint::Form::positive_ordered:
      return ordered_rule(shape.back(), true);
    case Constraint::Form::unit_vector:
      return unit_vector_rule(shape.back());
    case Constraint::Form::cholesky_correlation:
      return cholesky_correlation_rule(shape.back());
    case Constraint::Form::cholesky_covariance:
      return cholesky_covariance_rule(shape[shape.size() - 2], shape.back());
    default:
      return bound_rule(parameter.constraint);
  }
}

/// The number of pieces of a parameter: the number of its lists or matrices, or 1 if it has single
/// numbers.
Index copies_in(const Parameter& parameter) {
  switch (parameter.constraint.form()) {
    case Constraint::Form::simplex:
    case Constraint::Form::ordered:
    case Constraint::Form::positive_ordered:
    case Constraint::Form::unit_vector:
      return parameter.size() / parameter.shape.back();
    case Constraint::Form::cholesky_correlation:
    case Constraint::Form::cholesky_covariance:
      return parameter.size() / (parameter.shape.back() * parameter.shape.rbegin()[1]);
    default:
      return 1;
  }
}

bool is_free(const Parameter& parameter) {
  return parameter.constraint.form() == Constraint::Form::none;
}

}  // namespace

ConstraintMap::ConstraintMap(std::vector<Parameter> parameters)
    : parameters_(std::move(parameters)) {
  for (std::size_t k = 0; k < parameters_.size(); ++k) add_parameter(k);
  if (std::all_of(parameters_.begin(), parameters_.end(), is_free)) pieces_.clear();
}

ConstraintMap::~ConstraintMap() = default;
ConstraintMap::ConstraintMap(const ConstraintMap&) = default;
ConstraintMap& ConstraintMap::operator=(const ConstraintMap&) = default;

void ConstraintMap::add_parameter(std::size_t k) {
  const Parameter& parameter = parameters_[k];
  const std::shared_ptr<const ConstraintRule> rule = rule_of(parameter);
  const Index copies = copies_in(parameter);
  for (Index copy = 0; copy < copies; ++copy)
    add_piece(k, rule, parameter.coordinates() / copies, parameter.size() / copies);
}

void ConstraintMap::add_piece(std::size_t k, std::shared_ptr<const ConstraintRule> rule,
                              Index coordinates, Index values) {
  for (Index i = 0; i < values; ++i) is_fixed_.push_back(rule->is_fixed(i));
  pieces_.push_back({std::move(rule), k, coordinates_, coordinates, values_, values});
  coordinates_ += coordinates;
  values_ += values;
}

void ConstraintMap::constrain(ConstBatch theta, Batch x) const {
  if (is_identity()) x = theta;
  for (const Piece& piece : pieces_)
    piece.rule->constrain(theta.middleRows(piece.coordinate, piece.coordinates),
                          x.middleRows(piece.value, piece.values));
}

void ConstraintMap::pull_back(ConstBatch theta, ConstBatch x, ConstBatch gradient, Batch g) const {
  if (is_identity()) g = gradient;
  for (const Piece& piece : pieces_)
    piece.rule->pull_back(theta.middleRows(piece.coordinate, piece.coordinates),
                          x.middleRows(piece.value, piece.values),
                          gradient.middleRows(piece.value, piece.values),
                          g.middleRows(piece.coordinate, piece.coordinates));
}

void ConstraintMap::subtract_log_jacobian(ConstBatch theta, Row u) const {
  for (const Piece& piece : pieces_)
    piece.rule->subtract_log_jacobian(theta.middleRows(piece.coordinate, piece.coordinates), u);
}

void ConstraintMap::subtract_gradient_of_log_jacobian(ConstBatch theta, Batch g) const {
  for (const Piece& piece : pieces_)
    piece.rule->subtract_gradient(theta.middleRows(piece.coordinate, piece.coordinates),
                                  g.middleRows(piece.coordinate, piece.coordinates));
}

void ConstraintMap::unconstrain(ConstBatch x, Batch theta) const {
  if (is_identity()) theta = x;
  for (const Piece& piece : pieces_)
    piece.rule->unconstrain(x.middleRows(piece.value, piece.values),
                            theta.middleRows(piece.coordinate, piece.coordinates));
}

std::string ConstraintMap::broken_rule(ConstBatch x) const {
  for (const Piece& piece : pieces_) {
    const std::string rule = piece.rule->broken_rule(x.col(0).segment(piece.value, piece.values));
    const Parameter& parameter = parameters_[piece.parameter];
    if (!rule.empty())
      return fmt::format("`{}` ({}): {}", parameter.name, parameter.constraint.text(), rule);
  }
  return {};
}

ConstrainedModel::ConstrainedModel() : map_({}) {}
ConstrainedModel::~ConstrainedModel() = default;

Index ConstrainedModel::declare(Parameter parameter) {
  std::vector<Parameter> all = map_.parameters();
  all.push_back(std::move(parameter));
  check_parameters(all);
  const Index first = map_.values();
  map_ = ConstraintMap(std::move(all));
  return first;
}

void ConstrainedModel::do_evaluate(ConstBatch theta, const Evaluation& out) const {
  at_values(theta, out, true,
            [this](ConstBatch x, const Evaluation& at) { evaluate_values(x, at); });
}

}  // namespace mixwell
