// Which column of the file holds which number of a draw.
// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include "number.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace mixwell::cmdstan_csv {
namespace {

struct Renamed {
  std::string_view arviz;
  std::string_view stan;
};

/// In Stan's order.
constexpr std::array<Renamed, 7> statistics = {{{"lp", "lp__"},
                                                {"acceptance_rate", "accept_stat__"},
                                                {"step_size", "stepsize__"},
                                                {"tree_depth", "treedepth__"},
                                                {"n_steps", "n_leapfrog__"},
                                                {"diverging", "divergent__"},
                                                {"energy", "energy__"}}};

bool is_statistic(const Column& column) {
  return column.group == RecordGroup::sample_stats && !column.once;
}

bool is_stans(const Column& column) {
  return std::any_of(statistics.begin(), statistics.end(),
                     [&](const Renamed& s) { return s.arviz == column.name; });
}

/// `.2.3` of an element, and its place with the last index fastest.
struct NumberedElement {
  std::string suffix;
  Index place = 0;
};

/// Number `k` with the first index fastest.
NumberedElement element(const std::vector<Index>& shape, Index k) {
  NumberedElement e;
  std::vector<Index> at;
  for (const Index extent : shape) {
    at.push_back(k % extent);
    k /= extent;
    e.suffix += "." + std::to_string(at.back() + 1);
  }
  for (std::size_t d = 0; d < shape.size(); ++d) e.place = e.place * shape[d] + at[d];
  return e;
}

/// Stan's files have no groups: what has the name of a column before it gets that of its group.
std::string name_in_file(const std::vector<Column>& columns, std::size_t c) {
  const auto has_name = [&](const Column& other) {
    return other.group != RecordGroup::sample_stats && other.name == columns[c].name;
  };
  const auto here = columns.begin() + static_cast<std::ptrdiff_t>(c);
  if (std::none_of(columns.begin(), here, has_name)) return columns[c].name;
  return std::string(to_string(columns[c].group)) + "_" + columns[c].name;
}

}  // namespace

const Column* find_statistic(const std::vector<Column>& columns, std::string_view name) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) {
    return c.group == RecordGroup::sample_stats && c.name == name;
  });
  return found == columns.end() ? nullptr : &*found;
}

Layout::Layout(const std::vector<Column>& columns) : columns_(columns) {
  for (const Renamed& statistic : statistics)
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (is_statistic(columns[c]) && columns[c].name == statistic.arviz)
        add(c, std::string(statistic.stan));
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].group != RecordGroup::sample_stats) add(c, name_in_file(columns, c));
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (is_statistic(columns[c]) && !is_stans(columns[c])) add(c, columns[c].name + "__");
  check_names();
}

void Layout::add(std::size_t column, const std::string& name) {
  for (Index k = 0; k < columns_[column].size(); ++k) {
    const NumberedElement e = element(columns_[column].shape, k);
    places_.push_back({column, e.place, name + e.suffix});
  }
}

void Layout::check_names() const {
  std::set<std::string> names;
  for (const Place& place : places_) {
    const bool odd = std::any_of(place.name.begin(), place.name.end(), [](unsigned char c) {
      return c <= ' ' || c == 127 || c == ',' || c == '"' || c == '#';
    });
    const bool twice = !names.insert(place.name).second;
    if (!odd && !twice) continue;
    throw InputError("cannot record a variable as '" + place.name + "' in a CSV file: the name " +
                     (twice ? "stands there already" : "must have no blank, comma, quote or '#'") +
                     "; rename it where it comes from (a column of the data, a key, the source of "
                     "the model or kernel), or leave this recorder out");
  }
}

std::string Layout::names() const {
  std::string text;
  for (const Place& place : places_) text += (text.empty() ? "" : ",") + place.name;
  return text;
}

void Layout::append_row(std::string& text, const Chunk& chunk, std::int64_t draw, Index chain,
                        Index chains, int digits) const {
  for (const Place& place : places_) {
    const Column& column = columns_[place.column];
    const double value =
        chunk.data[place.column][(draw * chains + chain) * column.size() + place.element];
    const bool real = column.type == RecordType::real;
    if (!real) check(place, value, chunk.first_draw + draw, chain);
    append_number(text, value, real ? digits : 17);
    text += ',';
  }
  text.back() = '\n';
}

void Layout::check(const Place& place, double value, std::int64_t draw, Index chain) const {
  const std::string_view rule = columns_[place.column].broken_rule(value);
  if (rule.empty()) return;
  throw RunError("the variable '" + columns_[place.column].name + "' got the value " +
                 std::to_string(value) + " in draw " + std::to_string(draw) + " of chain " +
                 std::to_string(chain) + ": it must be " + std::string(rule) +
                 "; the component that records it must write such numbers or declare it real");
}

}  // namespace mixwell::cmdstan_csv
