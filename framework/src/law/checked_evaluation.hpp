// Calls a model's code. Errors name the model. Checked runs also check what the code reads and
// writes, and whether a second call gives the same results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/guarded_columns.hpp"
#include "base/present_call.hpp"

#include <mixwell/model.hpp>

#include <functional>

namespace mixwell {

using Evaluator = std::function<void(ConstBatch theta, const Evaluation& out)>;

/// Calls evaluate(theta, out) on copies between guards, and a second time if `twice`. Throws
/// RunError if the code changed theta, wrote outside U and grad U, or gave different bits the
/// second time. Results have the same bits as without these checks.
void evaluate_checked(const Evaluator& evaluate, ConstBatch theta, const Evaluation& out,
                      bool twice);

/// Rethrows the exception being handled, with the name of the model in its message.
[[noreturn]] void rethrow_from(const Model& model);

/// Calls evaluate(theta, out), which is code of the model. Under CheckedCalls the call is checked.
/// `calls` counts the calls of this kind in this thread.
template <class Evaluate>
void evaluate_as(const Model& model, ConstBatch theta, const Evaluation& out, int& calls,
                 const Evaluate& evaluate) {
  PresentCall& call = present_call();
  const Component* const before = call.component();
  call.set_component(&model);
  try {
    const int every = checked_every();
    if (every == 0)
      evaluate(theta, out);
    else
      evaluate_checked(evaluate, theta, out, calls++ % every == 0);
  } catch (...) {
    call.set_component(before);
    rethrow_from(model);
  }
  call.set_component(before);
}

}  // namespace mixwell
