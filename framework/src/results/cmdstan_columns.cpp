// Maps the elements of a draw to the columns of a CmdStan CSV file.
// SPDX-License-Identifier: Apache-2.0
#include "results/cmdstan_columns.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace mixwell {
namespace {

/// Pairs of a name in draws.nc and Stan's name, in Stan's order.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> statistics = {
    {{"lp", "lp__"},
     {"acceptance_rate", "accept_stat__"},
     {"step_size", "stepsize__"},
     {"tree_depth", "treedepth__"},
     {"n_steps", "n_leapfrog__"},
     {"diverging", "divergent__"},
     {"energy", "energy__"}}};

bool is_statistic(const Column& variable) { return variable.group == RecordGroup::sample_stats; }

bool is_stans(const Column& variable) {
  return std::any_of(statistics.begin(), statistics.end(),
                     [&](const auto& one) { return one.first == variable.name; });
}

/// Adds all elements of a variable, the first index fastest.
void add(std::vector<CsvColumn>& columns, std::size_t place, const Column& variable,
         const std::string& name) {
  for (Index k = 0; k < variable.size(); ++k) {
    CsvColumn column{place, 0, name};
    Index rest = k;
    Index stride = variable.size();
    for (const Index extent : variable.shape) {
      stride /= extent;
      column.element += rest % extent * stride;
      column.name += fmt::format(".{}", rest % extent + 1);
      rest /= extent;
    }
    columns.push_back(std::move(column));
  }
}

/// CSV files have no groups. If an earlier variable has the same name, the name of the group is
/// added.
std::string name_in_csv(const std::vector<Column>& variables, std::size_t place) {
  const auto here = variables.begin() + static_cast<std::ptrdiff_t>(place);
  const bool is_taken = std::any_of(variables.begin(), here, [&](const Column& other) {
    return !is_statistic(other) && other.name == here->name;
  });
  return is_taken ? fmt::format("{}_{}", to_string(here->group), here->name) : here->name;
}

void check_names(const std::vector<CsvColumn>& columns, const std::string& where) {
  std::set<std::string> names;
  for (const CsvColumn& column : columns) {
    const bool is_odd = std::any_of(column.name.begin(), column.name.end(), [](unsigned char c) {
      return c <= ' ' || c == 127 || c == ',' || c == '"' || c == '#';
    });
    const bool is_new = names.insert(column.name).second;
    if (!is_odd && is_new) continue;
    throw InputError(
        {where, 0, 0},
        fmt::format("a CSV file cannot have a column named '{}': {}. Rename the variable where it "
                    "is named (the data, the manifest or the code of the component). Then run the "
                    "manifest again. You can also read the variable from draws.nc.",
                    column.name,
                    is_odd ? "the name must not contain a blank, comma, quote or '#'"
                           : "another column has the same name"));
  }
}

}  // namespace

std::vector<CsvColumn> cmdstan_columns(const std::vector<Column>& variables,
                                       const std::string& where) {
  std::vector<CsvColumn> columns;
  for (const auto& [name, stans] : statistics)
    for (std::size_t v = 0; v < variables.size(); ++v)
      if (is_statistic(variables[v]) && variables[v].name == name)
        add(columns, v, variables[v], std::string(stans));
  for (std::size_t v = 0; v < variables.size(); ++v)
    if (!is_statistic(variables[v])) add(columns, v, variables[v], name_in_csv(variables, v));
  for (std::size_t v = 0; v < variables.size(); ++v)
    if (is_statistic(variables[v]) && !is_stans(variables[v]))
      add(columns, v, variables[v], variables[v].name + "__");
  check_names(columns, where);
  return columns;
}

}  // namespace mixwell
