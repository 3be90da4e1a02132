// The logistic density of a source, as the weights and values of a sum over cases.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../logistic-regression/weights.hpp"
#include "../regression/likelihood.hpp"

#include <limits>

namespace mixwell::ica {

/// With p(z) = 1 / (4 cosh^2(z / 2)), the logistic density, instead of F: values are -log p(z)
/// = |z| + 2 log(1 + exp(-|z|)), weights (log p)'(z) = -tanh(z / 2). Both are 0 at +inf, which
/// marks rows that are no cases.
struct Link {
  /// Twice a sum of |z| / 2 + log(1 + exp(-|z|)).
  class Sum {
   public:
    void expect(Index count) { half_.expect(count); }
    void add(logistic::Four hinge, logistic::Four e) { half_.add(hinge, e); }
    double total() const { return 2 * half_.total(); }

   private:
    logistic::SoftplusSum half_;
  };

  template <bool wants_value>
  static void to_weights(double* z, Index count, Sum& value) {
    using namespace logistic;
    const Bits sign = bits(broadcast(-0.0));
    const Four infinity = broadcast(std::numeric_limits<double>::infinity());
    if constexpr (wants_value) value.expect(count);
    for (Index n = 0; n < count; n += 4) {
      const Four x = load(z + n);
      const Bits dead = reinterpret_cast<Bits>(x == infinity);
      const Bits size = bits(x) & ~sign;
      const Four e = exp_of_negative(from_bits(size | sign));
      const Four weight = (e - 1.0) / (1.0 + e);  // -tanh(|x| / 2)
      store(z + n, from_bits((bits(weight) ^ (bits(x) & sign)) & ~dead));
      if constexpr (wants_value) value.add(0.5 * from_bits(size & ~dead), e);
    }
  }
};

using Likelihood = regression::Likelihood<Link>;

}  // namespace mixwell::ica
