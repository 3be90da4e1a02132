// The negative log likelihood of a binary regression and its gradient, for a batch of points.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_numbers.hpp"
#include "panels.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace mixwell::regression {

/// sum_n -w_n log F(z_n), z = S theta + s o, where row n of S is x_n times +1 (positive label) or
/// -1. F is the distribution function of a symmetric distribution, F(-z) = 1 - F(z): P(positive |
/// x) = F(x theta + o). Offsets o are 0 and weights w are 1 if there are none; weights need
/// Link::log_probability.
///
/// `Link` defines F by static members:
///   Sum                      adds up values: total()
///   to_weights<wants>(z, count, sum)
///                            z[n] -> (log F)'(z[n]) for n < count, a multiple of 12, at most 144;
///                            if wanted, adds -log F(z[n]) to the sum. Both are 0 at +inf
///   probability(z)           F(z), to draw labels
///   log_probability(z)       log F(z), to record it for each case
///   slope(z)                 information of a case, lambda = F'^2 / (F (1 - F))
///   bend(z)                  derivative of lambda
/// Another function of z may replace log F, even an even one; slope and bend are then meaningless.
///
/// S is stored once, as panels of rows; x is also in memory, but only during construction. Rows go
/// through both products, z = S theta and g -= S' (log F)'(z), in bands that stay in the cache in
/// between. Large data are cut into shards of rows that run in parallel. Bands and shards depend
/// only on N and d. So the result of a column depends only on that column, not on the other
/// columns, their number, or the number of threads.
template <class Link>
class Likelihood {
 public:
  using ColumnMap = Eigen::Map<Eigen::VectorXd>;
  using Sum = typename Link::Sum;

  Likelihood(const Eigen::MatrixXd& x, const std::vector<bool>& positive,
             const CaseNumbers& numbers = {})
      : cases_(x.rows()),
        dimension_(x.cols()),
        shift_(padded(numbers.offset)),
        weights_(padded(numbers.weights)) {
    cells_.resize(static_cast<std::size_t>(panels().count * dimension_));
    for (Index n = 0; n < cases_; ++n) {
      const double sign = positive[static_cast<std::size_t>(n)] ? 1.0 : -1.0;
      Cells* panel = cells_.data() + n / Cells::rows * dimension_;
      for (Index i = 0; i < dimension_; ++i) panel[i].row[n % Cells::rows] = sign * x(n, i);
      if (has_shift()) shift_[n] *= sign;
    }
  }

  Index cases() const noexcept { return cases_; }
  bool has_weights() const noexcept { return weights_.size() > 0; }
  double weight(Index n) const { return has_weights() ? weights_[n] : 1.0; }

  /// Writes z (N numbers) at one theta (d numbers): N d multiplications and additions.
  void margins(const double* theta, ColumnMap z) const {
    z.setZero();
    if (has_shift()) z = shift_.head(cases_);
    for (Index n = 0; n < cases_; ++n) {
      const Cells* panel = cells_.data() + n / Cells::rows * dimension_;
      for (Index i = 0; i < dimension_; ++i) z[n] += panel[i].row[n % Cells::rows] * theta[i];
    }
  }

  /// N plus the rows that only fill the last panel.
  Index padded_cases() const noexcept { return panels().rows(); }
  /// out (padded_cases x w) = S theta, without offsets: N d multiplications and additions for each
  /// column.
  void margins(ConstBatch theta, Batch out) const {
    parallel_for(shards(), [&](Index s) {
      const Part shard(panels().count, shards(), s);
      multiply(panels().part(shard.first, shard.size), {theta.data(), theta.outerStride()},
               theta.cols(), {out.data() + shard.first * Cells::rows, out.rows()});
    });
  }

  /// The same cases with only some columns, in ascending order: z = S_columns theta + s o. N b
  /// numbers.
  Likelihood of_columns(const std::vector<Index>& columns) const { return {*this, columns}; }

  /// The same cases, with the label of case n exchanged if flip[n]. O(N d).
  Likelihood relabelled(const std::vector<bool>& flip) const {
    Likelihood other = *this;
    for (Index n = 0; n < cases_; ++n) {
      if (!flip[static_cast<std::size_t>(n)]) continue;
      Cells* panel = other.cells_.data() + n / Cells::rows * dimension_;
      for (Index i = 0; i < dimension_; ++i) panel[i].row[n % Cells::rows] *= -1.0;
      if (has_shift()) other.shift_[n] *= -1.0;
    }
    return other;
  }

  /// Adds value and gradient, if wanted, to `out`. Takes 4 N d R multiplications and additions,
  /// half as many for the value only, and N R weights. Scratch: about (d + 12 + rows of a band) R
  /// numbers for each shard.
  void add_to(ConstBatch theta, const Evaluation& out) const { add_to(theta, Wanted(out), out); }
  /// Like add_to with z = S theta + s o + shift. The shift of column j is shifts.column(j):
  /// padded_cases numbers.
  void add_shifted(ConstBatch theta, const ConditionalCaches& shifts, const Evaluation& out) const {
    Wanted wanted(out);
    wanted.shifts = &shifts;
    add_to(theta, wanted, out);
  }

  /// `out` = value (if wanted) and gradient of the cases in column j of `indices` (b x w, repeats
  /// count) at columns k j to k j + k - 1 of theta (d x k w). Takes 4 b d k w multiplications and
  /// additions and b k w weights. Gathers the rows band by band into panels in scratch; the numbers
  /// of a row are read 96 bytes apart.
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const {
    Batch gradient = out.gradient;
    const Index k = indices.cols() == 0 ? 0 : theta.cols() / indices.cols();
    for (Index j = 0; j < indices.cols(); ++j) {
      const Workspace::Frame frame(out.scratch);
      Sums sums(*this, out.scratch.matrix(Sums::size(*this, k), 1).data(), k);
      clear(sums, k);
      for_gathered(indices.col(j), out.scratch,
                   [&](Index, const Panels& band, Index rows, const BandNumbers& numbers) {
                     run_band(band, rows, nullptr, numbers, theta.middleCols(k * j, k), Wanted(out),
                              sums);
                   });
      if (out.wants_gradient()) gradient.middleCols(k * j, k) = sums.gradient;
      if (!out.wants_potential()) continue;
      for (Index i = 0; i < k; ++i) out.u()(k * j + i) = sums.total(i);
    }
  }

  /// Column k of `out` (d x b) = the gradient of case indices(k) at theta (d x 1).
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace& scratch) const {
    for_gathered(indices.col(0), scratch,
                 [&](Index first, const Panels& band, Index rows, const BandNumbers& numbers) {
                   ColumnMap weights(scratch.row(band.rows()).data(), band.rows());
                   multiply(band, {theta.data(), dimension_}, 1, {weights.data(), band.rows()});
                   numbers.add_shift(weights.data(), rows);
                   Sum unused;
                   Link::template to_weights<false>(weights.data(), band.rows(), unused);
                   numbers.multiply_weights(weights.data(), rows);
                   for (Index k = 0; k < rows; ++k) {
                     const Cells* panel = band.panel(k / Cells::rows);
                     for (Index i = 0; i < dimension_; ++i)
                       out(i, first + k) = -weights[k] * panel[i].row[k % Cells::rows];
                   }
                 });
  }

  /// Adds the expected information sum_n w_n lambda(z_n) x_n x_n' at theta (d numbers) to G, d x d,
  /// with lambda = Link::slope. Takes N d (d + 3) multiplications and additions. Labels do not
  /// matter, because lambda is even.
  void add_information(const double* theta, MatrixMap G, Workspace& scratch) const {
    for_bands(theta, scratch, [&](Index first, MatrixMap rows, ColumnMap z) {
      for (Index n = 0; n < z.size(); ++n)
        z[n] = std::sqrt(Link::slope(z[n]) * padded_weight(first + n));
      rows.array().colwise() *= z.array();
      G.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
    });
    G.triangularView<Eigen::StrictlyUpper>() = G.transpose();
  }

  /// out_i += sum_n w_n lambda'(z_n) (x_n' W x_n) x_ni for W d x d, with lambda' = Link::bend.
  /// Takes N d (2 d + 6) multiplications and additions. Labels do not matter, because lambda' and
  /// the term in x_n are both odd.
  void add_information_derivative(const double* theta, ConstMatrixMap W, ColumnMap out,
                                  Workspace& scratch) const {
    for_bands(theta, scratch, [&](Index first, MatrixMap rows, ColumnMap z) {
      MatrixMap product = scratch.matrix(rows.rows(), rows.cols());
      product.noalias() = rows * W;
      for (Index n = 0; n < z.size(); ++n) z[n] = Link::bend(z[n]) * padded_weight(first + n);
      z.array() *= product.cwiseProduct(rows).rowwise().sum().array();
      out.noalias() += rows.transpose() * z;
    });
  }

  /// The number of parts of the rows that are computed in parallel; 1 if the data are too small to
  /// gain.
  Index shards() const noexcept {
    if (cases_ * dimension_ < smallest_sharded) return 1;
    return std::clamp<Index>(panels().count / fewest_panels, 1, most_shards);
  }

 private:
  /// Offsets times signs, and weights, of neighbouring rows; null if there are none.
  struct BandNumbers {
    const double* shift = nullptr;
    const double* weights = nullptr;

    void add_shift(double* z, Index rows) const {
      if (shift == nullptr) return;
      for (Index n = 0; n < rows; ++n) z[n] += shift[n];
    }
    void multiply_weights(double* slopes, Index rows) const {
      if (weights == nullptr) return;
      for (Index n = 0; n < rows; ++n) slopes[n] *= weights[n];
    }
  };

  bool has_shift() const noexcept { return shift_.size() > 0; }
  double padded_weight(Index row) const { return has_weights() ? weights_[row] : 1.0; }
  /// The numbers, followed by zeros for the rows that only fill the last panel.
  Eigen::VectorXd padded(const Eigen::VectorXd& numbers) const {
    if (numbers.size() == 0) return {};
    assert(numbers.size() == cases_);
    Eigen::VectorXd all =
        Eigen::VectorXd::Zero((cases_ + Cells::rows - 1) / Cells::rows * Cells::rows);
    all.head(cases_) = numbers;
    return all;
  }
  BandNumbers numbers_from(Index row) const {
    return {has_shift() ? shift_.data() + row : nullptr,
            has_weights() ? weights_.data() + row : nullptr};
  }

  /// Calls body(first row, rows of S, z of these rows) band by band. `body` may change rows and z.
  /// Rows that only fill the last panel are 0.
  template <class Body>
  void for_bands(const double* theta, Workspace& scratch, const Body& body) const {
    for_parts(panels().count, band_panels(), [&](Index first, Index count) {
      const Workspace::Frame frame(scratch);
      const Panels band = panels().part(first, count);
      ColumnMap z(scratch.row(band.rows()).data(), band.rows());
      multiply(band, {theta, dimension_}, 1, {z.data(), band.rows()});
      numbers_from(first * Cells::rows).add_shift(z.data(), band.rows());
      MatrixMap rows = scratch.matrix(band.rows(), dimension_);
      for (Index p = 0; p < count; ++p) {
        for (Index i = 0; i < dimension_; ++i) {
          std::copy_n(band.panel(p)[i].row, Cells::rows, rows.col(i).data() + p * Cells::rows);
        }
      }
      body(first * Cells::rows, rows, z);
    });
  }

  /// Calls body(first, band, rows, numbers) for the cases of `indices`, band by band. `band`, in
  /// scratch, contains the rows of S of the cases first, ..., first + rows - 1 of the list, then
  /// rows of 0.
  template <class Body>
  void for_gathered(const Eigen::Ref<const Eigen::VectorXd>& indices, Workspace& scratch,
                    const Body& body) const {
    const Index all = indices.size();
    for_parts((all + Cells::rows - 1) / Cells::rows, band_panels(), [&](Index from, Index count) {
      const Workspace::Frame frame(scratch);
      const Index first = from * Cells::rows;
      const Index rows = std::min(count * Cells::rows, all - first);
      Cells* cells = scratch.objects<Cells>(count * dimension_);
      for (Index k = 0; k < rows; ++k) gather(indices[first + k], k, cells);
      const auto gathered = [&](const Eigen::VectorXd& all_cases) -> const double* {
        if (all_cases.size() == 0) return nullptr;
        double* const to = scratch.row(rows).data();
        for (Index k = 0; k < rows; ++k) to[k] = all_cases[static_cast<Index>(indices[first + k])];
        return to;
      };
      const BandNumbers numbers{gathered(shift_), gathered(weights_)};
      body(first, Panels{cells, count, dimension_}, rows, numbers);
    });
  }

  /// Copies the row of S of case `index` to row k of the panels that begin at `to`.
  void gather(double index, Index k, Cells* to) const {
    const auto n = static_cast<Index>(index);
    assert(n >= 0 && n < cases_);
    const Cells* from = panels().panel(n / Cells::rows);
    to += k / Cells::rows * dimension_;
    for (Index i = 0; i < dimension_; ++i)
      to[i].row[k % Cells::rows] = from[i].row[n % Cells::rows];
  }

  static constexpr Index smallest_sharded = Index{1} << 20;
  static constexpr Index most_shards = 16;
  static constexpr Index fewest_panels =
      12;  ///< of a shard; with fewer, adding the sums of all shards would cost too much
  static constexpr Index band_cells = 4704;  ///< 441 KiB, well within a second-level cache

  struct Wanted {
    explicit Wanted(const Evaluation& out)
        : value(out.wants_potential()), gradient(out.wants_gradient()) {}
    bool value;
    bool gradient;
    const ConditionalCaches* shifts = nullptr;  ///< of z, or null
  };

  /// The results of a shard, and the weights of one band, in `size` doubles of scratch.
  struct Sums {
    Sums(const Likelihood& of, double* memory, Index width)
        : value(reinterpret_cast<Sum*>(memory)),
          weights{memory + doubles * width, of.band_rows()},
          gradient(memory + (doubles + of.band_rows()) * width, of.dimension_, width),
          weighted(memory + (doubles + of.band_rows() + of.dimension_) * width) {}
    static Index size(const Likelihood& of, Index width) {
      constexpr Index line = 8;  // shards share no cache line
      return ((doubles + of.band_rows() + of.dimension_ + 1) * width + line - 1) / line * line;
    }
    double total(Index j) const { return value[j].total() + weighted[j]; }
    static constexpr Index doubles = sizeof(Sum) / sizeof(double);
    Sum* value;  ///< for each column
    Columns<double> weights;
    MatrixMap gradient;
    double* weighted;  ///< sum over cases with weights, for each column
  };

  Panels panels() const noexcept {
    return {cells_.data(), (cases_ + Cells::rows - 1) / Cells::rows, dimension_};
  }
  Index band_panels() const noexcept { return std::clamp<Index>(band_cells / dimension_, 3, 12); }
  Index band_rows() const noexcept { return band_panels() * Cells::rows; }

  Likelihood(const Likelihood& of, const std::vector<Index>& columns)
      : cases_(of.cases_),
        dimension_(std::ssize(columns)),
        shift_(of.shift_),
        weights_(of.weights_) {
    for (Index p = 0; p < of.panels().count; ++p) {
      for (const Index i : columns) cells_.push_back(of.panels().panel(p)[i]);
    }
  }

  void add_to(ConstBatch theta, const Wanted& wanted, const Evaluation& out) const {
    const Workspace::Frame frame(out.scratch);
    MatrixMap memory = out.scratch.matrix(Sums::size(*this, theta.cols()), shards());
    const auto sums = [&](Index s) { return Sums(*this, memory.col(s).data(), theta.cols()); };
    parallel_for(shards(), [&](Index s) {
      const Part shard(panels().count, shards(), s);
      run_shard(shard, theta, wanted, sums(s));
    });
    Batch gradient = out.gradient;
    for (Index s = 0; s < shards(); ++s) {
      if (out.wants_gradient()) gradient += sums(s).gradient;
      if (!out.wants_potential()) continue;
      for (Index j = 0; j < theta.cols(); ++j) out.u()(j) += sums(s).total(j);
    }
  }

  void run_shard(const Part& shard, ConstBatch theta, const Wanted& wanted, Sums sums) const {
    clear(sums, theta.cols());
    for_parts(shard.size, band_panels(), [&](Index first, Index count) {
      const Index end = shard.first + first + count;
      const Panels band = panels().part(end - count, count);
      const bool has_next = end + count <= panels().count;  // false at the end of a shard
      const Index row = (end - count) * Cells::rows;
      run_band(band, cases_ - row, has_next ? band.panel(count) : nullptr, numbers_from(row), theta,
               wanted, sums);
    });
  }

  static void clear(Sums& sums, Index width) {
    sums.gradient.setZero();
    std::uninitialized_value_construct_n(sums.value, width);
    std::fill_n(sums.weighted, width, 0.0);
  }

  /// z += shift; `from` is the band's first row.
  static void add_shift(const double* shift, Index from, Index count, double* z) {
    for (Index n = 0; n < count; ++n) z[n] += shift[from + n];
  }

  /// `rows`: the number of cases among the rows of the band and all later rows. `next`: the
  /// following band, which is prefetched, or null.
  void run_band(const Panels& band, Index rows, const Cells* next, const BandNumbers& numbers,
                ConstBatch theta, const Wanted& wanted, Sums& sums) const {
    const Index width = theta.cols();
    multiply(band, {theta.data(), theta.outerStride()}, width, sums.weights);
    for (Index j = 0; j < width; ++j) {
      double* z = sums.weights.column(j);
      numbers.add_shift(z, std::min(rows, band.rows()));
      if (wanted.shifts != nullptr) {
        add_shift(wanted.shifts->column(j), cases_ - rows, band.rows(), z);
      }
      hide_padding(rows, band.rows(), z);
      if (numbers.weights != nullptr) {
        if (wanted.value) sums.weighted[j] += weighted_value(z, numbers.weights, rows, band.rows());
        Link::template to_weights<false>(z, band.rows(), sums.value[j]);
        numbers.multiply_weights(z, std::min(rows, band.rows()));
      } else if (wanted.value) {
        Link::template to_weights<true>(z, band.rows(), sums.value[j]);
      } else {
        Link::template to_weights<false>(z, band.rows(), sums.value[j]);
      }
    }
    if (!wanted.gradient) return;
    subtract_transposed(band, next, {sums.weights.data, sums.weights.stride}, width,
                        {sums.gradient.data(), dimension_});
  }

  /// -sum_n w_n log F(z_n) over the rows that are cases.
  static double weighted_value(const double* z, const double* weights, Index rows, Index padded) {
    double sum = 0.0;
    if constexpr (requires { Link::log_probability(0.0); })
      for (Index n = 0; n < std::min(rows, padded); ++n)
        sum -= weights[n] * Link::log_probability(z[n]);
    return sum;
  }

  /// Sets z of the rows that only fill the last panel, so their weight and value are 0.
  static void hide_padding(Index rows, Index padded, double* z) {
    for (Index n = rows; n < padded; ++n) z[n] = std::numeric_limits<double>::infinity();
  }

  Index cases_;
  Index dimension_;
  std::vector<Cells> cells_;
  Eigen::VectorXd shift_;    ///< s o, padded like the panels, or empty
  Eigen::VectorXd weights_;  ///< the same
};

}  // namespace mixwell::regression
