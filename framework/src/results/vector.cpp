// Reads draws for a summary: several variables joined into one vector, or one sampler statistic.
// SPDX-License-Identifier: Apache-2.0
#include "results/vector.hpp"

#include "results/element_names.hpp"

#include <mixwell/base/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

using Eigen::MatrixXd;

/// The real variables of `posterior`. If `of` is not empty, only the variables that `of` names.
std::vector<Column> chosen_columns(const DrawsFile& file, const std::vector<std::string>& of,
                                   const std::string& key) {
  std::vector<Column> chosen = file.columns();
  std::erase_if(chosen, [](const Column& column) {
    return column.group != RecordGroup::posterior || column.type != RecordType::real;
  });
  std::vector<std::string> known;
  for (const Column& column : chosen) known.push_back(column.name);
  const auto is_in = [](const std::string& name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& name : of)
    if (!is_in(name, known))
      throw InputError({key + " " + name, 0, 0},
                       "must name a real-valued posterior variable" + suggestion(name, known));
  if (!of.empty())
    std::erase_if(chosen, [&](const Column& column) { return !is_in(column.name, of); });
  return chosen;
}

/// The draws, their centred copy and the results are in memory at the same time.
void require_memory_of_draws(double numbers, const std::string& option) {
  const double bytes = 3 * 8 * numbers;
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= memory) return;
  throw InputError({option, 0, 0}, "this option needs about " +
                                       std::to_string(std::llround(bytes / 1e9)) +
                                       " GB of RAM for all draws together, but this machine has "
                                       "less. Select fewer variables with --of.");
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

std::optional<Eigen::MatrixXd> recorded_statistic(const DrawsFile& file, const std::string& name) {
  if (!file.has(RecordGroup::sample_stats, name) || file.draws() == 0) return std::nullopt;
  return file.read({RecordGroup::sample_stats, name, {}, RecordType::real, {}, {}}, 0);
}

}  // namespace mixwell
