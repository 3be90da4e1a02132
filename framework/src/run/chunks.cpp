// Converts the values that a graph records to the columns that recorders write.
// SPDX-License-Identifier: Apache-2.0
#include "run/chunks.hpp"

#include "sampler/division.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace mixwell {
namespace {

constexpr std::size_t missing = static_cast<std::size_t>(-1);

}  // namespace

DrawChunks::DrawChunks(const KernelGraph& graph, const Model& model, Index slots, Index replicates)
    : slots_(slots), replicates_(replicates) {
  std::map<std::pair<RecordGroup, std::string_view>, std::size_t> known;
  for (std::size_t r = 0; r < graph.records().size(); ++r) {
    const Record& record = graph.records()[r];
    const auto [found, is_new] = known.try_emplace({record.group, record.name}, columns_.size());
    const std::size_t c = found->second;
    const std::vector<Index> shape = shape_in_results(record, model);
    if (is_new) {
      columns_.push_back({record.group, record.name, shape, record.type, record.unit, record.help,
                          record.once, record.dims});
      records_.emplace_back(static_cast<std::size_t>(slots), missing);
    }
    if (columns_[c].shape != shape || columns_[c].type != record.type ||
        columns_[c].once != record.once || columns_[c].dims != record.dims) {
      throw InputError(fmt::format(
          "kernel graph: `{}` must be recorded with the same shape, dims and type for every "
          "slot. It must be recorded for each draw of every slot, or else only once in the run "
          "for every slot. Correct the component that records it.",
          record.name));
    }
    records_[c][static_cast<std::size_t>(record.slot)] = r;
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (std::count(records_[c].begin(), records_[c].end(), missing) != 0) {
      throw InputError(
          fmt::format("kernel graph: `{}` must be recorded for every slot, but some slots lack it. "
                      "Correct the component that records it.",
                      columns_[c].name));
    }
  }
  memory_.resize(columns_.size());
}

std::size_t DrawChunks::bytes_per_draw() const noexcept {
  std::size_t numbers = 0;
  for (const Column& c : columns_) numbers += c.once ? 0 : static_cast<std::size_t>(c.size());
  return sizeof(double) * numbers * static_cast<std::size_t>(slots_ * replicates_);
}

const double* DrawChunks::interleaved(std::size_t column, const DrawBuffers& buffers) {
  const Index size = columns_[column].size();
  const Index draws = columns_[column].once ? 1 : buffers.draws;
  std::vector<double>& to = memory_[column];
  to.resize(static_cast<std::size_t>(draws * replicates_ * slots_ * size));
  for (Index k = 0; k < slots_; ++k) {
    const double* from = buffers.data[records_[column][static_cast<std::size_t>(k)]].data();
    for (Index j = 0; j < draws * replicates_; ++j) {
      std::copy_n(from + j * size, size, to.data() + (j * slots_ + k) * size);
    }
  }
  return to.data();
}

Chunk DrawChunks::chunk(const DrawBuffers& buffers, bool warmup, std::int64_t first_draw) {
  Chunk chunk;
  chunk.warmup = warmup;
  chunk.first_draw = first_draw;
  chunk.draws = buffers.draws;
  const bool adapted = !warmup && first_draw == 0 && buffers.draws > 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].once && !adapted) {
      chunk.data.push_back(nullptr);
      continue;
    }
    chunk.data.push_back(slots_ == 1 ? buffers.data[records_[c].front()].data()
                                     : interleaved(c, buffers));
  }
  return chunk;
}

}  // namespace mixwell
