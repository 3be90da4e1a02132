// The terms of a model, called as the model is: named where they fail, checked where a run is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/model.hpp>

namespace mixwell {

/// Those of model.offers<SumOfTerms>(), which is not null and outlives this, with the same bits.
class MIXWELL_INTERNAL ModelTerms final : public SumOfTerms {
 public:
  explicit ModelTerms(const Model& model) : model_(model), terms_(*model.offers<SumOfTerms>()) {}

  Index terms() const noexcept override { return terms_.terms(); }
  Index stratum(Index n, Index strata) const override { return terms_.stratum(n, strata); }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override;
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override;
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace& scratch) const override;

 private:
  const Model& model_;
  const SumOfTerms& terms_;
};

}  // namespace mixwell
