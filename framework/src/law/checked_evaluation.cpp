// How the code of a model is called: its faults are told with its name, and where a run is checked,
// its promises are looked after: what it reads, writes and repeats.
// SPDX-License-Identifier: Apache-2.0
#include "law/checked_evaluation.hpp"

#include "component/places.hpp"

#include <mixwell/base/error.hpp>

#include <string>

namespace mixwell {
namespace {

/// U and grad U of one evaluation, between guards.
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
    throw RunError("theta was changed: it is const, and belongs to the caller");
  if (!results.u.is_intact())
    throw RunError("a number outside of U was written: U has one for each column");
  if (!results.gradient.is_intact())
    throw RunError("a number outside of the gradient was written: it has " +
                   std::to_string(out.gradient.rows()) + " rows and " +
                   std::to_string(out.gradient.cols()) + " columns");
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
      throw RunError("U at the same points was another the second time");
    if (!again.gradient.equals(results.gradient.data()))
      throw RunError("the gradient at the same points was another the second time");
  }
  results.u.copy_to(out.potential);
  Batch gradient = out.gradient;
  if (out.wants_gradient()) results.gradient.copy_to(gradient.data());
}

}  // namespace mixwell
