// Timing two things against each other on a machine whose speed wanders.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace bench {

template <class F>
double seconds(F&& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Ratio {
  double median;       ///< of time(a) / time(b) over the rounds
  double low, high;    ///< quartiles
  double a, b;         ///< median seconds of each
};

/// Runs a and b in turn, so that both see the same weather; bodies should take some milliseconds.
template <class A, class B>
Ratio ratio(A&& a, B&& b, int rounds = 41) {
  std::vector<double> ratios;
  std::vector<double> as;
  std::vector<double> bs;
  a();
  b();
  for (int k = 0; k < rounds; ++k) {
    as.push_back(seconds(a));
    bs.push_back(seconds(b));
    ratios.push_back(as.back() / bs.back());
  }
  const auto at = [](std::vector<double>& x, double q) {
    std::sort(x.begin(), x.end());
    return x[static_cast<std::size_t>(q * static_cast<double>(x.size() - 1))];
  };
  return {at(ratios, 0.5), at(ratios, 0.25), at(ratios, 0.75), at(as, 0.5), at(bs, 0.5)};
}

/// One line: what, the ratio with its quartiles, the goal, and whether it is met.
inline bool print(const char* what, const Ratio& r, const char* goal, bool met) {
  std::printf("%-66s %6.3f  (%.3f to %.3f)  goal %-8s %s\n", what, r.median, r.low, r.high, goal,
              met ? "met" : "MISSED");
  return met;
}

}  // namespace bench
