// Some factors and biases given all else: the ratings that they are about, and no others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../hyper-prior/row_prior.hpp"
#include "layout.hpp"
#include "likelihood.hpp"
#include "priors.hpp"
#include "rated_rows.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace mixwell::factorisation {

/// U as a function of some factors and biases. The cache of a column: a position of RatedRows, in
/// which what the block holds means nothing, and what all other ratings and rows add to U.
class Block final : public BlockPotential {
 public:
  /// Null where the block is about more than half of the ratings, or holds hyper-parameters. All
  /// that is given but `coordinates` outlives it.
  static std::shared_ptr<const Block> make(const Layout& whole, const Likelihood& likelihood,
                                           Priors priors, const std::vector<Index>& coordinates) {
    const auto is_hyper = [&](Index c) { return c >= whole.first_hyper(); };
    if (std::any_of(coordinates.begin(), coordinates.end(), is_hyper)) return nullptr;
    RatedRows rows(whole, likelihood.ratings(), coordinates);
    if (2 * std::ssize(rows.about()) > likelihood.ratings().size()) return nullptr;
    return std::make_shared<Block>(whole, likelihood, priors, std::move(rows), coordinates);
  }

  Block(const Layout& whole, const Likelihood& likelihood, Priors priors, RatedRows rows,
        const std::vector<Index>& coordinates)
      : whole_(whole),
        likelihood_(likelihood),
        priors_(priors),
        rows_(std::move(rows)),
        rated_(ratings_of(rows_, likelihood)),
        layout_(rows_.layout()),
        places_(rows_.coordinates()) {
    std::vector<Index> place(static_cast<std::size_t>(whole.dimension()), -1);
    for (std::size_t i = 0; i < places_.size(); ++i)
      place[static_cast<std::size_t>(places_[i])] = static_cast<Index>(i);
    for (const Index c : coordinates) own_.push_back(place[static_cast<std::size_t>(c)]);
  }

  Index cache_rows() const noexcept override { return layout_.dimension() + 1; }

  /// 2 K operations for each of the other ratings, and the prior of the other rows.
  void prepare(ConstBatch theta, Batch caches, Workspace& scratch) const override {
    for (Index r = 0; r < theta.cols(); ++r) {
      const double* const x = theta.col(r).data();
      auto cache = caches.col(r);
      for (std::size_t i = 0; i < places_.size(); ++i) cache[static_cast<Index>(i)] = x[places_[i]];
      for (const Index i : own_) cache[i] = 0.0;
      double u = 0.0;
      for (const Index n : rows_.others()) u += likelihood_.term(x, n);
      for (const Side side : both_sides) u += prior_of_others(x, side, scratch);
      cache[layout_.dimension()] = u;
    }
  }

  /// 6 K operations for each rating that the block is about, a third of them for only U, and the
  /// prior of the rows that it moves.
  void evaluate(const BlockCaches& caches, ConstBatch x, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    for (Index r = 0; r < x.cols(); ++r) {
      const Workspace::Frame frame(out.scratch);
      MatrixMap at = out.scratch.matrix(layout_.dimension(), 1);
      at = ConstMatrixMap(caches.column(r), layout_.dimension(), 1);
      for (std::size_t i = 0; i < own_.size(); ++i) at(own_[i], 0) = x(static_cast<Index>(i), r);
      const double rest = caches.column(r)[layout_.dimension()];
      if (!out.wants_gradient()) {
        out.u()(r) = rest + potential(at.data(), out.scratch);
        continue;
      }
      MatrixMap g = out.scratch.matrix(layout_.dimension(), 1);
      g.setZero();
      const double u = rest + add(at.data(), g.data(), out.scratch);
      if (out.wants_potential()) out.u()(r) = u;
      for (std::size_t i = 0; i < own_.size(); ++i)
        gradient(static_cast<Index>(i), r) = g(own_[i], 0);
    }
  }

 private:
  static Likelihood ratings_of(RatedRows& rows, const Likelihood& all) {
    Ratings own = rows.ratings(all.ratings());
    return {rows.layout(), std::move(own), all.offset(), all.precision()};
  }

  /// Of the rows of a side that the block leaves alone: -log p(X, h) of all rows is that of these,
  /// and that of the others without -log p(h), which both have.
  double prior_of_others(const double* x, Side side, Workspace& scratch) const {
    const ConstMatrixMap factors(x + whole_.factors(side), whole_.rank, whole_.count(side));
    const double u =
        prior_of_others(priors_.factors, factors, x + whole_.factor_hyper(side), side, scratch);
    if (!whole_.biases) return u;
    return u + prior_of_others(priors_.bias, {x + whole_.bias(side), 1, whole_.count(side)},
                               x + whole_.bias_hyper(side), side, scratch);
  }

  double prior_of_others(const hyper_prior::RowPrior& prior, const ConstMatrixMap& all,
                         const double* h, Side side, Workspace& scratch) const {
    const Index moved = rows_.moved(side);
    if (moved == 0) return prior.potential(all, h, scratch);
    const Workspace::Frame frame(scratch);
    MatrixMap others = scratch.matrix(all.rows(), all.cols() - moved);
    Index next = 0;
    for (Index i = 0; i < all.cols(); ++i) {
      if (!rows_.moves(side, i)) others.col(next++) = all.col(i);
    }
    const ConstMatrixMap none(all.data(), all.rows(), 0);
    return prior.potential(others, h, scratch) - prior.potential(none, h, scratch);
  }

  double potential(const double* at, Workspace& scratch) const {
    double u = 0.0;
    for (Index n = 0; n < rated_.ratings().size(); ++n) u += rated_.term(at, n);
    for (const Side side : both_sides) {
      const Index moved = rows_.moved(side);
      if (moved == 0) continue;
      u +=
          priors_.factors.potential(ConstMatrixMap(at + layout_.factors(side), layout_.rank, moved),
                                    at + layout_.factor_hyper(side), scratch);
      if (!layout_.biases) continue;
      u += priors_.bias.potential(ConstMatrixMap(at + layout_.bias(side), 1, moved),
                                  at + layout_.bias_hyper(side), scratch);
    }
    return u;
  }

  double add(const double* at, double* g, Workspace& scratch) const {
    double u = 0.0;
    for (Index n = 0; n < rated_.ratings().size(); ++n) u += rated_.add_term(at, n, g);
    for (const Side side : both_sides) {
      const Index moved = rows_.moved(side);
      if (moved == 0) continue;
      const Index factors = layout_.factors(side);
      const Index hyper = layout_.factor_hyper(side);
      priors_.factors.add(ConstMatrixMap(at + factors, layout_.rank, moved), at + hyper, u,
                          MatrixMap(g + factors, layout_.rank, moved), g + hyper, scratch);
      if (!layout_.biases) continue;
      const Index bias = layout_.bias(side);
      const Index of_bias = layout_.bias_hyper(side);
      priors_.bias.add(ConstMatrixMap(at + bias, 1, moved), at + of_bias, u,
                       MatrixMap(g + bias, 1, moved), g + of_bias, scratch);
    }
    return u;
  }

  const Layout& whole_;
  const Likelihood& likelihood_;
  Priors priors_;
  RatedRows rows_;
  Likelihood rated_;
  Layout layout_;              ///< of the rated rows
  std::vector<Index> places_;  ///< in the whole, of its coordinates
  std::vector<Index> own_;     ///< among its coordinates, what the block holds
};

}  // namespace mixwell::factorisation
