// The coordinates of a run's model, divided among the ranks, or all in one process.
// SPDX-License-Identifier: Apache-2.0
#include "law/position_division.hpp"

#include "law/dividing_ranks.hpp"

#include <mixwell/model.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

thread_local std::shared_ptr<Portions> present_portions;
thread_local const DividedRows* present_rows = nullptr;

std::size_t bytes_of(Index numbers) { return sizeof(double) * static_cast<std::size_t>(numbers); }

}  // namespace

Portions::~Portions() = default;
PortionOfModel::~PortionOfModel() = default;
DividedRows::~DividedRows() = default;

std::shared_ptr<Portions> portions() { return present_portions; }
const DividedRows* divided_rows() noexcept { return present_rows; }

const Model& whole_of(const Model& model) noexcept {
  const PortionOfModel* const portion = model.as_portion();
  return portion == nullptr ? model : portion->whole();
}

void PositionDivision::exchange(std::span<const Sent> sent, std::span<const Received> received) {
  copy_own(sent, received);
  if (ranks_ == nullptr) return;
  agree(*ranks_);
  out_.clear();
  in_.clear();
  for (const Sent& one : sent) {
    if (one.to == rank()) continue;
    out_.push_back({one.to, one.numbers, bytes_of(one.count)});
    bytes_sent_ += bytes_of(one.count);
  }
  for (const Received& one : received)
    if (one.from != rank()) in_.push_back({one.from, one.numbers, bytes_of(one.count)});
  ranks_->exchange(out_, in_);
}

void PositionDivision::copy_own(std::span<const Sent> sent,
                                std::span<const Received> received) const {
  auto to = received.begin();
  for (const Sent& one : sent) {
    if (one.to != rank()) continue;
    to = std::find_if(to, received.end(),
                      [this](const Received& other) { return other.from == rank(); });
    std::copy_n(one.numbers, one.count, (to++)->numbers);
  }
}

void PositionDivision::share(Batch columns) {
  if (ranks_ == nullptr) return;
  agree(*ranks_);
  std::vector<std::size_t> ends;
  for (int k = 0; k < ranks(); ++k)
    ends.push_back(bytes_of(columns.rows() * first_block(k + 1, columns.cols())));
  const std::size_t begin = rank() == 0 ? 0 : ends[static_cast<std::size_t>(rank() - 1)];
  bytes_sent_ += (ends[static_cast<std::size_t>(rank())] - begin) * (ends.size() - 1);
  ranks_->share(columns.data(), ends);
}

std::vector<std::vector<char>> PositionDivision::collect(const std::vector<char>& mine) {
  if (ranks_ == nullptr) return {mine};
  agree(*ranks_);
  return ranks_->collect(mine);
}

std::shared_ptr<PositionDivision> divide_positions() {
  return std::make_shared<PositionDivision>(agreed_ranks());
}

MakingPortions::MakingPortions(std::shared_ptr<Portions> division)
    : before_(std::exchange(present_portions, std::move(division))) {}
MakingPortions::~MakingPortions() { present_portions = std::move(before_); }

RunningOnRows::RunningOnRows(const DividedRows& rows) noexcept { present_rows = &rows; }
RunningOnRows::~RunningOnRows() { present_rows = nullptr; }

void BlockSums::dots(std::span<const VectorPair> pairs, double* out) const {
  static thread_local std::vector<double> numbers;
  const auto count = std::ssize(pairs);
  numbers.assign(static_cast<std::size_t>(count * portion_.blocks()), 0.0);
  MatrixMap sums(numbers.data(), count, portion_.blocks());
  Index block = division_.first_block(division_.rank(), portion_.blocks());
  for (const auto& stretches : portion_.rows()) {
    for (Index k = 0; k < count; ++k) {
      const VectorPair& pair = pairs[static_cast<std::size_t>(k)];
      for (const PortionOfModel::RowRange& rows : stretches)
        sums(k, block) +=
            pair.a.segment(rows.first, rows.count).dot(pair.b.segment(rows.first, rows.count));
    }
    ++block;
  }
  division_.share(sums);
  for (Index k = 0; k < count; ++k) {
    out[k] = 0.0;
    for (Index b = 0; b < portion_.blocks(); ++b) out[k] += sums(k, b);
  }
}

}  // namespace mixwell
