// Random tables and distributions over a few values, computed from a seed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace mixwell::worlds {

/// A positive fraction of small whole numbers: the probability of one outcome of an operation.
struct Share {
  std::uint64_t part = 1;
  std::uint64_t of = 1;
};

/// A share with a sign. A small term is multiplied by a step size that goes to 0.
struct Term {
  Share share{};
  bool small = false;
  bool minus = false;
};

/// A rational number, represented by its image modulo the prime 2^61 - 1 and by a double. Two
/// different sums of products of random shares have the same image with a probability of about
/// 1e-18, so equality needs no tolerance.
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

/// a + b eps, without eps^2: a probability to first order in a small step.
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

/// Converts a whole number to an index.
inline std::size_t at(std::int64_t k) { return static_cast<std::size_t>(k); }

/// The finalizer of SplitMix64 (Steele, Lea & Flood 2014).
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return mixed(mixed(a) ^ (b * 0xd6e8feb86659fd93ull));
}

/// Maps a random number to one of 0, ..., n - 1.
inline int below(std::uint64_t random, int n) { return static_cast<int>(random % at(n)); }

/// A sequence of random numbers. The same seed gives the same sequence.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  int below(int n) {
    state_ = mixed(state_);
    return worlds::below(state_ >> 11, n);
  }

 private:
  std::uint64_t state_;
};

/// Maps x to p[x].
using Permutation = std::vector<int>;

inline Permutation identity(int n) {
  Permutation p(at(n));
  std::iota(p.begin(), p.end(), 0);
  return p;
}
inline Permutation random_permutation(std::uint64_t seed, int n) {
  Chance chance(seed);
  Permutation p = identity(n);
  for (int k = n - 1; k > 0; --k) std::swap(p[at(k)], p[at(chance.below(k + 1))]);
  return p;
}
/// Exchanges elements in pairs. If n is odd, one element stays.
inline Permutation random_involution(std::uint64_t seed, int n) {
  const Permutation order = random_permutation(seed, n);
  Permutation p = identity(n);
  for (std::size_t k = 0; k + 1 < order.size(); k += 2) {
    std::swap(p[at(order[k])], p[at(order[k + 1])]);
  }
  return p;
}
/// Several numbers as one number in mixed radix, lowest digit first.
struct Radix {
  std::vector<int> sizes;

  int total() const {
    return std::accumulate(sizes.begin(), sizes.end(), 1, [](int a, int b) { return a * b; });
  }
  int number(const std::vector<int>& digits) const {
    int n = 0;
    for (std::size_t k = sizes.size(); k-- > 0;) n = n * sizes[k] + digits[k];
    return n;
  }
  std::vector<int> digits(int n) const {
    std::vector<int> all;
    for (const int s : sizes) {
      all.push_back(n % s);
      n /= s;
    }
    return all;
  }
};

/// The share of the k-th of n equal parts of [0, 1) that lies in [from / of, to / of).
inline Share share_of_part(int k, int n, std::uint64_t from, std::uint64_t to, std::uint64_t of) {
  const auto parts = static_cast<std::uint64_t>(n);
  const std::uint64_t low = std::max(static_cast<std::uint64_t>(k) * of, parts * from);
  const std::uint64_t high = std::min(static_cast<std::uint64_t>(k + 1) * of, parts * to);
  return {high > low ? high - low : 0, of};
}

/// The shares of `count` values, of which one has probability 1.
inline std::vector<Share> always(std::size_t count, int value) {
  std::vector<Share> all(count, Share{0, 1});
  all[at(value)] = {1, 1};
  return all;
}

inline std::vector<Share> by_weight(const std::vector<std::uint64_t>& w) {
  const std::uint64_t sum = std::accumulate(w.begin(), w.end(), std::uint64_t{0});
  std::vector<Share> all;
  for (const std::uint64_t one : w) all.push_back({one, sum});
  return all;
}

/// Applies the inverse distribution function to one of `draws` equal parts of a uniform number. The
/// seed orders the parts.
inline std::vector<Share> by_quantile(const std::vector<std::uint64_t>& w, int draw, int draws,
                                      std::uint64_t seed) {
  const std::uint64_t sum = std::accumulate(w.begin(), w.end(), std::uint64_t{0});
  const int part = random_permutation(seed, draws)[at(draw)];
  std::vector<Share> all;
  std::uint64_t from = 0;
  for (const std::uint64_t one : w) {
    all.push_back(share_of_part(part, draws, from, from + one, sum));
    from += one;
  }
  return all;
}

/// Two Metropolis steps from x; each proposes by one involution.
inline std::vector<Share> two_metropolis_steps(const std::vector<std::uint64_t>& w, int x,
                                               std::uint64_t seed) {
  const int n = static_cast<int>(w.size());
  const Permutation first = random_involution(mixed(seed, 1), n);
  const Permutation second = random_involution(mixed(seed, 2), n);
  const std::uint64_t of = w[at(x)];
  const std::uint64_t second_of =
      std::accumulate(w.begin(), w.end(), std::uint64_t{1}, std::lcm<std::uint64_t, std::uint64_t>);
  std::vector<Share> all(w.size(), Share{0, of * second_of});
  const std::uint64_t taken = std::min(w[at(first[at(x)])], of);
  const auto step = [&](int from, std::uint64_t part) {
    const int to = second[at(from)];
    const std::uint64_t here = w[at(from)];
    const std::uint64_t there = std::min(w[at(to)], here);
    all[at(to)].part += part * there * (second_of / here);
    all[at(from)].part += part * (here - there) * (second_of / here);
  };
  step(first[at(x)], taken);
  step(x, of - taken);
  return all;
}

}  // namespace mixwell::worlds
