// Chooses which rows of a long table go into summary.json.
// SPDX-License-Identifier: Apache-2.0
#include "results/element_names.hpp"
#include "results/table.hpp"

#include <mixwell/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace mixwell {
namespace {

constexpr std::size_t worst_of_each = 500;

/// The set of rows to show.
class RowChoice {
 public:
  explicit RowChoice(const SummaryTable& table)
      : table_(table), chosen_(table.rows().size(), false) {}

  void add(const std::string& name, const std::vector<Labels>& labels) {
    const auto found = elements_called(table_.columns(), name, labels);
    if (!found) return;
    for (const Index element : found->elements)
      chosen_[table_.first_row(found->column) + static_cast<std::size_t>(element)] = true;
  }

  void add_scalars() {
    std::vector<std::size_t> scalars;
    for (std::size_t c = 0; c < table_.columns().size(); ++c)
      if (table_.columns()[c].size() == 1) scalars.push_back(table_.first_row(c));
    if (scalars.size() > most_rows_shown) return;
    for (const std::size_t row : scalars) chosen_[row] = true;
  }

  /// Adds the rows with the smallest numbers. Among equal numbers, adds the first rows. Ignores
  /// NaN.
  template <class Goodness>
  void add_worst(const Goodness& goodness) {
    std::vector<std::pair<double, std::size_t>> found;
    for (std::size_t row = 0; row < chosen_.size(); ++row) {
      const double good = goodness(table_.rows()[row].standard);
      if (!std::isnan(good)) found.emplace_back(good, row);
    }
    const auto last =
        found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), worst_of_each));
    std::partial_sort(found.begin(), last, found.end());
    for (auto at = found.begin(); at != last; ++at) chosen_[at->second] = true;
  }

  std::vector<std::size_t> rows() const {
    std::vector<std::size_t> all;
    for (std::size_t row = 0; row < chosen_.size(); ++row)
      if (chosen_[row]) all.push_back(row);
    return all;
  }

 private:
  const SummaryTable& table_;
  std::vector<bool> chosen_;
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
    throw InputError(place, "must name a posterior variable" +
                                suggestion(name.substr(0, name.find('[')), known));
  }
}

std::vector<std::size_t> shown_rows(const SummaryTable& table,
                                    const std::vector<std::string>& names,
                                    const std::vector<Labels>& labels) {
  using Figures = diagnostics::StandardFigures;
  if (table.rows().size() <= most_rows_shown) {
    std::vector<std::size_t> all(table.rows().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  RowChoice choice(table);
  for (const std::string& name : names) choice.add(name, labels);
  choice.add_scalars();
  choice.add_worst([](const Figures& f) { return std::isnan(f.ess_bulk) ? 0.0 : std::nan(""); });
  choice.add_worst([](const Figures& f) { return f.ess_bulk; });
  choice.add_worst([](const Figures& f) { return f.ess_tail; });
  choice.add_worst([](const Figures& f) { return -f.rhat; });
  return choice.rows();
}

}  // namespace mixwell
