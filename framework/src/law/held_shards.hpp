// The sums over the shards of one model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fixed_tree.hpp"
#include "law/data_division.hpp"

#include <mixwell/shards.hpp>

#include <memory>
#include <vector>

namespace mixwell {

/// Columns of 64 partial sums, one for each shard: of each column of theta its value (if wanted),
/// then all gradients (likewise).
class HeldShards final : public SumOfCases {
 public:
  using Own = std::vector<std::unique_ptr<const SumOfCases>>;
  /// `model`: its place among those that the division holds; `begins`: how many terms there are
  /// before each shard, and at last in all.
  HeldShards(DataDivision& division, std::int64_t model, std::vector<Index> begins, Own own);

  Index terms() const noexcept override { return begins_.back(); }
  void evaluate(ConstBatch theta, const Evaluation& out) const override;
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override;
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace& scratch) const override;

 private:
  friend class DataDivision;

  Question question(Sought what, ConstBatch theta, ConstBatch indices) const;
  void ask(const Question& question, ConstBatch theta, ConstBatch indices,
           const Evaluation& out) const;
  /// What this process has to do for a question: `partial` numbers x 64.
  void sum_own(const Question& question, ConstBatch theta, ConstBatch indices, Batch partial) const;
  void sum_shard(const Question& question, ConstBatch theta, ConstBatch indices, Index shard,
                 double* to) const;
  void sum_terms(ConstBatch theta, ConstBatch indices, Index shard, const Evaluation& out) const;
  /// Gradients of the terms that are this process's, d x (as many as it has), in their order.
  void own_gradients(ConstBatch theta, ConstBatch indices, Batch out, Workspace& scratch) const;
  /// How many of the indices belong to ranks 0 to k, for each k.
  std::vector<Index> counts(ConstBatch indices) const;
  Index shard_of(Index term) const;
  bool is_in(Index shard, double term) const;
  /// Those of the indices (n x 1) that are of the shard, as they count there, go into the first
  /// rows of `here`; returns how many there are. O(n).
  Index terms_in(Index shard, ConstBatch indices, Batch here) const;
  const SumOfCases& terms_of(Index shard) const {
    return *own_[static_cast<std::size_t>(shard - division_.first())];
  }
  /// All ranks get the sums of all subtrees.
  void share_sums(Batch partial, Workspace& scratch) const;
  void share_gradients(ConstBatch indices, Batch out) const;

  static Index numbers(const Question& question) {
    return question.columns * (question.wants_potential + question.rows * question.wants_gradient);
  }

  DataDivision& division_;
  std::int64_t model_;
  std::vector<Index> begins_;
  Own own_;
  std::vector<std::vector<Subtree>> trees_;  ///< of each rank
  std::vector<Subtree> all_trees_;
};

}  // namespace mixwell
