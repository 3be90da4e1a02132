// The figures of a run as JSON: thinned, binned, rounded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "page/choice.hpp"

#include <mixwell/lab/draws.hpp>

#include <nlohmann/json.hpp>

#include <vector>

namespace mixwell::page {

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
