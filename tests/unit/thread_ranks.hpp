// Ranks that are threads of one process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"
#include "sampler/joint_run.hpp"

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>

#include <algorithm>
#include <barrier>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace support {

using mixwell::Ranks;

/// What threads instead of processes have in common.
struct World {
  explicit World(int ranks)
      : data(static_cast<std::size_t>(ranks)),
        numbers(static_cast<std::size_t>(ranks)),
        all(ranks) {}
  std::vector<void*> data;
  std::vector<std::int64_t> numbers;
  std::barrier<> all;
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(World& world, int rank) : world_(world), rank_(static_cast<std::size_t>(rank)) {}
  int rank() const noexcept override { return static_cast<int>(rank_); }
  int size() const noexcept override { return static_cast<int>(world_.data.size()); }
  int on_this_host() const noexcept override { return size(); }

  void broadcast(void* data, std::size_t bytes) override {
    meet(data, [&] {
      if (rank_ != 0) std::memcpy(data, world_.data[0], bytes);
    });
  }
  void share(void* data, const std::vector<std::size_t>& ends) override {
    meet(data, [&] {
      for (std::size_t k = 0; k < ends.size(); ++k) {
        const std::size_t begin = k == 0 ? 0 : ends[k - 1];
        if (k == rank_) continue;
        std::memcpy(static_cast<char*>(data) + begin,
                    static_cast<const char*>(world_.data[k]) + begin, ends[k] - begin);
      }
    });
  }
  void exchange(const std::vector<Outgoing>& out, const std::vector<Incoming>& in) override {
    std::vector<Outgoing> letters = out;
    meet(&letters, [&] {
      std::vector<std::size_t> read(world_.data.size(), 0);
      for (const Incoming& one : in) {
        const auto from = static_cast<std::size_t>(one.from);
        const auto& sent = *static_cast<const std::vector<Outgoing>*>(world_.data[from]);
        std::size_t& next = read[from];
        while (sent.at(next).to != rank()) ++next;
        if (sent[next].bytes != one.bytes) std::abort();
        std::memcpy(one.data, sent[next++].data, one.bytes);
      }
    });
  }
  std::vector<std::vector<char>> collect(const std::vector<char>& mine) override {
    std::vector<char> letter = mine;
    std::vector<std::vector<char>> found;
    meet(&letter, [&] {
      if (rank_ != 0) return;
      for (const void* one : world_.data)
        found.push_back(*static_cast<const std::vector<char>*>(one));
    });
    return found;
  }
  std::int64_t largest(std::int64_t mine) override {
    world_.numbers[rank_] = mine;
    std::int64_t most = mine;
    meet(nullptr, [&] { most = *std::max_element(world_.numbers.begin(), world_.numbers.end()); });
    return most;
  }

 protected:
  /// Calls `work` when all ranks have told where their data are. No rank continues before all have
  /// finished.
  void meet(void* data, const std::function<void()>& work) {
    world_.data[rank_] = data;
    world_.all.arrive_and_wait();
    work();
    world_.all.arrive_and_wait();
  }

 private:
  World& world_;
  std::size_t rank_;
};

/// Calls body(rank) in a thread for each rank, and rank 0 in this thread. Throws rank 0's
/// exception.
inline void on_ranks(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> others;
  for (int k = 1; k < count; ++k) others.emplace_back(body, k);
  std::exception_ptr failure;
  try {
    body(0);
  } catch (...) {
    failure = std::current_exception();
  }
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

/// With its part of a joint run, if it has one.
inline std::unique_ptr<mixwell::Sampler> sampler_of(const mixwell::Composition& composition,
                                                    mixwell::JointRun* joint = nullptr) {
  return std::make_unique<mixwell::Sampler>(composition.compositor, composition.run,
                                            compose(*composition.compositor), mixwell::NoiseGrid(),
                                            joint);
}

}  // namespace support
