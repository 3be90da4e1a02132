// Exact arithmetic on probabilities: rational numbers as their images modulo 2^61 - 1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mixwell::worlds {

/// A positive fraction of small whole numbers: what one operation does with which probability.
struct Share {
  std::uint64_t part = 1;
  std::uint64_t of = 1;
};

/// A share, perhaps times a step size that goes to 0, and with a sign.
struct Term {
  Share share{};
  bool small = false;
  bool minus = false;
};

/// A rational number by its image modulo the prime 2^61 - 1, with a double beside it. Two different
/// sums of products of random shares have the same image with a probability of about 1e-18, so that
/// equality needs no tolerance.
class Exact {
 public:
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

  Exact() = default;
  explicit Exact(const Term& t)
      : image_(times(t.share.part % prime, inverse(t.share.of % prime))),
        real_(static_cast<double>(t.share.part) / static_cast<double>(t.share.of)) {
    if (!t.minus) return;
    image_ = times(prime - 1, image_);
    real_ = -real_;
  }

  Exact& operator+=(const Exact& other) {
    image_ += other.image_;
    if (image_ >= prime) image_ -= prime;
    real_ += other.real_;
    return *this;
  }
  friend Exact operator*(const Exact& a, const Exact& b) {
    Exact c;
    c.image_ = times(a.image_, b.image_);
    c.real_ = a.real_ * b.real_;
    return c;
  }
  friend bool operator==(const Exact& a, const Exact& b) { return a.image_ == b.image_; }
  double real() const { return real_; }

 private:
  static constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide c = static_cast<Wide>(a) * b;
    const std::uint64_t sum =
        static_cast<std::uint64_t>(c & prime) + static_cast<std::uint64_t>(c >> 61);
    return sum >= prime ? sum - prime : sum;
  }
  /// a^(p - 2), by Fermat.
  static constexpr std::uint64_t inverse(std::uint64_t a) {
    std::uint64_t result = 1;
    for (std::uint64_t e = prime - 2; e > 0 && a != 1; e >>= 1) {
      if (e & 1) result = times(result, a);
      a = times(a, a);
    }
    return result;
  }

  std::uint64_t image_ = 0;
  double real_ = 0.0;
};

/// a + b eps, without eps^2: what becomes of a law to first order in a small step.
template <class Number>
class FirstOrder {
 public:
  FirstOrder() = default;
  explicit FirstOrder(const Number& value) : value_(value) {}
  explicit FirstOrder(const Term& t) { (t.small ? slope_ : value_) = Number(t); }

  FirstOrder& operator+=(const FirstOrder& other) {
    value_ += other.value_;
    slope_ += other.slope_;
    return *this;
  }
  friend FirstOrder operator*(const FirstOrder& a, const FirstOrder& b) {
    FirstOrder c(a.value_ * b.value_);
    c.slope_ = a.value_ * b.slope_;
    c.slope_ += a.slope_ * b.value_;
    return c;
  }
  friend bool operator==(const FirstOrder& a, const FirstOrder& b) {
    return a.value_ == b.value_ && a.slope_ == b.slope_;
  }
  double real() const { return value_.real() + slope_.real(); }
  const Number& value() const { return value_; }
  const Number& slope() const { return slope_; }

 private:
  Number value_;
  Number slope_;
};

template <class Number>
inline constexpr bool is_first_order = false;
template <class Number>
inline constexpr bool is_first_order<FirstOrder<Number>> = true;

}  // namespace mixwell::worlds
