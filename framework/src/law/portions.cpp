// Processes that divide the cases or the coordinates of a model among themselves.
// SPDX-License-Identifier: Apache-2.0
#include "base/ranks.hpp"

#include <mixwell/law/portions.hpp>
#include <mixwell/model.hpp>

#include <algorithm>

namespace mixwell {
namespace {

std::size_t bytes_of(Index numbers) { return sizeof(double) * static_cast<std::size_t>(numbers); }

}  // namespace

DivisibleModel::~DivisibleModel() = default;
RowByRow::~RowByRow() = default;

const Model& whole_of(const Model& model) noexcept {
  const auto* const portion = model.offers<PortionOfModel>();
  return portion == nullptr ? model : *portion->whole;
}

int Portions::rank() const noexcept { return ranks_ == nullptr ? 0 : ranks_->rank(); }
int Portions::ranks() const noexcept { return ranks_ == nullptr ? 1 : ranks_->size(); }

/// Everything that can throw comes before the ranks agree. Afterwards, the other ranks wait for the
/// message.
void Portions::exchange(std::span<const Sent> sent, std::span<const Received> received) {
  std::vector<Ranks::Outgoing> out;
  std::vector<Ranks::Incoming> in;
  std::vector<const Sent*> own;
  for (const Sent& one : sent) {
    if (one.other == rank()) {
      own.push_back(&one);
      continue;
    }
    out.push_back({one.other, one.numbers, bytes_of(one.count)});
    bytes_sent_ += bytes_of(one.count);
  }
  auto next = own.begin();
  for (const Received& one : received) {
    if (one.other == rank())
      std::copy_n((*next++)->numbers, one.count, one.numbers);
    else
      in.push_back({one.other, one.numbers, bytes_of(one.count)});
  }
  if (ranks_ == nullptr) return;
  agree(*ranks_);
  ranks_->exchange(out, in);
}

void Portions::share(Batch columns) {
  if (ranks_ == nullptr) return;
  std::vector<std::size_t> ends;
  for (int k = 0; k < ranks(); ++k)
    ends.push_back(bytes_of(columns.rows() * first_block(k + 1, columns.cols())));
  const std::size_t begin = rank() == 0 ? 0 : ends[static_cast<std::size_t>(rank() - 1)];
  bytes_sent_ += (ends[static_cast<std::size_t>(rank())] - begin) * (ends.size() - 1);
  agree(*ranks_);
  ranks_->share(columns.data(), ends);
}

bool Portions::everywhere(bool here) const {
  return ranks_ == nullptr ? here : !agree(*ranks_, !here);
}

std::vector<std::vector<char>> Portions::collect(const std::vector<char>& mine) const {
  if (ranks_ == nullptr) return {mine};
  agree(*ranks_);
  return ranks_->collect(mine);
}

bool DividedRows::everywhere(bool here) const { return portion_.processes->everywhere(here); }

void DividedRows::dots(std::span<const VectorPair> pairs, double* out) const {
  const auto count = std::ssize(pairs);
  Portions& processes = *portion_.processes;
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(count, portion_.blocks);
  Index block = processes.first_block(processes.rank(), portion_.blocks);
  for (const auto& stretches : portion_.rows) {
    for (Index k = 0; k < count; ++k) {
      const VectorPair& pair = pairs[static_cast<std::size_t>(k)];
      for (const PortionOfModel::RowRange& rows : stretches)
        sums(k, block) +=
            pair.a.segment(rows.first, rows.count).dot(pair.b.segment(rows.first, rows.count));
    }
    ++block;
  }
  processes.share(sums);
  Eigen::Map<Eigen::VectorXd> all(out, count);
  all.setZero();
  for (Index b = 0; b < portion_.blocks; ++b) all += sums.col(b);
}

}  // namespace mixwell
