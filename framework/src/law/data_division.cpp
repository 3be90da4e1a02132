// The data of a run's models in shards, divided among the ranks, or all in one process.
// SPDX-License-Identifier: Apache-2.0
#include "law/data_division.hpp"

#include "law/dividing_ranks.hpp"
#include "law/held_shards.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>
#include <utility>

namespace mixwell {
namespace {

thread_local DataShards* present_shards = nullptr;

/// Texts one after another, each behind its length.
std::vector<char> packed(const std::vector<std::string>& texts) {
  std::vector<char> all;
  for (const std::string& text : texts) {
    const std::uint64_t size = text.size();
    const auto* const bytes = reinterpret_cast<const char*>(&size);
    all.insert(all.end(), bytes, bytes + sizeof size);
    all.insert(all.end(), text.begin(), text.end());
  }
  return all;
}

std::vector<std::string> unpacked(const std::vector<char>& all) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size();) {
    std::uint64_t size = 0;
    std::memcpy(&size, all.data() + at, sizeof size);
    at += sizeof size;
    texts.emplace_back(all.data() + at, size);
    at += size;
  }
  return texts;
}

}  // namespace

SumOfCases::~SumOfCases() = default;
DataShards::~DataShards() = default;

Eigen::MatrixXd DataShards::gather(const Eigen::MatrixXd& own, const std::string& what) {
  std::vector<std::string> texts;
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(own.rows());
  for (Index k = 0; k < own.cols(); ++k)
    texts.emplace_back(reinterpret_cast<const char*>(own.col(k).data()), bytes);
  const std::vector<std::string> found = gather(texts);
  Eigen::MatrixXd all(own.rows(), count);
  for (Index k = 0; k < count; ++k) {
    const std::string& text = found[static_cast<std::size_t>(k)];
    if (text.size() != bytes)
      throw InputError(fmt::format(
          "{} of shard {} are {}, and here {}: the ranks read other data; give all of them the "
          "same files",
          what, k, text.size() / sizeof(double), own.rows()));
    std::memcpy(all.col(k).data(), text.data(), bytes);
  }
  return all;
}

DataShards* data_shards() noexcept { return present_shards; }

DataDivision::DataDivision(Ranks* ranks) : ranks_(ranks) {
  if (size() <= count) return;
  throw InputError(fmt::format(
      "{} ranks: the data are divided into {} shards, of which each rank has one at least "
      "(run.ranks = \"data\"); start {} ranks at most",
      size(), count, count));
}

DataDivision::~DataDivision() = default;

/// To rank 0, and from there to all.
std::vector<std::string> DataDivision::gather(const std::vector<std::string>& own) {
  if (ranks_ == nullptr) return own;
  const std::vector<char> mine = packed(own);
  agree(*ranks_);
  std::vector<char> all;
  for (const std::vector<char>& one : ranks_->collect(mine))
    all.insert(all.end(), one.begin(), one.end());
  agree(*ranks_);
  std::uint64_t size = all.size();
  ranks_->broadcast(&size, sizeof size);
  all.resize(size);
  ranks_->broadcast(all.data(), all.size());
  return unpacked(all);
}

std::shared_ptr<const SumOfCases> DataDivision::hold(
    std::vector<std::unique_ptr<const SumOfCases>> own) {
  Eigen::MatrixXd sizes(1, std::ssize(own));
  for (Index k = 0; k < sizes.cols(); ++k)
    sizes(0, k) = static_cast<double>(own[static_cast<std::size_t>(k)]->terms());
  const Eigen::MatrixXd all = DataShards::gather(sizes, "numbers of terms");
  std::vector<Index> begins = {0};
  for (Index k = 0; k < count; ++k) begins.push_back(begins.back() + static_cast<Index>(all(0, k)));
  held_.push_back(
      std::make_unique<HeldShards>(*this, std::ssize(held_), std::move(begins), std::move(own)));
  return {shared_from_this(), held_.back().get()};
}

void DataDivision::send(Question question, ConstBatch theta, ConstBatch indices,
                        Workspace& scratch) {
  if (ranks_ == nullptr) return;
  if (!leads_)
    throw std::logic_error("a model whose data are divided is evaluated while no run leads");
  ranks_->broadcast(&question, sizeof question);
  const auto send_copy = [&](ConstBatch numbers) {
    const Workspace::Frame frame(scratch);
    MatrixMap copy = scratch.matrix(numbers.rows(), numbers.cols());
    copy = numbers;
    ranks_->broadcast(copy.data(), sizeof(double) * static_cast<std::size_t>(copy.size()));
  };
  send_copy(theta);
  if (indices.rows() > 0) send_copy(indices);
}

std::unique_lock<std::mutex> DataDivision::turn() {
  if (ranks_ == nullptr) return {};
  return std::unique_lock<std::mutex>(one_at_a_time_);
}

void DataDivision::carry_out(const std::function<void()>& work, const StopRequest* stop) {
  if (ranks_ == nullptr) return work();
  const auto by_all_threads = [&] { threads_.execute(work); };
  asked_to_stop_ =
      together(*ranks_, by_all_threads, [stop] { return is_made(stop); }) || asked_to_stop_;
}

void DataDivision::obey(const Question& question, const StopRequest* stop, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const HeldShards& held = *held_.at(static_cast<std::size_t>(question.model));
  const auto receive = [&](Index rows, Index columns) {
    MatrixMap all = scratch.matrix(rows, columns);
    ranks_->broadcast(all.data(), sizeof(double) * static_cast<std::size_t>(all.size()));
    return all;
  };
  const MatrixMap theta = receive(question.rows, question.columns);
  const MatrixMap indices = question.indices == 0 ? MatrixMap(nullptr, 0, question.columns)
                                                  : receive(question.indices, question.columns);
  if (question.what == Sought::gradients_of_terms) {
    MatrixMap gradients = scratch.matrix(question.rows, question.indices);
    carry_out([&] { held.own_gradients(theta, indices, gradients, scratch); }, stop);
    return held.share_gradients(indices, gradients);
  }
  MatrixMap partial = scratch.matrix(HeldShards::numbers(question), count);
  carry_out([&] { held.sum_own(question, theta, indices, partial); }, stop);
  held.share_sums(partial, scratch);
}

void DataDivision::lead(const std::function<void()>& work) {
  const auto dismiss = [this](bool* leads) {
    *leads = false;
    Question end;
    ranks_->broadcast(&end, sizeof end);
  };
  leads_ = true;
  const std::unique_ptr<bool, decltype(dismiss)> leading(&leads_, dismiss);
  work();
}

/// Rank 0 tells of errors, and ends the run or goes on.
void DataDivision::serve(const StopRequest* stop) {
  Workspace scratch;
  for (;;) {
    Question question;
    ranks_->broadcast(&question, sizeof question);
    if (question.what == Sought::end) return;
    try {
      obey(question, stop, scratch);
    } catch (const OtherRankFailed&) {
      continue;
    }
  }
}

std::shared_ptr<DataDivision> divide_data() {
  return std::make_shared<DataDivision>(agreed_ranks());
}

DividingModels::DividingModels(DataDivision* division) : before_(present_shards) {
  present_shards = division;
}
DividingModels::~DividingModels() { present_shards = before_; }

}  // namespace mixwell
