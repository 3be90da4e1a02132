// How the code of a model is called: its faults are told with its name, and where a run is checked,
// its promises are looked after: what it reads, writes and repeats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/guarded_columns.hpp"
#include "base/present_call.hpp"

#include <mixwell/model.hpp>

#include <functional>

namespace mixwell {

using Evaluator = std::function<void(ConstBatch theta, const Evaluation& out)>;

/// evaluate(theta, out) on copies between guards; `twice`: and once more. Throws RunError where
/// theta was changed, something outside of U and grad U was written, or the second time has other
/// bits. Results have the bits that they have without.
void evaluate_checked(const Evaluator& evaluate, ConstBatch theta, const Evaluation& out,
                      bool twice);

/// Throws the exception being handled again, said to come from the model.
[[noreturn]] void rethrow_from(const Model& model);

/// evaluate(theta, out), which is code of the model; checked under CheckedCalls. `calls` counts
/// those of this kind in the thread.
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
