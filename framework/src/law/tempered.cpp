// A density raised to a power.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/law/tempered.hpp>

namespace mixwell {

void TemperedPotential::evaluate(const Numbers& numbers, ConstBatch theta,
                                 const Evaluation& out) const {
  base_->evaluate(numbers, theta, out);
  if (out.wants_gradient()) flat(out.gradient) *= beta_;
  if (out.wants_potential()) out.u() *= beta_;
}

}  // namespace mixwell
