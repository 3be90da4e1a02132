// Models: checked evaluation, default starting points, and names and values of recorded quantities.
// SPDX-License-Identifier: Apache-2.0
#include "law/checked_evaluation.hpp"

#include <mixwell/law/capabilities.hpp>
#include <mixwell/law/conditional_potential.hpp>
#include <mixwell/model.hpp>

#include <cassert>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace mixwell {
namespace {

std::string shape_text(Index rows, Index cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

[[noreturn]] void refuse_shapes(ConstBatch theta, const Evaluation& out) {
  throw std::invalid_argument("Model::evaluate: theta is " +
                              shape_text(theta.rows(), theta.cols()) + ", but the gradient is " +
                              shape_text(out.gradient.rows(), out.gradient.cols()) +
                              ". Give the gradient the shape of theta");
}

/// The indices of element `flat` of an array, last index fastest: "2, 0".
std::string indices_text(Index flat, const std::vector<Index>& shape) {
  std::string text;
  for (auto length = shape.rbegin(); length != shape.rend(); ++length) {
    text = std::to_string(flat % *length) + (text.empty() ? "" : ", ") + text;
    flat /= *length;
  }
  return text;
}

void append_names(const Parameter& parameter, std::vector<std::string>& names) {
  if (!parameter.constraint.is_of_numbers()) {
    append_names({.name = "unconstrained_" + parameter.name, .shape = {parameter.coordinates()}},
                 names);
    return;
  }
  if (parameter.shape.empty()) {
    names.push_back(parameter.name);
    return;
  }
  for (Index i = 0; i < parameter.size(); ++i)
    names.push_back(parameter.name + "[" + indices_text(i, parameter.shape) + "]");
}

}  // namespace

std::string_view to_string(RecordGroup group) noexcept {
  switch (group) {
    case RecordGroup::posterior:
      return "posterior";
    case RecordGroup::sample_stats:
      return "sample_stats";
    case RecordGroup::log_likelihood:
      return "log_likelihood";
    case RecordGroup::posterior_predictive:
      return "posterior_predictive";
  }
  return "";
}

Offering::~Offering() = default;
void Offering::offer(Offer&) const noexcept {}

Derived::~Derived() = default;
Generated::~Generated() = default;
ExactSampler::~ExactSampler() = default;
Prior::~Prior() = default;
NamedPositions::~NamedPositions() = default;
DataDraws::~DataDraws() = default;
ConditionalDraws::~ConditionalDraws() = default;
EstimatedDensity::~EstimatedDensity() = default;
ConditionalPotential::~ConditionalPotential() = default;
IndependentElements::~IndependentElements() = default;
GaussianPrior::~GaussianPrior() = default;
MarginalLaws::~MarginalLaws() = default;
Prediction::~Prediction() = default;
Metric::~Metric() = default;
SumOfTerms::~SumOfTerms() = default;

void SumOfTerms::gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                                    Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  MatrixMap repeated = scratch.matrix(theta.rows(), indices.rows());
  repeated.colwise() = theta.col(0);
  const ConstMatrixMap one_each(indices.data(), 1, indices.rows());
  evaluate_terms(repeated, one_each, {nullptr, out, scratch});
}

Index SumOfTerms::stratum(Index n, Index strata) const {
  // n * strata may be too large for an Index.
  return static_cast<Index>(static_cast<double>(n) * static_cast<double>(strata) /
                            static_cast<double>(terms()));
}
Model::~Model() = default;

void EstimatedDensity::draw_weighted(ConstBatch, const Stream&, Address, Batch, Workspace&) const {
  throw std::logic_error(
      "draw_weighted() was called, but draws_weighted() returns false. Override both functions");
}
ForeignCode::~ForeignCode() = default;
HessianProducts::~HessianProducts() = default;

const HessianProducts* hessian_products(const Model* model) noexcept {
  const auto* const products = model == nullptr ? nullptr : model->offers<HessianProducts>();
  return products != nullptr && products->multiplies_hessians() ? products : nullptr;
}

bool calls_foreign_code(const Model& model) noexcept {
  const auto* const foreign = model.offers<ForeignCode>();
  return foreign != nullptr && foreign->calls_foreign_code();
}

Index Parameter::size() const noexcept {
  return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
}

std::shared_ptr<const ConditionalPotential> Model::conditional_potential(
    const std::vector<Index>&) const {
  return nullptr;
}

Index Model::dimension() const {
  const std::vector<Parameter> all = parameters();
  return std::accumulate(all.begin(), all.end(), Index{0},
                         [](Index sum, const Parameter& one) { return sum + one.coordinates(); });
}

void Model::evaluate(ConstBatch theta, const Evaluation& out) const {
  if (theta.rows() != out.gradient.rows() || theta.cols() != out.gradient.cols())
    refuse_shapes(theta, out);
  if (!out.wants_gradient() && !evaluates_potential_alone()) {
    const Workspace::Frame frame(out.scratch);
    MatrixMap unread = out.scratch.matrix(theta.rows(), theta.cols());
    return evaluate(theta, {out.potential, unread, out.scratch, out.draw});
  }
  assert(!out.wants_gradient() || theta.data() + theta.size() <= out.gradient.data() ||
         out.gradient.data() + out.gradient.size() <= theta.data());
  static thread_local int calls = 0;
  evaluate_as(*this, theta, out, calls,
              [this](ConstBatch at, const Evaluation& to) { do_evaluate(at, to); });
}

void Model::initial(const Stream& stream, Address at, Batch theta) const {
  const CallMark mark(*this);
  try {
    do_initial(stream, at, theta);
  } catch (...) {
    rethrow_from(*this);
  }
}

void Model::do_initial(const Stream& stream, Address at, Batch theta) const {
  stream.uniforms(at, theta);
  Index first = 0;
  for (const Parameter& parameter : parameters()) {
    auto rows = theta.middleRows(first, parameter.coordinates());
    if (const auto& whole = parameter.whole) {
      const auto least = static_cast<double>(whole->least);
      const auto most = static_cast<double>(whole->most);
      rows = (least + (most - least + 1.0) * rows.array()).floor().min(most).matrix();
    } else {
      rows = (4.0 * rows.array() - 2.0).matrix();
    }
    first += parameter.coordinates();
  }
}

std::vector<std::optional<WholeNumbers>> whole_numbers(const std::vector<Parameter>& parameters) {
  std::vector<std::optional<WholeNumbers>> all;
  for (const Parameter& parameter : parameters)
    all.insert(all.end(), static_cast<std::size_t>(parameter.coordinates()), parameter.whole);
  return all;
}

std::vector<Index> real_coordinates(const std::vector<Parameter>& parameters) {
  const auto whole = whole_numbers(parameters);
  std::vector<Index> real;
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (!whole[i]) real.push_back(static_cast<Index>(i));
  return real;
}

std::vector<std::string> coordinate_names(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) append_names(parameter, names);
  return names;
}

}  // namespace mixwell
