// One operation taken out of a running sampler, to be called again with other numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampler/block.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/lab/run_settings.hpp>
#include <mixwell/lab/sampler.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace mixwell {

/// The columns of one block as an operation found them: a copy of all that its inputs hold, which
/// may be changed, and room for its outputs. Inputs of one memory (a value and a view of it) stay
/// one. The sampler that it was taken from must outlive it; copies are used by one thread.
class MIXWELL_INTERNAL Replay {
 public:
  explicit Replay(const Block& block, const Body& body, std::function<bool()> late = {});

  const KernelGraph& graph() const noexcept { return *wiring_.graph; }
  const OperationInfo& operation() const noexcept { return *wiring_.operation; }
  Index columns() const noexcept { return columns_; }
  std::uint64_t sweep() const noexcept { return sweep_; }

  /// rows x columns(), or rows x 1 of a variable whose scope is the run.
  MatrixMap input(std::size_t k);
  MatrixMap output(std::size_t k);
  bool has_numbers(std::size_t k) const { return input_memory_[k] != nothing; }
  /// The law at input k, with its numbers as they are now.
  Law law(std::size_t k);

  /// Calls the operation with the random numbers of that sweep, for a way back with its normals
  /// negated.
  void run(std::uint64_t sweep, bool negate_normals = false);

 private:
  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);
  struct Copy {
    Index rows;
    Index cols;
    std::vector<double> numbers;
  };

  std::size_t remember(const Block::Port& port, const Block& block,
                       std::map<const double*, std::size_t>& known);
  MatrixMap numbers(std::size_t memory);
  std::vector<Block::Port> ports(const std::vector<Block::Port>& like,
                                 const std::vector<std::size_t>& memory);

  const Body* body_;
  std::function<bool()> late_;
  Block::Wiring wiring_;
  Index columns_;
  std::uint64_t sweep_;
  std::int64_t warmup_;
  std::vector<Copy> memory_;
  std::vector<Block::Port> inputs_;
  std::vector<Block::Port> outputs_;
  std::vector<std::size_t> input_memory_;   ///< by input; `nothing` of a noise
  std::vector<std::size_t> output_memory_;  ///< by output
  std::shared_ptr<Block::Sinks> sinks_;
};

/// Every operation of the sampling phase that has a body, as it is in some sweep: of those that run
/// in fewer columns (a branch of a mixture) the widest block that was seen.
class MIXWELL_INTERNAL Replays {
 public:
  /// All replicates are one block, and each operation is taken in the last of these sweeps in which
  /// it ran.
  /// Once `late` is true, they and each Replay throw Stopped; empty = never.
  Replays(std::shared_ptr<const Compositor> compositor, RunSettings settings, std::int64_t sweeps,
          std::function<bool()> late = {});
  ~Replays();

  std::vector<Replay>& all() noexcept { return all_; }
  double gradients() const { return sampler_->gradients(); }

 private:
  class Watch;
  std::vector<std::unique_ptr<Replay>> seen_;  ///< by operation
  std::mutex mutex_;
  std::function<bool()> late_;
  std::unique_ptr<Sampler> sampler_;
  std::vector<Replay> all_;
};

}  // namespace mixwell
