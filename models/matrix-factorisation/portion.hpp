// The part of a factorisation that one process holds: factors of some users and items.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "layout.hpp"
#include "priors.hpp"
#include "row_prior.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::factorisation {

/// The share of one process: blocks of users with their ratings, and as many blocks of items. The
/// coordinates are the factors of these users, block by block, then of these items. There are no
/// biases and no hyper-parameters.
///
/// The ratings of a stratum s are in cells (u, u + s mod B) that share no user and no item. The
/// factors of item block u + s move s places around the ring to the process that has users u, and
/// the gradient of these factors moves back. For each stratum with a wanted rating, an evaluation
/// at one position takes 6 K operations for each rating of the process's users. It also transfers 8
/// K bytes in each direction for each item of the process's blocks. U adds one number for each
/// block.
class Portion final : public Model, public SumOfTerms, public PortionOfModel {
 public:
  Portion(std::shared_ptr<const Model> of, std::shared_ptr<Portions> among, const Layout& layout,
          Deal deal, std::shared_ptr<const hyper_prior::RowPrior> prior, Cells cells)
      : PortionOfModel{std::move(of), std::move(among), deal.blocks},
        layout_(layout),
        deal_(deal),
        first_(processes->first_block(processes->rank(), blocks)),
        end_(processes->first_block(processes->rank() + 1, blocks)),
        prior_(std::move(prior)),
        cells_(std::move(cells)) {
    for (const Side side : both_sides) {
      for (const Index i : deal_.rows(first_, end_, layout_.count(side)))
        for (Index k = 0; k < layout_.rank; ++k)
          coordinates.push_back(layout_.factors(side) + i * layout_.rank + k);
    }
    for (Index b = first_; b < end_; ++b)
      rows.push_back({rows_of(Side::users, b), rows_of(Side::items, b)});
  }

  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> own = whole->parameters();
    for (std::size_t k = 0; k < own.size(); ++k)
      own[k].shape.front() = std::ssize(deal_.rows(first_, end_, layout_.count(both_sides[k])));
    return own;
  }
  std::vector<std::string> remarks() const override { return whole->remarks(); }
  GradientGrowth gradient_growth() const noexcept override { return whole->gradient_growth(); }
  bool evaluates_potential_alone() const noexcept override { return true; }

  Index terms() const noexcept override { return cells_.ratings(); }
  Index stratum(Index n, Index strata) const override {
    if (strata == blocks) return cells_.stratum(n);
    throw InputError("model `" + name() + "` has blocks = " + std::to_string(blocks) +
                     ", so the number of strata must be the same, not " + std::to_string(strata) +
                     ". Set the oracle's strata = " + std::to_string(blocks) +
                     ", or the model's blocks = " + std::to_string(strata) + ".");
  }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override {
    sum(theta, out,
        [&](const double* x, double* g, OfBlocks u, Index) { add_prior(x, g, u, out.scratch); });
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    sum(theta, out, [&](const double* x, double* g, OfBlocks u, Index r) {
      const Chosen chosen(cells_, blocks, indices.col(r), out.scratch);
      add_terms(chosen, x, g, u, out.scratch);
    });
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    sum(theta, out, [&](const double* x, double* g, OfBlocks u, Index) {
      add_prior(x, g, u, out.scratch);
      add_terms(Chosen(cells_), x, g, u, out.scratch);
    });
  }
  /// Takes this process's part of the initial position of the whole.
  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    Eigen::MatrixXd all(whole->dimension(), theta.cols());
    whole->initial(stream, at, all);
    for (Index i = 0; i < theta.rows(); ++i)
      theta.row(i) = all.row(coordinates[static_cast<std::size_t>(i)]);
  }

  /// The RowRange of one of the own blocks.
  RowRange rows_of(Side side, Index block) const {
    const auto before = [&](Side of, Index end) {
      return layout_.rank * std::ssize(deal_.rows(first_, end, layout_.count(of)));
    };
    const Index begin = side == Side::users ? 0 : before(Side::users, end_);
    return {begin + before(side, block), layout_.rank * deal_.size(block, layout_.count(side))};
  }
  const RowRange& own(Side side, Index block) const {
    return rows[static_cast<std::size_t>(block - first_)][side == Side::users ? 0 : 1];
  }

  /// One number for each block.
  using OfBlocks = Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>>;

  /// add(x, g, u, r) adds this process's part to g, unless g is null, and to u, one number for each
  /// block.
  template <class Add>
  void sum(ConstBatch theta, const Evaluation& out, const Add& add) const {
    const Workspace::Frame frame(out.scratch);
    Batch gradient = out.gradient;
    if (out.wants_gradient()) gradient.setZero();
    MatrixMap u = out.scratch.matrix(theta.cols(), blocks);
    u.setZero();
    for (Index r = 0; r < theta.cols(); ++r) {
      const Workspace::Frame of_one(out.scratch);
      add(theta.col(r).data(), out.wants_gradient() ? gradient.col(r).data() : nullptr, u.row(r),
          r);
    }
    if (!out.wants_potential()) return;
    processes->share(u);
    out.u().setZero();
    for (Index b = 0; b < blocks; ++b) out.u() += u.col(b).transpose();
  }

  void add_prior(const double* x, double* g, OfBlocks u, Workspace& scratch) const {
    for (Index b = first_; b < end_; ++b) {
      for (const RowRange& stretch : rows[static_cast<std::size_t>(b - first_)]) {
        const Index count = stretch.count / layout_.rank;
        PriorPart{*prior_, stretch.first, layout_.rank, count, 0}.add(x, u[b], g, scratch);
      }
    }
  }

  void add_terms(const Chosen& chosen, const double* x, double* g, OfBlocks u,
                 Workspace& scratch) const {
    for (Index s = 0; s < blocks; ++s)
      if (chosen.has_stratum(s)) add_stratum(s, chosen, x, g, u, scratch);
  }

  Index items_of(Index users, Index s) const noexcept { return (users + s) % blocks; }
  bool has(Index block) const noexcept { return first_ <= block && block < end_; }
  int owner(Index block) const noexcept { return processes->owner(block, blocks); }
  Index size_of_items(Index block) const noexcept {
    return layout_.rank * deal_.size(block, layout_.items);
  }

  void add_stratum(Index s, const Chosen& chosen, const double* x, double* g, OfBlocks u,
                   Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    double** const factors = visiting(s, scratch);
    fetch(s, x, factors, scratch);
    double** const gradients = g == nullptr ? nullptr : visiting(s, scratch);
    for (Index b = first_; b < end_; ++b)
      u[b] += add_cell(b, items_of(b, s), chosen, x, factors[b - first_], g,
                       g == nullptr ? nullptr : gradients[b - first_], scratch);
    if (g != nullptr) send_back(s, gradients, g, scratch);
  }

  /// Memory for the items that visit each block of users; at s = 0 these are the process's items.
  double** visiting(Index s, Workspace& scratch) const {
    double** const all = scratch.objects<double*>(end_ - first_);
    for (Index b = first_; b < end_; ++b)
      all[b - first_] = scratch.matrix(size_of_items(items_of(b, s)), 1).data();
    return all;
  }

  /// Sends blocks of items to the processes of the users that they visit, or home. from(users,
  /// items) gives the data on one side and to(users, items) on the other, in the order of users.
  template <class From, class To>
  void move(Index s, bool home, const From& from, const To& to, Workspace& scratch) const {
    auto* const sent = scratch.objects<Portions::Sent>(end_ - first_);
    auto* const received = scratch.objects<Portions::Received>(end_ - first_);
    std::size_t out = 0;
    std::size_t in = 0;
    for (Index users = 0; users < blocks; ++users) {
      const Index items = items_of(users, s);
      const auto [source, target] = home ? std::pair(users, items) : std::pair(items, users);
      if (has(source)) sent[out++] = {owner(target), from(users, items), size_of_items(items)};
      if (has(target)) received[in++] = {owner(source), to(users, items), size_of_items(items)};
    }
    processes->exchange({sent, out}, {received, in});
  }

  void fetch(Index s, const double* x, double** factors, Workspace& scratch) const {
    move(
        s, false, [&](Index, Index items) { return x + own(Side::items, items).first; },
        [&](Index users, Index) { return factors[users - first_]; }, scratch);
  }

  void send_back(Index s, double** gradients, double* g, Workspace& scratch) const {
    double** const came = visiting(0, scratch);
    move(
        s, true, [&](Index users, Index) { return gradients[users - first_]; },
        [&](Index, Index items) { return came[items - first_]; }, scratch);
    for (Index b = first_; b < end_; ++b)
      Eigen::Map<Eigen::VectorXd>(g + own(Side::items, b).first, size_of_items(b)) +=
          Eigen::Map<const Eigen::VectorXd>(came[b - first_], size_of_items(b));
  }

  /// The ratings of one cell: U, and the gradients of its users and items if wanted.
  double add_cell(Index users, Index items, const Chosen& chosen, const double* x,
                  const double* item_factors, double* g, double* item_gradient,
                  Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const RowRange& mine = own(Side::users, users);
    const Index visiting = size_of_items(items);
    MatrixMap at = scratch.matrix(mine.count + visiting, 1);
    std::copy_n(x + mine.first, mine.count, at.data());
    std::copy_n(item_factors, visiting, at.data() + mine.count);
    MatrixMap slope = scratch.matrix(at.rows(), g == nullptr ? 0 : 1);
    slope.setZero();
    const Index cell = cells_.cell(users, items);
    const double u =
        by_column::sum(cells_[cell], at.data(), g == nullptr ? nullptr : slope.data(),
                       chosen.count(cell), [&](Index k) { return chosen.place(cell, k); });
    if (g == nullptr) return u;
    Eigen::Map<Eigen::VectorXd>(g + mine.first, mine.count) += slope.col(0).head(mine.count);
    std::copy_n(slope.data() + mine.count, visiting, item_gradient);
    return u;
  }

  Layout layout_;
  Deal deal_;
  Index first_;
  Index end_;
  std::shared_ptr<const hyper_prior::RowPrior> prior_;
  Cells cells_;
};

}  // namespace mixwell::factorisation
