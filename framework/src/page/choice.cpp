// Which of a run's variables and chains get figures.
// SPDX-License-Identifier: Apache-2.0
#include "page/choice.hpp"

#include "files/json.hpp"
#include "results/element_names.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace mixwell::page {
namespace {

/// A figure where small ones are bad, for an ascending order: what could not be judged comes first,
/// constants last.
double badness_first(const Json& row, double figure) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (row.contains("constant")) return infinity;
  return std::isnan(figure) ? -infinity : figure;
}

/// Names by ascending badness; equal ones in the order of the file.
template <class Badness>
std::vector<std::string> sorted_names(const Json& variables, const Badness& badness) {
  std::vector<std::pair<double, std::string>> pairs;
  for (const auto& [name, row] : variables.items()) pairs.emplace_back(badness(row), name);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (auto& [value, name] : pairs) names.push_back(std::move(name));
  return names;
}

}  // namespace

std::vector<std::string> worst_first(const Json& variables, std::size_t most) {
  const auto by_ess = sorted_names(
      variables, [](const Json& row) { return badness_first(row, number_in(row, "ess_bulk")); });
  const auto by_rhat = sorted_names(
      variables, [](const Json& row) { return badness_first(row, -number_in(row, "rhat")); });
  std::vector<std::string> names;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (names.size() < most && seen.insert(name).second) names.push_back(name);
  };
  for (std::size_t k = 0; k < by_ess.size(); ++k) {
    add(by_ess[k]);
    add(by_rhat[k]);
  }
  return names;
}

std::vector<Element> find_elements(const DrawsFile& draws, const std::vector<std::string>& names,
                                   const std::string& folder) {
  std::map<std::string, Element> found;
  const std::set<std::string> wanted(names.begin(), names.end());
  for (const Column& column : draws.columns()) {
    if (column.group != RecordGroup::posterior) continue;
    for (Index k = 0; k < column.size(); ++k) {
      const std::string name = element_name(column, k);
      if (wanted.count(name) != 0)
        found.emplace(name, Element{column, k, name, labelled_name(column, k, draws.labels())});
    }
  }
  std::vector<Element> elements;
  for (const std::string& name : names) {
    if (found.count(name) == 0)
      throw InputError(
          {folder, 0, 0},
          fmt::format("summary.json has a variable `{}` that draws.nc lacks: they come "
                      "from different runs; run the manifest again",
                      name));
    elements.push_back(found.at(name));
  }
  return elements;
}

std::vector<Index> chosen_chains(Index chains, Index most) {
  std::vector<Index> chosen;
  const Index count = std::min(chains, most);
  for (Index k = 0; k < count; ++k) chosen.push_back(k * chains / count);
  return chosen;
}

}  // namespace mixwell::page
