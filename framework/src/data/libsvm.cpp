// The LIBSVM text format: each line is a label, followed by index:value pairs.
// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.hpp"
#include "data/text.hpp"
#include "files/input_file.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/data/data.hpp>

#include <algorithm>
#include <charconv>

namespace mixwell {
namespace {

/// Removes the first word from `rest` and returns it. Returns "" at the end.
std::string_view next_word(std::string_view& rest) {
  constexpr std::string_view blanks = " \t\r";
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(blanks));
  rest.remove_prefix(word.size());
  return word;
}

struct Pair {
  Index index = 0;
  double value = 0;
};

Pair to_pair(std::string_view word, const std::string& where) {
  const std::size_t colon = word.find(':');
  const std::string_view index = word.substr(0, colon);
  Pair pair;
  const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), pair.index);
  const auto value = colon == std::string_view::npos ? std::optional<double>()
                                                     : finite_number(word.substr(colon + 1));
  if (error != std::errc() || end != index.data() + index.size() || !value)
    throw InputError(where + ": " + in_quotes(word) +
                     " is not an index:value pair. Write a whole number, a colon and a finite "
                     "number, such as 3:0.5");
  pair.value = *value;
  return pair;
}

void require_order(const Pair& pair, Index before, Index limit, const std::string& where) {
  const std::string index = "index " + std::to_string(pair.index);
  if (pair.index < 1)
    throw InputError(where + ": " + index +
                     " is below 1, but indices start at 1. Number the inputs from 1");
  if (pair.index <= before)
    throw InputError(
        where + ": " + index + " comes after " + std::to_string(before) +
        ", but indices must ascend within a line. Sort the pairs, and keep each index once");
  if (limit > 0 && pair.index > limit)
    throw InputError(where + ": " + index + " is above " + std::to_string(limit) +
                     ", the largest index of the training data. Remove the pair, or train on data "
                     "with this index");
}

}  // namespace

LibsvmTable::LibsvmTable(const std::string& path, Index limit) : path_(path) {
  InputFile in(path, "lines that begin with a label and continue with index:value pairs");
  std::string line;
  GrowingMemory memory;
  while (in.next_line(line)) {
    read_line(std::string_view(line).substr(0, line.find('#')), in.line_number(), limit);
    memory.now(bytes(),
               [&] { return place(path, in.line_number()) + ": the table up to this line"; });
  }
  if (labels_.empty())
    throw InputError(path +
                     ": the file has no rows. It must have lines that begin with a label and "
                     "continue with index:value pairs");
}

void LibsvmTable::read_line(std::string_view rest, int line, Index limit) {
  const std::string_view label = next_word(rest);
  if (label.empty()) return;
  const std::string where = place(path_, line);
  if (!finite_number(label))
    throw InputError(where + ": the label " + in_quotes(label) +
                     " is not a finite number. Correct the label");
  Index before = 0;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
    const Pair pair = to_pair(word, where);
    require_order(pair, before, limit, where);
    before = pair.index;
    indices_.push_back(pair.index);
    values_.push_back(pair.value);
  }
  largest_ = std::max(largest_, before);
  labels_.emplace_back(without_plus(label));
  lines_.push_back(line);
  ends_.push_back(indices_.size());
}

double LibsvmTable::bytes() const noexcept {
  const std::size_t of_rows =
      labels_.size() * (sizeof(std::string) + sizeof(int) + sizeof(std::size_t));
  return static_cast<double>(of_rows + values_.size() * (sizeof(Index) + sizeof(double)));
}

const std::string& LibsvmTable::label(Index row) const {
  return labels_.at(static_cast<std::size_t>(row));
}

int LibsvmTable::line(Index row) const { return lines_.at(static_cast<std::size_t>(row)); }

Eigen::MatrixXd LibsvmTable::dense(const std::vector<Index>& rows, Index columns) const {
  const auto count = static_cast<Index>(rows.size());
  require_memory(sizeof(double) * static_cast<double>(count) * static_cast<double>(columns),
                 path_ + ": the table of " + std::to_string(count) + " rows and " +
                     std::to_string(columns) + " inputs, with all zeros stored,");
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(count, columns);
  for (Index n = 0; n < count; ++n) {
    const auto row = static_cast<std::size_t>(rows[static_cast<std::size_t>(n)]);
    for (std::size_t k = row == 0 ? 0 : ends_[row - 1]; k < ends_[row]; ++k)
      x(n, indices_[k] - 1) = values_[k];
  }
  return x;
}

}  // namespace mixwell
