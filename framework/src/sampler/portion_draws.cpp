// The draws of a run whose ranks have some coordinates each.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/portion_draws.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace mixwell {
namespace {

bool is_of(const Record& record, const Parameter& parameter) {
  return record.group == RecordGroup::posterior && record.name == parameter.name;
}

std::optional<std::size_t> parameter_of(const Record& record,
                                        const std::vector<Parameter>& parameters) {
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (is_of(record, parameters[k])) return k;
  return std::nullopt;
}

/// A parameter's rows in the whole's parameter of that name.
std::vector<std::vector<Index>> rows_of_parameters(const PortionOfModel& portion,
                                                   const std::vector<Parameter>& own) {
  std::vector<std::vector<Index>> all;
  const std::vector<Parameter> whole = portion.whole().parameters();
  auto next = portion.coordinates().begin();
  Index before = 0;
  for (std::size_t k = 0; k < own.size(); ++k) {
    const auto end = next + own[k].size();
    std::vector<Index>& rows = all.emplace_back(next, end);
    for (Index& row : rows) row -= before;
    before += whole[k].size();
    next = end;
  }
  return all;
}

template <class Number>
std::vector<char> as_bytes(const std::vector<Number>& numbers) {
  const auto* const begin = reinterpret_cast<const char*>(numbers.data());
  return {begin, begin + sizeof(Number) * numbers.size()};
}

}  // namespace

std::vector<Index> shape_in_results(const Record& record, const Model& model) {
  if (model.as_portion() == nullptr) return record.shape;
  for (const Parameter& parameter : whole_of(model).parameters())
    if (is_of(record, parameter)) return parameter.shape;
  return record.shape;
}

PortionDraws::PortionDraws(const Model& portion, const KernelGraph& graph, Index replicates)
    : division_(dynamic_cast<PositionDivision&>(*portion.as_portion()->portions())),
      replicates_(replicates) {
  const std::vector<Parameter> own = portion.parameters();
  const std::vector<Parameter> whole = whole_of(portion).parameters();
  const auto rows = rows_of_parameters(*portion.as_portion(), own);
  for (std::size_t k = 0; k < own.size(); ++k) {
    Divided& part = parts_.emplace_back();
    part.rows_of_whole = whole[k].size();
    for (const std::vector<char>& bytes : division_.collect(as_bytes(rows[k]))) {
      std::vector<Index> of_rank(bytes.size() / sizeof(Index));
      std::memcpy(of_rank.data(), bytes.data(), bytes.size());
      part.of_ranks.emplace_back(of_rank);
    }
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
  for (const Divided& part : parts_) {
    for (const std::size_t r : part.records) {
      const std::vector<char> one = as_bytes(buffers.data[r]);
      all.insert(all.end(), one.begin(), one.end());
    }
  }
  return all;
}

void PortionDraws::place(const std::vector<std::vector<char>>& all, DrawBuffers& buffers) const {
  const Index columns = buffers.draws * replicates_;
  std::vector<const char*> next;
  for (const std::vector<char>& of_rank : all) next.push_back(of_rank.data());
  for (const Divided& part : parts_) {
    for (const std::size_t r : part.records) {
      std::vector<double>& whole = buffers.data[r];
      whole.resize(static_cast<std::size_t>(part.rows_of_whole * columns));
      for (std::size_t k = 0; k < all.size(); ++k) {
        Eigen::MatrixXd own(part.of_ranks[k].part_rows(), columns);
        const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(own.size());
        std::memcpy(own.data(), next[k], bytes);
        next[k] += bytes;
        part.of_ranks[k].put(own, MatrixMap(whole.data(), part.rows_of_whole, columns));
      }
    }
  }
}

void PortionDraws::collect(DrawBuffers& buffers) const {
  if (buffers.draws == 0) return;
  const std::vector<std::vector<char>> all = division_.collect(packed(buffers));
  if (division_.rank() == 0) place(all, buffers);
}

}  // namespace mixwell
