// Draws of a vector that is made of several variables, for the parts of a summary that need it.
// SPDX-License-Identifier: Apache-2.0
#include "results/vector.hpp"

#include "results/element_names.hpp"

#include <mixwell/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

using Eigen::MatrixXd;

std::vector<std::string> real_columns(const DrawsFile& file) {
  std::vector<std::string> names;
  for (const Column& column : file.columns())
    if (column.group == RecordGroup::posterior && column.type == RecordType::real)
      names.push_back(column.name);
  return names;
}

std::vector<Column> chosen_columns(const DrawsFile& file, const std::vector<std::string>& of,
                                   const std::string& key) {
  const std::vector<std::string> known = real_columns(file);
  for (const std::string& name : of)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError({key + " " + name, 0, 0},
                       "no real variable of that name in the posterior" + suggestion(name, known));
  std::vector<Column> chosen;
  for (const Column& column : file.columns()) {
    const auto& wanted = of.empty() ? known : of;
    const bool real = column.group == RecordGroup::posterior && column.type == RecordType::real;
    if (real && std::find(wanted.begin(), wanted.end(), column.name) != wanted.end())
      chosen.push_back(column);
  }
  return chosen;
}

/// The draws, their centred copy and what is made of them are in memory at once.
void require_memory_of_draws(double numbers, const std::string& option) {
  const double bytes = 3 * 8 * numbers;
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= memory) return;
  throw InputError({option, 0, 0},
                   "needs about " + std::to_string(std::llround(bytes / 1e9)) +
                       " GB for all draws at once, more than this machine has; choose fewer "
                       "variables with --of");
}

}  // namespace

MatrixXd varying_weights(const DrawsFile& file) {
  for (const Column& column : file.columns()) {
    const bool found = column.group == RecordGroup::sample_stats && column.name == "weight";
    if (!found || !column.shape.empty() || file.draws() * file.chains() == 0) continue;
    MatrixXd weights = file.read(column, 0);
    if (!(weights.array() == weights(0, 0)).all()) return weights;
  }
  return {};
}

std::optional<std::vector<Index>> coordinates_called(const DrawnVector& vector,
                                                     const std::string& text) {
  auto found = elements_called(vector.columns, text, vector.labels);
  if (!found) return std::nullopt;
  Index first = 0;
  for (std::size_t c = 0; c < found->column; ++c) first += vector.columns[c].size();
  for (Index& element : found->elements) element += first;
  return std::move(found->elements);
}

DrawnVector read_vector(const DrawsFile& file, const std::vector<std::string>& of,
                        const std::string& key, const std::string& option) {
  const std::vector<Column> columns = chosen_columns(file, of, key);
  Index size = 0;
  for (const Column& column : columns) size += column.size();
  const Index draws = file.draws() * file.chains();
  require_memory_of_draws(static_cast<double>(draws) * static_cast<double>(size), option);
  DrawnVector vector{{}, MatrixXd(draws, size), columns, file.labels()};
  Index at = 0;
  for (const Column& column : columns) {
    const Index piece = file.elements_at_once(column);
    for (Index first = 0; first < column.size(); first += piece) {
      const Index count = std::min(piece, column.size() - first);
      vector.draws.middleCols(at, count) = file.read(column, first, count).reshaped(draws, count);
      at += count;
    }
    for (Index k = 0; k < column.size(); ++k) vector.names.push_back(element_name(column, k));
  }
  return vector;
}

}  // namespace mixwell
