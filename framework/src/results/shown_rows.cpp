// Which rows of a long table summary.json has.
// SPDX-License-Identifier: Apache-2.0
#include "results/shown_rows.hpp"

#include "results/element_names.hpp"

#include <mixwell/error.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace mixwell {
namespace {

constexpr std::size_t worst_of_each = 500;

/// What is in the rows that are shown.
class RowChoice {
 public:
  explicit RowChoice(const SummaryTable& table) : table_(table) {
    for (std::size_t c = 0; c < table.columns().size(); ++c)
      chosen_.emplace_back(table.rows(c).size(), false);
  }

  void add_all() {
    for (std::vector<bool>& column : chosen_) column.assign(column.size(), true);
  }

  void add(const std::string& name, const std::vector<Labels>& labels) {
    const auto found = elements_called(table_.columns(), name, labels);
    if (!found) return;
    for (const Index element : found->elements)
      chosen_[found->column][static_cast<std::size_t>(element)] = true;
  }

  void add_scalars() {
    std::size_t count = 0;
    for (const std::vector<bool>& column : chosen_) count += column.size() == 1 ? 1 : 0;
    if (count > most_rows_shown) return;
    for (std::vector<bool>& column : chosen_)
      if (column.size() == 1) column[0] = true;
  }

  /// Those of the smallest numbers; the first of equal ones. NaN is none.
  template <class Goodness>
  void add_worst(const Goodness& goodness) {
    std::vector<std::pair<double, ElementPlace>> found;
    for (std::size_t c = 0; c < chosen_.size(); ++c)
      for (std::size_t k = 0; k < chosen_[c].size(); ++k) {
        const double good = goodness(table_.rows(c)[k].standard);
        if (!std::isnan(good)) found.push_back({good, {c, static_cast<Index>(k)}});
      }
    const auto last =
        found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), worst_of_each));
    std::partial_sort(found.begin(), last, found.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.first, a.second.column, a.second.element) <
             std::tuple(b.first, b.second.column, b.second.element);
    });
    for (auto at = found.begin(); at != last; ++at)
      chosen_[at->second.column][static_cast<std::size_t>(at->second.element)] = true;
  }

  std::vector<ElementPlace> places() const {
    std::vector<ElementPlace> all;
    for (std::size_t c = 0; c < chosen_.size(); ++c)
      for (std::size_t k = 0; k < chosen_[c].size(); ++k)
        if (chosen_[c][k]) all.push_back({c, static_cast<Index>(k)});
    return all;
  }

 private:
  const SummaryTable& table_;
  std::vector<std::vector<bool>> chosen_;
};

}  // namespace

void check_row_names(const std::vector<std::string>& names, const std::vector<Column>& columns,
                     const std::vector<Labels>& labels, const std::string& key) {
  std::vector<Column> of_posterior;
  std::vector<std::string> known;
  for (const Column& column : columns) {
    if (column.group != RecordGroup::posterior) continue;
    of_posterior.push_back(column);
    known.push_back(column.name);
  }
  for (const std::string& name : names) {
    const Location place{key + " " + name, 0, 0};
    try {
      if (elements_called(of_posterior, name, labels)) continue;
    } catch (const InputError& fault) {
      throw InputError(place, fault.what());
    }
    throw InputError(place, "no variable of that name in the posterior" +
                                suggestion(name.substr(0, name.find('[')), known));
  }
}

std::vector<ElementPlace> shown_rows(const SummaryTable& table,
                                     const std::vector<std::string>& names,
                                     const std::vector<Labels>& labels) {
  using Figures = diagnostics::StandardFigures;
  RowChoice choice(table);
  if (table.size() <= most_rows_shown) {
    choice.add_all();
    return choice.places();
  }
  for (const std::string& name : names) choice.add(name, labels);
  choice.add_scalars();
  choice.add_worst([](const Figures& f) { return std::isnan(f.ess_bulk) ? 0.0 : std::nan(""); });
  choice.add_worst([](const Figures& f) { return f.ess_bulk; });
  choice.add_worst([](const Figures& f) { return f.ess_tail; });
  choice.add_worst([](const Figures& f) { return -f.rhat; });
  return choice.places();
}

}  // namespace mixwell
