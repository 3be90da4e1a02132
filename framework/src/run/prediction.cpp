// Predictive probabilities averaged over the draws of a run.
// SPDX-License-Identifier: Apache-2.0
#include "run/prediction.hpp"

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

double to_coordinate(Transform transform, double recorded) {
  switch (transform) {
    case Transform::exponential:
      return std::log(recorded);
    case Transform::logistic:
      return std::log(recorded) - std::log1p(-recorded);
    case Transform::identity:
    case Transform::absolute:
      break;
  }
  return recorded;
}

}  // namespace

PredictionAverage::PredictionAverage(const Model& model, const KernelGraph& graph, Index replicates)
    : model_(model), graph_(graph), replicates_(replicates), parameters_(model.parameters()) {
  if (active()) mean_.setZero(model.as_prediction()->cases());
}

void PredictionAverage::add(const DrawBuffers& buffers) {
  if (!active() || buffers.draws == 0) return;
  Eigen::MatrixXd theta(model_.dimension(), replicates_);
  Eigen::MatrixXd probability(cases(), replicates_);
  Eigen::RowVectorXd weight(replicates_);
  for (std::int64_t draw = 0; draw < buffers.draws; ++draw) {
    Index row = 0;
    for (const Parameter& parameter : parameters_) {
      for (std::size_t r = 0; r < graph_.records().size(); ++r) {
        const Record& record = graph_.records()[r];
        if (record.group != RecordGroup::posterior || record.slot != 0) continue;
        if (record.name != parameter.name) continue;
        const Eigen::Map<const Eigen::MatrixXd> values(
            buffers.data[r].data() + draw * replicates_ * parameter.size(), parameter.size(),
            replicates_);
        theta.middleRows(row, parameter.size()) =
            values.unaryExpr([&](double v) { return to_coordinate(parameter.transform, v); });
      }
      row += parameter.size();
    }
    model_.as_prediction()->probabilities(theta, probability);
    weight = weights(buffers, draw);
    probability.array().rowwise() *= weight.array();
    weight_ += weight.sum();
    mean_ += (probability.rowwise().sum() - weight.sum() * mean_) / weight_;
  }
}

Eigen::RowVectorXd PredictionAverage::weights(const DrawBuffers& buffers, std::int64_t draw) const {
  for (std::size_t r = 0; r < graph_.records().size(); ++r) {
    const Record& record = graph_.records()[r];
    if (record.group == RecordGroup::sample_stats && record.slot == 0 && record.name == "weight")
      return Eigen::Map<const Eigen::RowVectorXd>(buffers.data[r].data() + draw * replicates_,
                                                  replicates_);
  }
  return Eigen::RowVectorXd::Ones(replicates_);
}

double PredictionAverage::error_rate() const { return model_.as_prediction()->error_rate(mean_); }

void PredictionAverage::visit_state(StateVisitor& visitor) {
  if (!active()) return;
  visitor.numbers("predicted probabilities", mean_);
  visitor.numbers("prediction weight", Eigen::Map<Eigen::MatrixXd>(&weight_, 1, 1));
}

}  // namespace mixwell
