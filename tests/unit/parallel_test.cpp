// parallel_for: every index once, errors, and loops inside loops.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/base/machine.hpp>
#include <mixwell/lab/sampler.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace mixwell;

TEST_CASE("a parallel loop runs every index once on any number of threads") {
  for (const int threads : {1, 2, 3}) {
    for (const Index count : {0, 1, 2, 1000}) {
      std::vector<int> times(static_cast<std::size_t>(count));
      with_threads(threads, [&] {
        parallel_for(count, [&](Index k) { ++times[static_cast<std::size_t>(k)]; });
      });
      CHECK(times == std::vector<int>(static_cast<std::size_t>(count), 1));
    }
  }
}

TEST_CASE("a parallel loop on one thread runs in order on the thread that called") {
  std::vector<Index> order;
  with_threads(1, [&] {
    const auto caller = std::this_thread::get_id();
    parallel_for(5, [&](Index k) {
      CHECK(std::this_thread::get_id() == caller);
      order.push_back(k);
    });
  });
  CHECK(order == std::vector<Index>{0, 1, 2, 3, 4});
}

TEST_CASE("a parallel loop throws what its body throws") {
  for (const int threads : {1, 2}) {
    with_threads(threads, [] {
      CHECK_THROWS_WITH(parallel_for(100,
                                     [](Index k) {
                                       if (k == 57) throw std::runtime_error("at 57");
                                     }),
                        "at 57");
    });
  }
}

// Without isolation it shows in about half of the rounds.
TEST_CASE("a thread that waits for an inner loop takes no iteration of an outer one") {
  std::atomic<int> nested{0};
  std::atomic<int> inner{0};
  const auto outer_body = [&](Index) {
    thread_local int inside = 0;
    if (inside++ > 0) ++nested;
    parallel_for(4, [&](Index k) {
      ++inner;
      std::this_thread::sleep_for(std::chrono::microseconds(k == 3 ? 500 : 1));
    });
    --inside;
  };
  for (int round = 0; round < 12; ++round) with_threads(3, [&] { parallel_for(200, outer_body); });
  CHECK(nested == 0);
  CHECK(inner == 12 * 200 * 4);
}
