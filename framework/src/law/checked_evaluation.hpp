// An evaluation of a model whose promises are checked: what it reads, writes and repeats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/model.hpp>

#include <functional>

namespace mixwell {

using Evaluator = std::function<void(ConstBatch theta, const Evaluation& out)>;

/// evaluate(theta, out) on copies between guards; `twice`: and once more. Throws RunError where
/// theta was changed, something outside of U and grad U was written, or the second time has other
/// bits. Results have the bits that they have without.
void evaluate_checked(const Evaluator& evaluate, ConstBatch theta, const Evaluation& out,
                      bool twice);

}  // namespace mixwell
