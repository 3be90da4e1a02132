// Softplus and its derivative for arrays, numerically stable for all arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/law/lanes.hpp>
#include <mixwell/plugin.hpp>

#include <cmath>

namespace mixwell::logistic {

using lanes::Bits;
using lanes::bits;
using lanes::broadcast;
using lanes::exp_of_negative;
using lanes::Four;
using lanes::from_bits;
using lanes::load;
using lanes::store;
using lanes::sum;

/// Sums softplus(-z) = log(1 + exp(-z)) = max(-z, 0) + log(1 + e), e = exp(-|z|), as `hinges` +
/// log(1 + product), where `product` + 1 is the product of the factors 1 + e. One logarithm serves
/// many terms, and small sums keep their relative accuracy.
class SoftplusSum {
 public:
  /// Makes room for `count` terms (at most 2000), before they are added.
  void expect(Index count) {
    if (terms_ + count > most_terms) close();
    terms_ += count;
  }
  void add(Four hinge, Four e) {
    hinges_ += hinge;
    product_ += e * (1.0 + product_);
  }
  double total() const { return closed_ + sum(hinges_) + logarithm(); }

 private:
  static constexpr Index most_terms = 2000;  // the product stays below 2^1000

  static double joined(double a, double b) { return a + b * (1.0 + a); }
  double logarithm() const {
    return std::log1p(joined(product_[0], product_[2])) +
           std::log1p(joined(product_[1], product_[3]));
  }
  void close() {
    closed_ += logarithm();
    product_ = Four{};
    terms_ = 0;
  }

  Four hinges_{};
  Four product_{};
  double closed_ = 0.0;
  Index terms_ = 0;
};

/// z[n] -> 1 / (1 + exp(z[n])) for n < count, a multiple of 4; if wanted, adds softplus(-z[n]) to
/// `value`. z = +inf gives weight 0 and softplus 0. Uses masks because `?:` takes three
/// instructions.
template <bool wants_value>
void to_weights(double* z, Index count, SoftplusSum& value) {
  const Bits sign = bits(broadcast(-0.0));
  SoftplusSum sum = value;  // in registers
  if constexpr (wants_value) sum.expect(count);
  for (Index n = 0; n < count; n += 4) {
    const Four x = load(z + n);
    const Bits below = reinterpret_cast<Bits>(x <= 0.0);
    const Four e = exp_of_negative(from_bits(bits(x) | sign));
    const Four one_below = from_bits(bits(broadcast(1.0)) & below);
    store(z + n, (one_below > e ? one_below : e) / (1.0 + e));
    if constexpr (wants_value) sum.add(from_bits(bits(x) & below & ~sign), e);
  }
  if constexpr (wants_value) value = sum;
}

}  // namespace mixwell::logistic
