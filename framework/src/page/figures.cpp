// Writes the plot data of a run as JSON: thinned, binned and rounded draws of some variables.
// SPDX-License-Identifier: Apache-2.0
#include "page/figures.hpp"

#include "files/json.hpp"
#include "page/curves.hpp"
#include "page/rounding.hpp"
#include "results/element_names.hpp"
#include "results/vector.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/machine.hpp>
#include <mixwell/lab/diagnostics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace mixwell::page {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index most_chains = 8;
constexpr Index most_trace_points = 500;
constexpr Index most_pairs = 1000;
constexpr Index rank_bins = 20;
constexpr Index density_points = 128;
constexpr Index least_lags = 40;
constexpr Index most_lag_points = 100;
constexpr Index energy_bins = 60;
constexpr Index growth_steps = 16;

/// Ascending sort key for a figure whose small values are bad. Figures that could not be judged
/// come first, constants last.
double badness_first(const Json& row, double figure) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (row.contains("constant")) return infinity;
  return std::isnan(figure) ? -infinity : figure;
}

/// Names sorted by ascending key, so the worst come first. Names with equal keys keep the order of
/// the file.
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

Json columns_json(const MatrixXd& x, double quantum) {
  Json columns = Json::array();
  for (const auto& column : x.colwise()) columns.push_back(to_quantum(VectorXd(column), quantum));
  return columns;
}

Json trace_json(const MatrixXd& x, const FigureSettings& settings) {
  const MatrixXd shown = thinned(x(Eigen::all, settings.chains), settings.every);
  return columns_json(shown, quantum_of(shown));
}

Json ranks_json(const MatrixXd& x, const FigureSettings& settings) {
  const Index bins = std::clamp<Index>(x.rows(), 1, rank_bins);
  const MatrixXd counts = rank_counts(x, bins)(Eigen::all, settings.chains);
  const double expected = static_cast<double>(x.rows()) / static_cast<double>(bins);
  return {{"expected", to_digits(expected, 6)}, {"counts", columns_json(counts, 0.0)}};
}

Json density_json(const MatrixXd& x, const FigureSettings& settings) {
  const Grid grid = density(x, settings.weights, settings.chains, density_points);
  return {{"start", grid.start},
          {"step", grid.step},
          {"values", columns_json(grid.values, quantum_of(grid.values))}};
}

/// Shows all lags until the correlation vanishes, but at least 40 lags.
Json autocorrelation_json(const MatrixXd& x, const FigureSettings& settings) {
  const Index end = std::min(x.rows(), std::max(least_lags, 2 * decorrelation_lag(x)));
  const Index every = (end + most_lag_points - 1) / most_lag_points;
  const MatrixXd values = autocorrelations(x, settings.chains, end, every);
  return {{"every", every}, {"values", columns_json(values, 1e-3)}};
}

Json variable_figure(const MatrixXd& x, const Element& element, const FigureSettings& settings) {
  Json figure = {{"name", element.label},
                 {"unit", element.column.unit},
                 {"help", element.column.help},
                 {"trace", trace_json(x, settings)}};
  if (!x.allFinite()) return figure;
  figure["ranks"] = ranks_json(x, settings);
  if (x.minCoeff() == x.maxCoeff()) return figure;
  figure["density"] = density_json(x, settings);
  figure["autocorrelation"] = autocorrelation_json(x, settings);
  return figure;
}

/// draws x chains of a scalar in sample_stats; 0 x 0 if it is missing.
MatrixXd statistic(const DrawsFile& draws, const char* name) {
  for (const Column& column : draws.columns())
    if (column.group == RecordGroup::sample_stats && column.name == name && column.shape.empty() &&
        !column.once)
      return draws.read(column, 0);
  return {};
}

/// Indices of diverging draws if all chains are joined one after the other.
std::vector<Index> diverging_places(const DrawsFile& draws) {
  const MatrixXd diverging = statistic(draws, "diverging");
  std::vector<Index> all;
  for (Index k = 0; k < diverging.size(); ++k)
    if (diverging.reshaped()[k] > 0) all.push_back(k);
  std::vector<Index> kept;
  for (const Index k : evenly_spaced(static_cast<Index>(all.size()), most_pairs))
    kept.push_back(all[static_cast<std::size_t>(k)]);
  return kept;
}

Json names_of(const std::vector<Element>& elements) {
  Json names = Json::array();
  for (const Element& e : elements) names.push_back(e.label);
  return names;
}

std::vector<Index> growth_sizes(Index draws) {
  std::vector<Index> sizes;
  for (Index k = 1; k <= growth_steps; ++k) sizes.push_back(k * draws / growth_steps);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::erase(sizes, Index{0});
  return sizes;
}

double figure_of_chain(const char* name, const VectorXd& x) {
  return std::string_view(name) == "diverging" ? x.sum() : x.mean();
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
      throw InputError({folder, 0, 0},
                       fmt::format("the variable `{}` is in summary.json but not in draws.nc. The "
                                   "files come from different runs. Run the manifest again.",
                                   name));
    elements.push_back(found.at(name));
  }
  return elements;
}

std::vector<Index> evenly_spaced(Index count, Index most) {
  const Index kept = std::min(count, most);
  std::vector<Index> chosen;
  for (Index k = 0; k < kept; ++k) chosen.push_back(k * count / kept);
  return chosen;
}

FigureSettings figure_settings(const DrawsFile& draws) {
  return {evenly_spaced(draws.chains(), most_chains),
          std::max<Index>(1, (draws.draws() + most_trace_points - 1) / most_trace_points),
          varying_weights(draws)};
}

Json variable_figures(const DrawsFile& draws, const std::vector<Element>& elements,
                      const FigureSettings& settings) {
  Json figures = Json::array();
  for (const Element& element : elements)
    figures.push_back(
        variable_figure(draws.read(element.column, element.element), element, settings));
  return figures;
}

Json pair_figure(const DrawsFile& draws, const std::vector<Element>& elements) {
  const std::vector<Index> places = evenly_spaced(draws.draws() * draws.chains(), most_pairs);
  const std::vector<Index> bad = diverging_places(draws);
  Json points = Json::array();
  Json diverging = Json::array();
  for (const Element& element : elements) {
    const MatrixXd x = draws.read(element.column, element.element);
    const VectorXd column = x.reshaped()(places);
    const double quantum = quantum_of(column);
    points.push_back(to_quantum(column, quantum));
    diverging.push_back(to_quantum(x.reshaped()(bad), quantum));
  }
  return {{"names", names_of(elements)},
          {"points", std::move(points)},
          {"diverging", std::move(diverging)}};
}

Json growth_figure(const DrawsFile& draws, const std::vector<Element>& elements) {
  const std::vector<Index> sizes = growth_sizes(draws.draws());
  std::vector<MatrixXd> all;
  for (const Element& e : elements) all.push_back(draws.read(e.column, e.element));
  const Index rows = static_cast<Index>(sizes.size());
  MatrixXd bulk(rows, static_cast<Index>(all.size()));
  MatrixXd tail = bulk;
  parallel_for(bulk.size(), [&](Index k) {
    const auto x =
        all[static_cast<std::size_t>(k / rows)].topRows(sizes[static_cast<std::size_t>(k % rows)]);
    bulk.reshaped()[k] = diagnostics::ess_bulk(x);
    tail.reshaped()[k] = diagnostics::ess_tail(x);
  });
  return {{"names", names_of(elements)},
          {"draws", sizes},
          {"bulk", columns_json(bulk, 0.1)},
          {"tail", columns_json(tail, 0.1)}};
}

Json energy_figure(const DrawsFile& draws, const FigureSettings& settings) {
  const MatrixXd energy = statistic(draws, "energy");
  if (energy.rows() < 2 || !energy.allFinite()) return nullptr;
  const MatrixXd centred = energy.array() - energy.mean();
  const Index rows = energy.rows() - 1;
  const MatrixXd change = energy.bottomRows(rows) - energy.topRows(rows);
  const double low = std::min(centred.minCoeff(), change.minCoeff());
  const double high = std::max(centred.maxCoeff(), change.maxCoeff());
  if (low == high) return nullptr;
  const VectorXd ebfmi = diagnostics::ebfmi(energy)(settings.chains);
  return {{"low", to_digits(low, 6)},
          {"high", to_digits(high, 6)},
          {"marginal", to_digits(histogram(centred, low, high, energy_bins), 9)},
          {"transition", to_digits(histogram(change, low, high, energy_bins), 9)},
          {"ebfmi", to_digits(ebfmi, 4)}};
}

Json chain_table(const DrawsFile& draws, const FigureSettings& settings) {
  Json table = Json::object();
  for (const char* const name :
       {"acceptance_rate", "diverging", "step_size", "n_steps", "tree_depth", "energy_error"}) {
    const MatrixXd x = statistic(draws, name);
    if (x.rows() == 0) continue;
    Json figures = Json::array();
    for (const Index c : settings.chains)
      figures.push_back(to_digits(figure_of_chain(name, x.col(c)), 5));
    table[name] = std::move(figures);
  }
  return table;
}

}  // namespace mixwell::page
