// The conditional distribution of some sources' scales: a product over the matrix entries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "likelihood.hpp"
#include "priors.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace mixwell::stable_factorisation {

/// x has the angles of the sources one after another, then their energies: 2 m N numbers for m
/// sources. The cache of a column has (2 / alpha) log lambda of these sources (m N numbers), the
/// variances of all others (N), and the contribution of the rest to U.
class Scales final : public IndependentElements {
 public:
  /// Null unless the coordinates are all scales of some sources. The likelihood and the priors must
  /// outlive the result.
  static std::shared_ptr<const Scales> make(const Likelihood& likelihood, const Priors& priors,
                                            const std::vector<Index>& coordinates) {
    const Layout& layout = likelihood.layout();
    std::vector<Index> sources;
    for (Index s = 0; s < likelihood.sources(); ++s)
      if (std::binary_search(coordinates.begin(), coordinates.end(), layout.angle(s, 0)))
        sources.push_back(s);
    std::vector<Index> wanted;
    for (const Index s : sources)
      for (Index n = 0; n < layout.entries; ++n) wanted.push_back(layout.angle(s, n));
    for (const Index s : sources)
      for (Index n = 0; n < layout.entries; ++n) wanted.push_back(layout.energy(s, n));
    if (sources.empty() || wanted != coordinates) return nullptr;
    return std::make_shared<Scales>(likelihood, priors, std::move(sources));
  }

  Scales(const Likelihood& likelihood, const Priors& priors, std::vector<Index> sources)
      : likelihood_(likelihood), priors_(priors), sources_(std::move(sources)) {}

  Index elements() const noexcept override { return likelihood_.layout().entries; }
  Index cache_rows() const noexcept override { return (count() + 1) * elements() + 1; }

  /// Costs 2 K N operations and N logarithms for each source.
  void prepare(ConstBatch theta, Batch caches, Workspace& scratch) const override {
    const Layout& layout = likelihood_.layout();
    const Workspace::Frame frame(scratch);
    MatrixMap rest = scratch.matrix(theta.rows(), 1);
    for (Index r = 0; r < theta.cols(); ++r) {
      rest = theta.col(r);
      for (Index m = 0; m < count(); ++m) {
        const Index s = sources_[static_cast<std::size_t>(m)];
        rest.col(0).segment(layout.angle(s, 0), elements()).setZero();
        rest.col(0).segment(layout.energy(s, 0), elements()).setZero();
      }
      prepare(rest.data(), caches.col(r).data());
    }
  }

  void misfits(const ConditionalCaches& caches, ConstBatch x, Batch out) const override {
    for (Index r = 0; r < x.cols(); ++r)
      for (Index n = 0; n < elements(); ++n)
        out(n, r) = likelihood_.misfit(variance(caches.column(r), x.col(r).data(), n), n);
  }

  void draw(const Stream& stream, Address at, Batch x) const override {
    stream.uniforms(at, x);
    const Index angles = count() * elements();
    for (Index r = 0; r < x.cols(); ++r)
      for (Index k = 0; k < angles; ++k) {
        x(k, r) = StableScale::drawn_angle(x(k, r));
        x(angles + k, r) = StableScale::drawn_energy(x(angles + k, r));
      }
  }

  /// Costs about 6 exponentials and 4 sines for each scale.
  void evaluate(const ConditionalCaches& caches, ConstBatch x,
                const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index r = 0; r < x.cols(); ++r) {
      const double* const cache = caches.column(r);
      const double* const at = x.col(r).data();
      double u = cache[cache_rows() - 1];
      for (Index n = 0; n < elements(); ++n) {
        const double v = variance(cache, at, n);
        u += likelihood_.misfit(v, n);
        for (Index m = 0; m < count(); ++m) {
          u += StableScale::potential(at[angle(m, n)], at[energy(m, n)]);
          if (out.wants_gradient()) slopes(cache, at, m, n, v, g.col(r).data());
        }
      }
      if (out.wants_potential()) out.u()(r) = u;
    }
  }

 private:
  Index count() const noexcept { return std::ssize(sources_); }
  Index angle(Index m, Index n) const noexcept { return m * elements() + n; }
  Index energy(Index m, Index n) const noexcept { return angle(count() + m, n); }
  const StableScale& scale(Index m) const {
    return likelihood_.scale(sources_[static_cast<std::size_t>(m)]);
  }

  /// `rest` has zeros at the coordinates of the block. This function reads only the other numbers
  /// of `rest`.
  void prepare(const double* rest, double* cache) const {
    double own = 0.0;
    for (Index n = 0; n < elements(); ++n) {
      double others = 0.0;
      Index m = 0;
      for (Index s = 0; s < likelihood_.sources(); ++s) {
        if (m < count() && sources_[static_cast<std::size_t>(m)] == s)
          cache[angle(m++, n)] = likelihood_.log_product(rest, s, n);
        else
          others += std::exp(likelihood_.log_variance(rest, s, n));
      }
      cache[angle(count(), n)] = others;
      own += static_cast<double>(count()) * StableScale::potential(0.0, 0.0);
    }
    cache[cache_rows() - 1] = priors_.potential(rest) - own;
  }

  double variance_of(const double* cache, const double* x, Index m, Index n) const {
    return std::exp(scale(m).log_scale(x[angle(m, n)], x[energy(m, n)]) + cache[angle(m, n)]);
  }
  double variance(const double* cache, const double* x, Index n) const {
    double v = cache[angle(count(), n)];
    for (Index m = 0; m < count(); ++m) v += variance_of(cache, x, m, n);
    return v;
  }
  void slopes(const double* cache, const double* x, Index m, Index n, double v, double* g) const {
    const double pull = likelihood_.slope(v, n) * variance_of(cache, x, m, n);
    const double y = x[angle(m, n)];
    g[angle(m, n)] = pull * scale(m).slope(y) + StableScale::potential_slope(y);
    g[energy(m, n)] =
        pull * scale(m).slope_of_energy() + StableScale::potential_slope_of_energy(x[energy(m, n)]);
  }

  const Likelihood& likelihood_;
  const Priors& priors_;
  std::vector<Index> sources_;
};

}  // namespace mixwell::stable_factorisation
