// Evaluates a model's terms. Errors name the model, and checked runs check that the terms obey
// their contract.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/model.hpp>

namespace mixwell {

/// The terms of model.offers<SumOfTerms>(), which must not be null and must outlive this. Results
/// have the same bits with and without checks.
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
