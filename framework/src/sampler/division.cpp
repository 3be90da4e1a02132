// Assigns columns or rows to ranks, and exchanges the values that each rank computed.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/division.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace mixwell {
namespace {

template <class Number>
void append(const std::vector<Number>& numbers, std::vector<char>& bytes) {
  const auto* const begin = reinterpret_cast<const char*>(numbers.data());
  bytes.insert(bytes.end(), begin, begin + sizeof(Number) * numbers.size());
}

std::optional<std::size_t> parameter_of(const Record& record,
                                        const std::vector<Parameter>& parameters) {
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (record.group == RecordGroup::posterior && record.name == parameters[k].name) return k;
  return std::nullopt;
}

}  // namespace

Division::Division(Ranks& ranks, Index replicates, Index block_width)
    : ranks_(ranks),
      replicates_(replicates),
      block_width_(block_width),
      blocks_((replicates + block_width - 1) / block_width) {
  if (ranks.size() <= blocks_) return;
  throw InputError(fmt::format(
      "{} ranks are too many: each rank computes at least one block of {} replicates "
      "(run.block_width), but the run has only {} replicates. Start {}, or set run.replicates "
      "above {}.",
      ranks.size(), block_width, replicates,
      blocks_ == 1 ? std::string("one process") : fmt::format("at most {} ranks", blocks_),
      (ranks.size() - 1) * block_width));
}

Index Division::column_of(int rank) const noexcept {
  return std::min(block_of(rank) * block_width_, replicates_);
}

void Division::share(double* numbers, Index rows, Index (Division::*first)(int) const) const {
  agree(ranks_);
  std::vector<std::size_t> ends;
  for (int rank = 0; rank < ranks_.size(); ++rank)
    ends.push_back(sizeof(double) * static_cast<std::size_t>((this->*first)(rank + 1) * rows));
  ranks_.share(numbers, ends);
}

void Division::share_columns(double* numbers, Index rows) const {
  share(numbers, rows, &Division::column_of);
}

void Division::share_blocks(Eigen::MatrixXd& numbers) const {
  share(numbers.data(), numbers.rows(), &Division::block_of);
}

/// Packs this rank's columns of each record, draw by draw.
std::vector<char> Division::packed(const DrawBuffers& buffers,
                                   const std::vector<Index>& rows) const {
  const Index first = column_of(ranks_.rank());
  const Index own = column_of(ranks_.rank() + 1) - first;
  std::vector<char> all;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto draw = static_cast<std::size_t>(replicates_ * rows[r]);
    const auto* const begin = reinterpret_cast<const char*>(buffers.data[r].data());
    for (std::size_t at = 0; at < buffers.data[r].size(); at += draw) {
      const char* const from =
          begin + sizeof(double) * (at + static_cast<std::size_t>(first * rows[r]));
      all.insert(all.end(), from, from + sizeof(double) * static_cast<std::size_t>(own * rows[r]));
    }
  }
  return all;
}

void Division::unpack(int rank, const std::vector<char>& from, const std::vector<Index>& rows,
                      DrawBuffers& buffers) const {
  const Index first = column_of(rank);
  const Index own = column_of(rank + 1) - first;
  const char* next = from.data();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto draw = static_cast<std::size_t>(replicates_ * rows[r]);
    const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(own * rows[r]);
    for (std::size_t at = 0; at < buffers.data[r].size(); at += draw, next += bytes) {
      std::memcpy(buffers.data[r].data() + at + static_cast<std::size_t>(first * rows[r]), next,
                  bytes);
    }
  }
}

void Division::collect(DrawBuffers& buffers, const std::vector<Index>& rows) const {
  const std::vector<char> own = ranks_.leads() ? std::vector<char>() : packed(buffers, rows);
  agree(ranks_);
  const auto all = ranks_.collect(own);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    unpack(static_cast<int>(rank), all[rank], rows, buffers);
}

std::vector<Index> shape_in_results(const Record& record, const Model& model) {
  if (model.offers<PortionOfModel>() == nullptr) return record.shape;
  const std::vector<Parameter> all = whole_of(model).parameters();
  const auto k = parameter_of(record, all);
  return k ? all[*k].shape : record.shape;
}

PortionDraws::PortionDraws(const Model& portion, const KernelGraph& graph, Index replicates)
    : division_(*portion.offers<PortionOfModel>()->processes), replicates_(replicates) {
  const std::vector<Parameter> own = portion.parameters();
  std::vector<char> mine;
  append(portion.offers<PortionOfModel>()->coordinates, mine);
  for (const std::vector<char>& bytes : division_.collect(mine)) {
    coordinates_.emplace_back(bytes.size() / sizeof(Index));
    std::memcpy(coordinates_.back().data(), bytes.data(), bytes.size());
  }
  Index first = 0;
  for (const Parameter& one : whole_of(portion).parameters()) {
    parts_.push_back({{}, first, one.size()});
    first += one.size();
  }
  for (std::size_t r = 0; r < graph.records().size(); ++r) {
    const Record& record = graph.records()[r];
    if (const auto k = parameter_of(record, own)) {
      parts_[*k].records.push_back(r);
    } else if (graph[record.value].rows == portion.dimension()) {
      throw InputError(fmt::format(
          "`{}` is recorded for every coordinate. When the coordinates are divided among ranks, "
          "Mixwell can record only the parameters in this way. Set run.ranks = \"replicates\".",
          record.name));
    }
  }
}

/// Packs record by record.
std::vector<char> PortionDraws::packed(const DrawBuffers& buffers) const {
  std::vector<char> all;
  for (const Divided& part : parts_)
    for (const std::size_t r : part.records) append(buffers.data[r], all);
  return all;
}

void PortionDraws::place(const std::vector<char>& sent, const std::vector<Index>& coordinates,
                         DrawBuffers& buffers) const {
  const Index columns = buffers.draws * replicates_;
  const char* next = sent.data();
  for (const Divided& part : parts_) {
    for (const std::size_t r : part.records) {
      std::vector<double>& whole = buffers.data[r];
      whole.resize(static_cast<std::size_t>(part.rows * columns));
      for (Index column = 0; column < columns; ++column) {
        for (const Index c : coordinates) {
          const Index row = c - part.first;
          if (row < 0 || row >= part.rows) continue;
          std::memcpy(&whole[static_cast<std::size_t>(column * part.rows + row)], next,
                      sizeof(double));
          next += sizeof(double);
        }
      }
    }
  }
}

void PortionDraws::collect(DrawBuffers& buffers) const {
  if (buffers.draws == 0) return;
  const std::vector<std::vector<char>> all = division_.collect(packed(buffers));
  for (std::size_t k = 0; k < all.size(); ++k) place(all[k], coordinates_[k], buffers);
}

}  // namespace mixwell
