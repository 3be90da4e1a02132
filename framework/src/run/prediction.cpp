// Averages predictions over the draws of a run.
// SPDX-License-Identifier: Apache-2.0
#include "run/prediction.hpp"

namespace mixwell {
PredictionAverage::PredictionAverage(const Model& model, const KernelGraph& graph, Index replicates)
    : prediction_(model.offers<Prediction>()),
      graph_(graph),
      replicates_(replicates),
      map_(model.parameters()) {
  if (active()) mean_.setZero(prediction_->predicted());
}

void PredictionAverage::recorded_values(const DrawBuffers& buffers, std::int64_t draw,
                                        Batch x) const {
  Index row = 0;
  for (const Parameter& parameter : map_.parameters()) {
    for (std::size_t r = 0; r < graph_.records().size(); ++r) {
      const Record& record = graph_.records()[r];
      if (record.group != RecordGroup::posterior || record.slot != 0) continue;
      if (record.name != parameter.name) continue;
      x.middleRows(row, parameter.size()) = Eigen::Map<const Eigen::MatrixXd>(
          buffers.data[r].data() + draw * replicates_ * parameter.size(), parameter.size(),
          replicates_);
    }
    row += parameter.size();
  }
}

void PredictionAverage::add(const DrawBuffers& buffers) {
  if (!active() || buffers.draws == 0) return;
  Eigen::MatrixXd x(map_.values(), replicates_);
  Eigen::MatrixXd theta(map_.coordinates(), replicates_);
  Eigen::MatrixXd predicted(mean_.size(), replicates_);
  Eigen::RowVectorXd weight(replicates_);
  for (std::int64_t draw = 0; draw < buffers.draws; ++draw) {
    recorded_values(buffers, draw, x);
    map_.unconstrain(x, theta);
    prediction_->predict(theta, predicted);
    weight = weights(buffers, draw);
    predicted.array().rowwise() *= weight.array();
    weight_ += weight.sum();
    mean_ += (predicted.rowwise().sum() - weight.sum() * mean_) / weight_;
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

PredictionSummary PredictionAverage::summary() const {
  return {.cases = prediction_->cases(),
          .measure = prediction_->measure(),
          .error = prediction_->error(mean_)};
}

void PredictionAverage::visit_state(StateVisitor& visitor) {
  if (!active()) return;
  visitor.numbers("predictions", mean_);
  visitor.numbers("prediction weight", Eigen::Map<Eigen::MatrixXd>(&weight_, 1, 1));
}

}  // namespace mixwell
