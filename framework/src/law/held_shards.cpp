// The sums over the shards of one model.
// SPDX-License-Identifier: Apache-2.0
#include "law/held_shards.hpp"

#include <mixwell/parallel.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace mixwell {
namespace {

/// Of a thread that evaluates shards; calls nest as frames do.
Workspace& own_scratch() {
  static thread_local Workspace scratch;
  return scratch;
}

}  // namespace

HeldShards::HeldShards(DataDivision& division, std::int64_t model, std::vector<Index> begins,
                       Own own)
    : division_(division), model_(model), begins_(std::move(begins)), own_(std::move(own)) {
  const FixedTree tree(DataShards::count);
  for (int rank = 0; rank < division_.size(); ++rank) {
    trees_.push_back(tree.subtrees(division_.first_of(rank), division_.first_of(rank + 1)));
    all_trees_.insert(all_trees_.end(), trees_.back().begin(), trees_.back().end());
  }
}

Question HeldShards::question(Sought what, ConstBatch theta, ConstBatch indices) const {
  Question question;
  question.what = what;
  question.model = model_;
  question.rows = theta.rows();
  question.columns = theta.cols();
  question.indices = indices.rows();
  return question;
}

void HeldShards::ask(const Question& question, ConstBatch theta, ConstBatch indices,
                     const Evaluation& out) const {
  const Workspace::Frame frame(out.scratch);
  MatrixMap partial = out.scratch.matrix(numbers(question), DataShards::count);
  const std::unique_lock<std::mutex> turn = division_.turn();
  division_.send(question, theta, indices, out.scratch);
  division_.carry_out([&] { sum_own(question, theta, indices, partial); }, nullptr);
  share_sums(partial, out.scratch);
  FixedTree::join(partial, all_trees_);
  const double* from = partial.data();
  if (out.wants_potential()) {
    std::copy_n(from, theta.cols(), out.potential);
    from += theta.cols();
  }
  Batch gradient = out.gradient;
  if (out.wants_gradient()) gradient = ConstMatrixMap(from, theta.rows(), theta.cols());
}

void HeldShards::evaluate(ConstBatch theta, const Evaluation& out) const {
  const ConstMatrixMap none(nullptr, 0, theta.cols());
  Question wanted = question(Sought::evaluate, theta, none);
  wanted.wants_potential = out.wants_potential() ? 1 : 0;
  wanted.wants_gradient = out.wants_gradient() ? 1 : 0;
  ask(wanted, theta, none, out);
}

void HeldShards::evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const {
  Question wanted = question(Sought::evaluate_terms, theta, indices);
  wanted.wants_potential = out.wants_potential() ? 1 : 0;
  wanted.wants_gradient = out.wants_gradient() ? 1 : 0;
  ask(wanted, theta, indices, out);
}

void HeldShards::sum_own(const Question& question, ConstBatch theta, ConstBatch indices,
                         Batch partial) const {
  parallel_for(std::ssize(own_), [&](Index k) {
    const Index shard = division_.first() + k;
    sum_shard(question, theta, indices, shard, partial.col(shard).data());
  });
  for (const Subtree& tree : trees_[static_cast<std::size_t>(division_.rank())])
    FixedTree::add_up(partial, tree);
}

void HeldShards::sum_shard(const Question& question, ConstBatch theta, ConstBatch indices,
                           Index shard, double* to) const {
  double* const potential = question.wants_potential != 0 ? to : nullptr;
  double* const gradient =
      question.wants_gradient != 0 ? to + question.wants_potential * question.columns : nullptr;
  const Evaluation out{potential, MatrixMap(gradient, theta.rows(), theta.cols()), own_scratch()};
  if (question.what == Sought::evaluate)
    terms_of(shard).evaluate(theta, out);
  else
    sum_terms(theta, indices, shard, out);
}

void HeldShards::sum_terms(ConstBatch theta, ConstBatch indices, Index shard,
                           const Evaluation& out) const {
  const Workspace::Frame frame(out.scratch);
  MatrixMap here = out.scratch.matrix(indices.rows(), 1);
  Batch all = out.gradient;
  for (Index j = 0; j < theta.cols(); ++j) {
    const Index found = terms_in(shard, indices.col(j), here);
    double* const gradient = out.wants_gradient() ? all.col(j).data() : nullptr;
    const Evaluation one{out.wants_potential() ? out.potential + j : nullptr,
                         MatrixMap(gradient, theta.rows(), 1), out.scratch};
    terms_of(shard).evaluate_terms(theta.col(j), here.topRows(found), one);
  }
}

bool HeldShards::is_in(Index shard, double term) const {
  const auto k = static_cast<std::size_t>(shard);
  return static_cast<double>(begins_[k]) <= term && term < static_cast<double>(begins_[k + 1]);
}

Index HeldShards::terms_in(Index shard, ConstBatch indices, Batch here) const {
  const auto begin = static_cast<double>(begins_[static_cast<std::size_t>(shard)]);
  Index found = 0;
  for (Index k = 0; k < indices.rows(); ++k)
    if (is_in(shard, indices(k, 0))) here(found++, 0) = indices(k, 0) - begin;
  return found;
}

Index HeldShards::shard_of(Index term) const {
  return std::upper_bound(begins_.begin(), begins_.end() - 1, term) - begins_.begin() - 1;
}

std::vector<Index> HeldShards::counts(ConstBatch indices) const {
  std::vector<Index> of_shards(static_cast<std::size_t>(DataShards::count));
  for (Index k = 0; k < indices.rows(); ++k)
    ++of_shards[static_cast<std::size_t>(shard_of(static_cast<Index>(indices(k, 0))))];
  std::vector<Index> ends;
  Index all = 0;
  for (int rank = 0; rank < division_.size(); ++rank) {
    for (Index shard = division_.first_of(rank); shard < division_.first_of(rank + 1); ++shard)
      all += of_shards[static_cast<std::size_t>(shard)];
    ends.push_back(all);
  }
  return ends;
}

void HeldShards::gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                                    Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  MatrixMap sorted = scratch.matrix(theta.rows(), indices.rows());
  const std::unique_lock<std::mutex> turn = division_.turn();
  division_.send(question(Sought::gradients_of_terms, theta, indices), theta, indices, scratch);
  division_.carry_out([&] { own_gradients(theta, indices, sorted, scratch); }, nullptr);
  share_gradients(indices, sorted);
  Index next = 0;
  for (Index shard = 0; shard < DataShards::count; ++shard) {
    for (Index k = 0; k < indices.rows(); ++k)
      if (is_in(shard, indices(k, 0))) out.col(k) = sorted.col(next++);
  }
}

void HeldShards::own_gradients(ConstBatch theta, ConstBatch indices, Batch out,
                               Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  MatrixMap here = scratch.matrix(indices.rows(), 1);
  const int rank = division_.rank();
  Index next = rank == 0 ? 0 : counts(indices)[static_cast<std::size_t>(rank - 1)];
  for (Index shard = division_.first(); shard < division_.end(); ++shard) {
    const Index found = terms_in(shard, indices, here);
    terms_of(shard).gradients_of_terms(theta, here.topRows(found), out.middleCols(next, found),
                                       scratch);
    next += found;
  }
}

void HeldShards::share_gradients(ConstBatch indices, Batch out) const {
  if (division_.ranks_ == nullptr) return;
  std::vector<std::size_t> ends;
  for (const Index end : counts(indices))
    ends.push_back(sizeof(double) * static_cast<std::size_t>(end * out.rows()));
  division_.ranks_->share(out.data(), ends);
}

void HeldShards::share_sums(Batch partial, Workspace& scratch) const {
  if (division_.ranks_ == nullptr) return;
  const Workspace::Frame frame(scratch);
  MatrixMap sums = scratch.matrix(partial.rows(), std::ssize(all_trees_));
  std::vector<std::size_t> ends;
  Index next = 0;
  for (const std::vector<Subtree>& of_rank : trees_) {
    for (const Subtree& tree : of_rank) sums.col(next++) = partial.col(tree.first);
    ends.push_back(sizeof(double) * static_cast<std::size_t>(next * partial.rows()));
  }
  division_.ranks_->share(sums.data(), ends);
  next = 0;
  for (const Subtree& tree : all_trees_) partial.col(tree.first) = sums.col(next++);
}

}  // namespace mixwell
