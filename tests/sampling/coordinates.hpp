// Draws of a composition, one coordinate at a time, as they are recorded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>

#include <vector>

namespace sampling {

/// A matrix for each coordinate of the posterior, draws x replicates, after the warm-up.
inline std::vector<Eigen::MatrixXd> coordinates(const mixwell::Composition& composition) {
  using mixwell::Index;
  using mixwell::PhaseKind;
  mixwell::Sampler sampler(composition.compositor, composition.run,
                           mixwell::compose(*composition.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::warmup, composition.run.warmup);
  mixwell::DrawBuffers buffers;
  sampler.advance(PhaseKind::sampling, composition.run.draws, &buffers);
  const auto& records = sampler.graph(PhaseKind::sampling).records();
  const Index chains = composition.run.replicates;
  std::vector<Eigen::MatrixXd> all;
  for (std::size_t r = 0; r < records.size(); ++r) {
    if (records[r].group != mixwell::RecordGroup::posterior) continue;
    const auto size = static_cast<Index>(buffers.data[r].size()) / (chains * buffers.draws);
    for (Index e = 0; e < size; ++e) {
      Eigen::MatrixXd x(buffers.draws, chains);
      for (Index t = 0; t < buffers.draws; ++t) {
        for (Index c = 0; c < chains; ++c) {
          x(t, c) = buffers.data[r][static_cast<std::size_t>((t * chains + c) * size + e)];
        }
      }
      all.push_back(std::move(x));
    }
  }
  return all;
}

/// z-score of the mean of draws against the truth. The standard error accounts for dependence.
inline double z_of_mean(const Eigen::MatrixXd& values, double truth) {
  return (mixwell::diagnostics::mean(values) - truth) / mixwell::diagnostics::mcse_mean(values);
}

}  // namespace sampling
