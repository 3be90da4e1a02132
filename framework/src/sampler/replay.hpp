// Calls one operation of a sampler on copies of its inputs. The caller may change these copies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampler/column_block.hpp"

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

/// The columns of one block just before an operation ran: a copy of the numbers of all inputs, and
/// space for the outputs. The caller may change the copy. Inputs that share memory (a value and its
/// view) also share memory in the copy. The sampler must outlive the Replay. Each thread needs its
/// own copy of a Replay.
class MIXWELL_INTERNAL Replay {
 public:
  explicit Replay(const ColumnBlock& block, const Body& body, std::function<bool()> late = {});

  const KernelGraph& graph() const noexcept { return *wiring_.graph; }
  const OperationInfo& operation() const noexcept { return *wiring_.operation; }
  Index columns() const noexcept { return columns_; }
  std::uint64_t sweep() const noexcept { return sweep_; }

  /// rows x columns(), or rows x 1 for a variable of scope run.
  MatrixMap input(std::size_t k);
  MatrixMap output(std::size_t k);
  bool has_numbers(std::size_t k) const { return input_memory_[k] != nothing; }
  /// The law at input k, with its current numbers.
  Law law(std::size_t k);

  /// Calls the operation with the random numbers of `sweep`. `negate_normals` negates its normals,
  /// for a move back to the start.
  void run(std::uint64_t sweep, bool negate_normals = false);

 private:
  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);
  struct Copy {
    Index rows;
    Index cols;
    std::vector<double> numbers;
  };

  std::size_t remember(const ColumnBlock::Port& port, const ColumnBlock& block,
                       std::map<const double*, std::size_t>& known);
  MatrixMap numbers(std::size_t memory);
  std::vector<ColumnBlock::Port> ports(const std::vector<ColumnBlock::Port>& like,
                                       const std::vector<std::size_t>& memory);

  const Body* body_;
  std::function<bool()> late_;
  ColumnBlock::Wiring wiring_;
  Index columns_;
  std::uint64_t sweep_;
  std::int64_t warmup_;
  std::vector<Copy> memory_;
  std::vector<ColumnBlock::Port> inputs_;
  std::vector<ColumnBlock::Port> outputs_;
  std::vector<std::size_t> input_memory_;   ///< for each input; `nothing` for a noise
  std::vector<std::size_t> output_memory_;  ///< for each output
  std::shared_ptr<ColumnBlock::Sinks> sinks_;
};

/// A Replay of every operation of the sampling phase that has a body, from one of the sweeps. An
/// operation in a branch of a mixture may run in fewer columns. Its Replay has the widest block
/// that was found.
class MIXWELL_INTERNAL Replays {
 public:
  /// Puts all replicates into one block, and copies each operation in the last of `sweeps` sweeps
  /// in which it ran. Once `late` returns true, this and each Replay throw Stopped. An empty `late`
  /// never stops them.
  Replays(std::shared_ptr<const Compositor> compositor, RunSettings settings, std::int64_t sweeps,
          std::function<bool()> late = {});
  ~Replays();

  std::vector<Replay>& all() noexcept { return all_; }
  double gradients() const { return sampler_->gradients(); }

 private:
  class Watch;
  std::vector<std::unique_ptr<Replay>> seen_;  ///< one for each operation
  std::mutex mutex_;
  std::function<bool()> late_;
  std::unique_ptr<Sampler> sampler_;
  std::vector<Replay> all_;
};

}  // namespace mixwell
