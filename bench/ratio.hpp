// Timing two things against each other on a machine whose speed wanders.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace bench {

enum class Clock {
  wall,    ///< for work on several threads
  thread,  ///< processor time of the calling thread: what else runs on the machine counts less
};

inline double now(Clock clock) {
  timespec t{};
  clock_gettime(clock == Clock::wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class F>
double seconds(F&& body, Clock clock) {
  const double start = now(clock);
  body();
  return now(clock) - start;
}

struct Ratio {
  double median;     ///< of time(a) / time(b) over the rounds
  double low, high;  ///< quartiles
  double a, b;       ///< median seconds of each
  double best;       ///< least time(a) / least time(b): without what others took of the machine
};

/// Runs a and b in turn, so that both see the same weather; bodies should take some milliseconds.
template <class A, class B>
Ratio ratio(A&& a, B&& b, int rounds = 41, Clock clock = Clock::thread) {
  std::vector<double> ratios;
  std::vector<double> as;
  std::vector<double> bs;
  a();
  b();
  for (int k = 0; k < rounds; ++k) {
    as.push_back(seconds(a, clock));
    bs.push_back(seconds(b, clock));
    ratios.push_back(as.back() / bs.back());
  }
  const auto at = [](std::vector<double>& x, double q) {
    std::sort(x.begin(), x.end());
    return x[static_cast<std::size_t>(q * static_cast<double>(x.size() - 1))];
  };
  return {at(ratios, 0.5), at(ratios, 0.25), at(ratios, 0.75),
          at(as, 0.5),     at(bs, 0.5),      at(as, 0.0) / at(bs, 0.0)};
}

/// The same for bodies that do different amounts of work: all ratios times `factor`.
inline Ratio scaled(const Ratio& r, double factor) {
  return {factor * r.median, factor * r.low, factor * r.high, r.a, r.b, factor * r.best};
}

/// One line: what, the ratio with its quartiles and its best, the goal, and whether it is met.
inline bool print(const char* what, const Ratio& r, const char* goal, bool met) {
  std::printf("%-66s %6.3f  (%.3f to %.3f, best %.3f)  goal %-8s %s\n", what, r.median, r.low,
              r.high, r.best, goal, met ? "met" : "MISSED");
  return met;
}

}  // namespace bench
