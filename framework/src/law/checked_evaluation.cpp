// Calls a model's code. Errors name the model. Checked runs also check what the code reads and
// writes, and whether a second call gives the same results.
// SPDX-License-Identifier: Apache-2.0
#include "law/checked_evaluation.hpp"

#include "component/locations.hpp"

#include <mixwell/base/error.hpp>

#include <string>

namespace mixwell {
namespace {

/// The results U and grad U of one evaluation, between guards.
struct GuardedResults {
  GuardedColumns u;
  GuardedColumns gradient;

  explicit GuardedResults(const Evaluation& out)
      : u(out.potential, out.wants_potential() ? out.gradient.cols() : 0),
        gradient(out.gradient.data(), out.wants_gradient() ? out.gradient.size() : 0) {}

  Evaluation evaluation(const Evaluation& out) {
    MatrixMap g(out.wants_gradient() ? gradient.data() : nullptr, out.gradient.rows(),
                out.gradient.cols());
    return {out.wants_potential() ? u.data() : nullptr, g, out.scratch, out.draw};
  }
};

void evaluate_between_guards(const Evaluator& evaluate, ConstBatch theta, const Evaluation& out,
                             GuardedResults& results) {
  GuardedColumns position(theta.data(), theta.size());
  evaluate(ConstMatrixMap(position.data(), theta.rows(), theta.cols()), results.evaluation(out));
  if (!position.is_intact() || !position.equals(theta.data()))
    throw RunError(
        "the code changed theta, which is const and belongs to the caller. Change a copy instead");
  if (!results.u.is_intact())
    throw RunError(
        "the code wrote outside the array U, which has one entry for each column. Write only "
        "inside this array");
  if (!results.gradient.is_intact())
    throw RunError("the code wrote outside the gradient, which has " +
                   std::to_string(out.gradient.rows()) + " rows and " +
                   std::to_string(out.gradient.cols()) +
                   " columns. Write only inside the gradient");
}

std::string words_of(const Model& model) {
  const char* const words = words_for(&model);
  return words != nullptr ? words : "the model `" + model.name() + "`";
}

}  // namespace

void rethrow_from(const Model& model) { rethrow_from(words_of(model).c_str()); }

void evaluate_checked(const Evaluator& evaluate, ConstBatch theta, const Evaluation& out,
                      bool twice) {
  GuardedResults results(out);
  evaluate_between_guards(evaluate, theta, out, results);
  if (twice) {
    GuardedResults again(out);
    evaluate_between_guards(evaluate, theta, out, again);
    if (!again.u.equals(results.u.data()))
      throw RunError(
          "a second evaluation at the same points gave a different U. Make the results depend only "
          "on the arguments. Likely causes are uninitialised memory and static variables");
    if (!again.gradient.equals(results.gradient.data()))
      throw RunError(
          "a second evaluation at the same points gave a different gradient. Make the results "
          "depend only on the arguments. Likely causes are uninitialised memory and static "
          "variables");
  }
  results.u.copy_to(out.potential);
  Batch gradient = out.gradient;
  if (out.wants_gradient()) results.gradient.copy_to(gradient.data());
}

}  // namespace mixwell
