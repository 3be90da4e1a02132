// Data of a model cut into shards, which several processes may divide among themselves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/model.hpp>
#include <mixwell/types.hpp>
#include <mixwell/workspace.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// Cases of a model: those of one shard, or those of all shards in their order, whichever process
/// has them. What SumOfTerms has of them; indices count from the first of these cases. Immutable;
/// all methods may be called from several threads at once.
///
/// Of all shards: sums are formed shard by shard, and these added in a fixed binary tree,
/// neighbours first, so that bits depend only on the shards. A call among P processes sends theta
/// to all, and back, of each, the at most 2 log2(64) largest subtrees that lie within its shards: d
/// + 1 numbers a column for each (one, where P is a power of 2). Each process looks at all indices
/// and evaluates its own, column by column and shard by shard.
class MIXWELL_EXPORT SumOfCases {
 public:
  virtual ~SumOfCases();
  /// How many u_n there are; of a shard perhaps none.
  virtual Index terms() const noexcept = 0;
  /// Sets U and its gradient, where wanted, to the sum over all of them at each column of theta.
  virtual void evaluate(ConstBatch theta, const Evaluation& out) const = 0;
  /// As SumOfTerms::evaluate_terms.
  virtual void evaluate_terms(ConstBatch theta, ConstBatch indices,
                              const Evaluation& out) const = 0;
  /// As SumOfTerms::gradients_of_terms.
  virtual void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                                  Workspace& scratch) const = 0;
};

/// What a model that is being made knows of the shards: which are this process's, and a way to the
/// others'. All processes make the same calls in the same order.
class MIXWELL_EXPORT DataShards {
 public:
  /// Whatever the number of processes.
  static constexpr Index count = 64;

  virtual ~DataShards();
  /// Shards [first(), end()) are this process's.
  virtual Index first() const noexcept = 0;
  virtual Index end() const noexcept = 0;

  /// `own` has a text for each of this process's shards; returns those of all, in their order.
  /// Throws InputError where another process failed.
  virtual std::vector<std::string> gather(const std::vector<std::string>& own) = 0;
  /// The same of columns of numbers: m x own -> m x count. `what` they are, where m differs.
  Eigen::MatrixXd gather(const Eigen::MatrixXd& own, const std::string& what);

  /// Once: the terms of this process's shards.
  virtual std::shared_ptr<const SumOfCases> hold(
      std::vector<std::unique_ptr<const SumOfCases>> own) = 0;
};

/// Those that the model that is being made is to divide its data into, or null: `ranks = "data"` in
/// [run].
MIXWELL_EXPORT DataShards* data_shards() noexcept;

}  // namespace mixwell
