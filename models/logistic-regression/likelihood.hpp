// The negative log likelihood of a logistic regression and its gradient, for many columns at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "panels.hpp"
#include "weights.hpp"

#include <mixwell/model.hpp>
#include <mixwell/parallel.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace mixwell::logistic {

/// sum_n softplus(-z_n), z = S theta, where row n of S is x_n times +1 (positive label) or -1.
///
/// S is kept once, as panels of rows; while it is made there is x besides. Rows go through both
/// products, z = S theta and g -= S' / (1 + exp(z)), in blocks that stay in the cache in between.
/// Large data are cut into shards of rows, which run in parallel; blocks and shards depend on N and
/// d alone. So the result of a column depends on that column alone: not on the other columns, on
/// their number, or on the number of threads.
class Likelihood {
 public:
  using ColumnMap = Eigen::Map<Eigen::VectorXd>;

  Likelihood(const Eigen::MatrixXd& x, const std::vector<bool>& positive)
      : cases_(x.rows()), dimension_(x.cols()) {
    cells_.resize(static_cast<std::size_t>(panels().count * dimension_));
    for (Index n = 0; n < cases_; ++n) {
      const double sign = positive[static_cast<std::size_t>(n)] ? 1.0 : -1.0;
      Cells* panel = cells_.data() + n / Cells::rows * dimension_;
      for (Index i = 0; i < dimension_; ++i) panel[i].row[n % Cells::rows] = sign * x(n, i);
    }
  }

  /// Adds value (if wanted) and gradient to `out`: 4 N d R multiplications and additions, N R
  /// exponentials and divisions, and for the value two logarithms for each 2000 cases and column.
  /// Scratch: for each shard about (d + 12 + rows of a block) R numbers.
  void add_to(const ConstBatch& theta, const Evaluation& out) const {
    const Workspace::Frame frame(out.scratch);
    MatrixMap memory = out.scratch.matrix(Sums::size(*this, theta.cols()), shards());
    const auto sums = [&](Index s) { return Sums(*this, memory.col(s).data(), theta.cols()); };
    parallel_for(shards(), [&](Index s) {
      const Part shard(panels().count, shards(), s);
      run_shard(shard, theta, out.wants_potential(), sums(s));
    });
    Batch gradient = out.gradient;
    for (Index s = 0; s < shards(); ++s) {
      gradient += sums(s).gradient;
      if (!out.wants_potential()) continue;
      for (Index j = 0; j < theta.cols(); ++j) out.u()(j) += sums(s).value[j].total();
    }
  }

  /// Adds the expected information sum_n lambda(z_n) x_n x_n' at theta (d numbers) to G, d x d,
  /// with lambda(z) = 1 / (1 + e^z) / (1 + e^-z): N d (d + 3) multiplications and additions, N
  /// exponentials.
  void add_information(const double* theta, MatrixMap G, Workspace& scratch) const {
    for_blocks(theta, scratch, [&](MatrixMap rows, ColumnMap z) {
      for (Index n = 0; n < z.size(); ++n) z[n] = std::sqrt(Logistic(z[n]).slope());
      rows.array().colwise() *= z.array();
      G.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
    });
    G.triangularView<Eigen::StrictlyUpper>() = G.transpose();
  }

  /// out_i += sum_n lambda'(z_n) (x_n' W x_n) x_ni for W d x d: N d (2 d + 6) multiplications and
  /// additions, N exponentials. Labels do not matter: lambda' is odd, and so is the term in x_n.
  void add_information_derivative(const double* theta, ConstMatrixMap W, ColumnMap out,
                                  Workspace& scratch) const {
    for_blocks(theta, scratch, [&](MatrixMap rows, ColumnMap z) {
      MatrixMap product = scratch.matrix(rows.rows(), rows.cols());
      product.noalias() = rows * W;
      for (Index n = 0; n < z.size(); ++n) z[n] = Logistic(z[n]).bend();
      z.array() *= product.cwiseProduct(rows).rowwise().sum().array();
      out.noalias() += rows.transpose() * z;
    });
  }

  /// How many parts of the rows are computed in parallel: 1 for data too small to gain by it.
  Index shards() const noexcept {
    if (cases_ * dimension_ < smallest_sharded) return 1;
    return std::clamp<Index>(panels().count / fewest_panels, 1, most_shards);
  }

 private:
  /// Derivatives of 1 / (1 + e^-z), without overflow.
  struct Logistic {
    explicit Logistic(double z)
        : e(std::exp(-std::abs(z))), tanh(std::copysign((1 - e) / (1 + e), z)) {}
    double slope() const { return e / ((1 + e) * (1 + e)); }
    double bend() const { return -slope() * tanh; }
    double e;
    double tanh;  ///< of z / 2
  };

  /// body(rows of S, z = S theta there) block by block; both are its to change. Rows that only fill
  /// the last panel are 0.
  template <class Body>
  void for_blocks(const double* theta, Workspace& scratch, const Body& body) const {
    for_parts(panels().count, block_panels(), [&](Index first, Index count) {
      const Workspace::Frame frame(scratch);
      const Panels block = panels().part(first, count);
      ColumnMap z(scratch.row(block.rows()).data(), block.rows());
      multiply(block, {theta, dimension_}, 1, {z.data(), block.rows()});
      MatrixMap rows = scratch.matrix(block.rows(), dimension_);
      for (Index p = 0; p < count; ++p) {
        for (Index i = 0; i < dimension_; ++i) {
          std::copy_n(block.panel(p)[i].row, Cells::rows, rows.col(i).data() + p * Cells::rows);
        }
      }
      body(rows, z);
    });
  }

  static constexpr Index smallest_sharded = Index{1} << 20;
  static constexpr Index most_shards = 16;
  static constexpr Index fewest_panels = 12;  ///< of a shard: few rows do not pay for their sums
  static constexpr Index block_cells = 4704;  ///< 441 KiB, well within a second-level cache

  /// What a shard computes and the weights of one block on the way, in `size` doubles of scratch.
  struct Sums {
    Sums(const Likelihood& of, double* memory, Index width)
        : value(reinterpret_cast<SoftplusSum*>(memory)),
          weights{memory + doubles * width, of.block_rows()},
          gradient(memory + (doubles + of.block_rows()) * width, of.dimension_, width) {}
    static Index size(const Likelihood& of, Index width) {
      constexpr Index line = 8;  // shards share no line of the cache
      return ((doubles + of.block_rows() + of.dimension_) * width + line - 1) / line * line;
    }
    static constexpr Index doubles = sizeof(SoftplusSum) / sizeof(double);
    SoftplusSum* value;  ///< of each column
    Columns<double> weights;
    MatrixMap gradient;
  };

  Panels panels() const noexcept {
    return {cells_.data(), (cases_ + Cells::rows - 1) / Cells::rows, dimension_};
  }
  Index block_panels() const noexcept { return std::clamp<Index>(block_cells / dimension_, 3, 12); }
  Index block_rows() const noexcept { return block_panels() * Cells::rows; }

  void run_shard(const Part& shard, const ConstBatch& theta, bool wants_value, Sums sums) const {
    sums.gradient.setZero();
    std::uninitialized_value_construct_n(sums.value, theta.cols());
    for_parts(shard.size, block_panels(), [&](Index first, Index count) {
      const Index end = shard.first + first + count;
      const Panels block = panels().part(end - count, count);
      const bool has_next = end + count <= panels().count;  // if not here, in the next shard
      run_block(block, has_next ? block.panel(count) : nullptr, theta, wants_value, sums);
    });
  }

  /// `next`: the block after this one, to be fetched meanwhile, or null.
  void run_block(const Panels& block, const Cells* next, const ConstBatch& theta, bool wants_value,
                 Sums& sums) const {
    const Index width = theta.cols();
    multiply(block, {theta.data(), theta.outerStride()}, width, sums.weights);
    for (Index j = 0; j < width; ++j) {
      double* z = sums.weights.column(j);
      hide_padding(block, z);
      if (wants_value) {
        to_weights<true>(z, block.rows(), sums.value[j]);
      } else {
        to_weights<false>(z, block.rows(), sums.value[j]);
      }
    }
    subtract_transposed(block, next, {sums.weights.data, sums.weights.stride}, width,
                        {sums.gradient.data(), dimension_});
  }

  /// Rows that only fill the last panel get the z of weight 0 and value 0.
  void hide_padding(const Panels& block, double* z) const {
    const Index rows = cases_ - (block.first - panels().first) / dimension_ * Cells::rows;
    for (Index n = rows; n < block.rows(); ++n) z[n] = std::numeric_limits<double>::infinity();
  }

  Index cases_;
  Index dimension_;
  std::vector<Cells> cells_;
};

}  // namespace mixwell::logistic
