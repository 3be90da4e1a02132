// Writes the plot data of a run as JSON: thinned, binned and rounded draws of some variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/draws.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mixwell::page {

using Json = nlohmann::ordered_json;

/// One scalar of draws.nc.
struct Element {
  Column column;
  Index element = 0;
  std::string name;
  std::string label;  ///< the name with labels instead of numbers
};

/// Chooses at most `most` names of `variables` (from summary.json). Takes, in turns, the remaining
/// variable with the smallest ess_bulk and the remaining variable with the largest rhat. Variables
/// that could not be judged are chosen first. Constants have neither figure and are chosen last.
std::vector<std::string> worst_first(const Json& variables, std::size_t most);

/// Finds the elements with these names in the file. Throws InputError if a name is missing:
/// `folder` then holds results of different runs.
std::vector<Element> find_elements(const DrawsFile& draws, const std::vector<std::string>& names,
                                   const std::string& folder);

/// At most `most` of the numbers 0, 1, ... count - 1, evenly spaced, including 0.
std::vector<Index> evenly_spaced(Index count, Index most);

/// Settings that all figures of a run share.
struct FigureSettings {
  std::vector<Index> chains;  ///< chains that are shown separately
  Index every = 1;            ///< traces show only one draw in `every`
  Eigen::MatrixXd weights;    ///< draws x chains; 0 x 0 if all draws have the same weight
};

FigureSettings figure_settings(const DrawsFile& draws);

/// Trace, ranks, density and autocorrelation of each element. An element with constant draws has no
/// density and no autocorrelation. An element with a draw that is not finite has only a trace.
Json variable_figures(const DrawsFile& draws, const std::vector<Element>& elements,
                      const FigureSettings& settings);

/// Scatter plots of the elements: at most 1000 draws, evenly spaced over all chains, and at most
/// 1000 of the draws after a diverging transition.
Json pair_figure(const DrawsFile& draws, const std::vector<Element>& elements);

/// ess_bulk and ess_tail of the first 1/16, 2/16, ... of each chain.
Json growth_figure(const DrawsFile& draws, const std::vector<Element>& elements);

/// Histograms of the centred energy and of the change of energy per transition, and the E-BFMI of
/// each shown chain. Null if no energy was recorded.
Json energy_figure(const DrawsFile& draws, const FigureSettings& settings);

/// The mean of each scalar statistic for each shown chain. For `diverging`, the sum instead of the
/// mean.
Json chain_table(const DrawsFile& draws, const FigureSettings& settings);

}  // namespace mixwell::page
