// Evaluates a model's terms. Errors name the model, and checked runs check that the terms obey
// their contract.
// SPDX-License-Identifier: Apache-2.0
#include "law/model_terms.hpp"

#include "law/checked_evaluation.hpp"

namespace mixwell {

void ModelTerms::evaluate_rest(ConstBatch theta, const Evaluation& out) const {
  static thread_local int calls = 0;
  evaluate_as(model_, theta, out, calls,
              [this](ConstBatch at, const Evaluation& to) { terms_.evaluate_rest(at, to); });
}

void ModelTerms::evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const {
  static thread_local int calls = 0;
  evaluate_as(model_, theta, out, calls,
              [&](ConstBatch at, const Evaluation& to) { terms_.evaluate_terms(at, indices, to); });
}

void ModelTerms::gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                                    Workspace& scratch) const {
  static thread_local int calls = 0;
  evaluate_as(model_, theta, {nullptr, out, scratch}, calls,
              [&](ConstBatch at, const Evaluation& to) {
                terms_.gradients_of_terms(at, indices, to.gradient, to.scratch);
              });
}

}  // namespace mixwell
