// The figures of a run as JSON: which variables and chains get some; thinned, binned, rounded.
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

/// At most `most` names of `variables` (of summary.json), in turn that of the smallest ess_bulk and
/// that of the largest rhat among those that are left. Of both, one that could not be judged comes
/// first. Constants, which have neither, come last.
std::vector<std::string> worst_first(const Json& variables, std::size_t most);

/// Where the names stand in the file. Throws InputError for a name that is not there, and says that
/// `folder` holds results of different runs.
std::vector<Element> find_elements(const DrawsFile& draws, const std::vector<std::string>& names,
                                   const std::string& folder);

/// Of 0, 1, ... count - 1 at most `most`, evenly spaced, the first among them.
std::vector<Index> evenly_spaced(Index count, Index most);

/// What all figures of a run share.
struct FigureSettings {
  std::vector<Index> chains;  ///< shown one by one
  Index every = 1;            ///< traces show each `every`-th draw
  Eigen::MatrixXd weights;    ///< draws x chains; 0 x 0 where every draw counts the same
};

FigureSettings figure_settings(const DrawsFile& draws);

/// Trace, ranks, density and autocorrelation of each element. Without a density where the draws are
/// constant, without ranks too where some is not finite.
Json variable_figures(const DrawsFile& draws, const std::vector<Element>& elements,
                      const FigureSettings& settings);

/// Points of the elements against each other: at most 1000 draws evenly spaced over all chains, and
/// as many of those after a diverging transition.
Json pair_figure(const DrawsFile& draws, const std::vector<Element>& elements);

/// ess_bulk and ess_tail of the first 1/16, 2/16, ... of each chain.
Json growth_figure(const DrawsFile& draws, const std::vector<Element>& elements);

/// Histograms of the energy less its mean and of its change in a transition, E-BFMI of each shown
/// chain; null where no energy was recorded.
Json energy_figure(const DrawsFile& draws, const FigureSettings& settings);

/// Mean (sum of `diverging`) of the scalar statistics of each shown chain.
Json chain_table(const DrawsFile& draws, const FigureSettings& settings);

}  // namespace mixwell::page
