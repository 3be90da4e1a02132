// Averages predictions over the draws of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/state.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/lab/summary.hpp>
#include <mixwell/law/constrained_model.hpp>
#include <mixwell/model.hpp>

namespace mixwell {

/// The posterior mean of the predictions for the test cases, over all recorded draws of slot 0. If
/// the statistic `weight` is recorded, the draws are weighted by this statistic. Computes nothing
/// for models without test cases. Costs one Prediction::predict per draw.
class PredictionAverage {
 public:
  PredictionAverage(const Model& model, const KernelGraph& graph, Index replicates);

  bool active() const noexcept { return prediction_ != nullptr; }
  void add(const DrawBuffers& buffers);
  PredictionSummary summary() const;
  void visit_state(StateVisitor& visitor);

 private:
  Eigen::RowVectorXd weights(const DrawBuffers& buffers, std::int64_t draw) const;
  /// Writes the recorded values of slot 0 to `x`, values x replicates.
  void recorded_values(const DrawBuffers& buffers, std::int64_t draw, Batch x) const;

  const Prediction* prediction_;  ///< null if there is nothing to average
  const KernelGraph& graph_;
  Index replicates_;
  ConstraintMap map_;
  Eigen::VectorXd mean_;
  double weight_ = 0.0;  ///< total weight of the draws so far
};

}  // namespace mixwell
