// The draws of a run whose ranks have some coordinates each.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/portion_draws.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>

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
          "`{}` is recorded of every coordinate, and these are divided among ranks: what is "
          "recorded beside the parameters must be of the position as a whole; take run.ranks = "
          "\"replicates\"",
          record.name));
    }
  }
}

/// Record by record.
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
