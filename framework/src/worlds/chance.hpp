// Random tables: functions of a seed and of the place in the table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace mixwell::worlds {

/// A whole number as an index.
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

/// Random numbers, one after another. The same seed gives the same ones.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  int below(int n) {
    state_ = mixed(state_);
    return static_cast<int>((state_ >> 11) % static_cast<std::uint64_t>(n));
  }

 private:
  std::uint64_t state_;
};

/// x goes to p[x].
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
/// Pairs that change places; one element of an odd number stays.
inline Permutation random_involution(std::uint64_t seed, int n) {
  const Permutation order = random_permutation(seed, n);
  Permutation p = identity(n);
  for (std::size_t k = 0; k + 1 < order.size(); k += 2) {
    std::swap(p[at(order[k])], p[at(order[k + 1])]);
  }
  return p;
}
inline Permutation inverse(const Permutation& p) {
  Permutation q(p.size());
  for (std::size_t k = 0; k < p.size(); ++k) q[at(p[k])] = static_cast<int>(k);
  return q;
}
/// First b, then a.
inline Permutation after(const Permutation& a, const Permutation& b) {
  Permutation c(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) c[k] = a[at(b[k])];
  return c;
}

/// Several numbers as one, in mixed radix: the first digit is the lowest.
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

}  // namespace mixwell::worlds
