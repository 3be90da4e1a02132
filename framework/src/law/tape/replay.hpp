// Replays a program on lanes: forward for values, in reverse for derivatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "law/tape/curves.hpp"
#include "law/tape/program.hpp"

#include <algorithm>

namespace mixwell::tape {

/// Positions x, and a matrix to which their gradients are added. With `second`, also directions v
/// and products H v.
struct ReplayedColumns {
  ConstMatrixMap x;
  MatrixMap gradient;
  ConstMatrixMap v;
  MatrixMap product;
  double* potential;  ///< potentials are added here; may be null
};

/// The cases of a program to replay: all, or chosen ones. A case that is chosen twice counts twice.
struct ReplayedCases {
  const TapePlace* chosen;  ///< null: all
  Index count;

  Index place(Index i) const { return chosen == nullptr ? i : chosen[i].place; }
};

/// Replays one program. The lanes are W cases of one column (`of_cases`), or one case of W columns.
/// Each node has rows of W numbers: value, adjoint (dU by the node), slope, and with `second` also
/// tangent (along v), adjoint of the tangent, and bend.
template <Index W, bool of_cases, bool second>
class Replay {
  using Lanes = Eigen::Array<double, W, 1>;
  static constexpr int alignment = W == 1 ? Eigen::Unaligned : Eigen::Aligned32;
  using LanesMap = Eigen::Map<Lanes, alignment>;
  using ConstLanesMap = Eigen::Map<const Lanes, alignment>;
  /// Sums over lanes are kept in this many parts, which are added at the end.
  static constexpr Index parts = W < 4 ? W : 4;
  using Partial = Eigen::Array<double, parts, 1>;
  using PartialMap = Eigen::Map<Partial, alignment>;

 public:
  Replay(const TapeProgram& program, const ReplayedCases& cases, const ReplayedColumns& columns,
         Workspace& scratch)
      : program_(program),
        cases_(cases),
        columns_(columns),
        size_(static_cast<Index>(program.nodes.size())),
        values_(scratch.objects<const double*>(size_)),
        value_(rows(scratch)),
        adjoint_(rows(scratch)),
        slope_(rows(scratch)),
        tangent_(second ? scratch.objects<double>(size_ * W) : nullptr),
        adjoint_of_tangent_(second ? scratch.objects<double>(size_ * W) : nullptr),
        bend_(second ? rows(scratch) : nullptr),
        constants_(
            scratch.matrix(cases.chosen == nullptr ? 1 : W, program.tiles.constants()).data()),
        sums_(scratch.matrix(parts, program.tiles.constants()).data()),
        sums_of_tangent_(second ? scratch.matrix(parts, program.tiles.constants()).data()
                                : nullptr) {
    for (Index i = 0; i < size_; ++i) values_[i] = value_ + i * W;
  }

  void run() {
    if constexpr (of_cases)
      for (Index j = 0; j < columns_.x.cols(); ++j) run_column(j);
    else
      for (Index j = 0; j < columns_.x.cols(); j += W) run_columns(j);
  }

 private:
  double* rows(Workspace& scratch) { return scratch.matrix(W, size_).data(); }

  const TapeNode& node(Index i) const { return program_.nodes[static_cast<std::size_t>(i)]; }
  Index first_constant(Index i) const {
    return program_.first_constant[static_cast<std::size_t>(i)];
  }
  Index first_row(Index i) const { return program_.first_row[static_cast<std::size_t>(i)]; }
  bool is_shared(Index i) const { return program_.rows.is_shared(first_row(i)); }

  ConstLanesMap value(Index i) const { return ConstLanesMap(values_[i]); }
  LanesMap own(Index i) { return LanesMap(value_ + i * W); }
  LanesMap adjoint(Index i) { return LanesMap(adjoint_ + i * W); }
  LanesMap slope(Index i) { return LanesMap(slope_ + i * W); }
  LanesMap tangent(Index i) { return LanesMap(tangent_ + i * W); }
  LanesMap adjoint_of_tangent(Index i) { return LanesMap(adjoint_of_tangent_ + i * W); }
  LanesMap bend(Index i) { return LanesMap(bend_ + i * W); }

  /// Replays all tiles of one column.
  void run_column(Index j) {
    column_ = j;
    for (Index i = 0; i < size_; ++i)
      if (node(i).operation == TapeOperation::value && is_shared(i)) begin_shared(i);
    std::fill_n(sums_, parts * program_.tiles.constants(), 0.0);
    if constexpr (second) std::fill_n(sums_of_tangent_, parts * program_.tiles.constants(), 0.0);
    for (Index first = 0; first < cases_.count; first += W) {
      first_ = first;
      count_ = std::min(W, cases_.count - first);
      find_tile();
      run_block();
    }
    for (Index i = 0; i < size_; ++i)
      if (reads_values(i) && is_shared(i)) end_shared(i);
  }

  /// Replays all cases of W columns.
  void run_columns(Index j) {
    column_ = j;
    count_ = std::min(W, columns_.x.cols() - j);
    for (first_ = 0; first_ < cases_.count; ++first_) {
      copy_constants(first_, constants_, 1);
      run_block();
    }
  }

  /// Copies the constants of case i to `to`, with a distance of `apart` numbers.
  void copy_constants(Index i, double* to, Index apart) const {
    const double* const from = program_.tiles.constants_of(cases_.place(i));
    for (Index k = 0; k < program_.tiles.constants(); ++k)
      to[k * apart] = from[k * program_.tiles.width()];
  }

  /// Finds the constants of W cases. If all cases are replayed, the program stores them in this
  /// layout.
  void find_tile() {
    tile_ = cases_.chosen == nullptr ? program_.tiles.constants_of(first_) : constants_;
    if (cases_.chosen == nullptr) return;
    for (Index l = 0; l < W; ++l)
      copy_constants(std::min(first_ + l, cases_.count - 1), constants_ + l, W);
  }

  bool reads_values(Index i) const {
    return node(i).operation == TapeOperation::value || node(i).operation == TapeOperation::dot;
  }

  void run_block() {
    for (Index i = 0; i < size_; ++i) forward(i);
    add_potential();
    clear_adjoints();
    LanesMap seed = adjoint(size_ - 1);
    for (Index l = 0; l < W; ++l) seed[l] = l < count_ ? -1.0 : 0.0;
    for (Index i = size_ - 1; i >= 0; --i) backward(i);
  }

  void add_potential() {
    if (columns_.potential == nullptr) return;
    const double* const f = values_[size_ - 1];
    if (of_cases && count_ == W) {
      columns_.potential[column_] -= ConstLanesMap(f).sum();
      return;
    }
    for (Index l = 0; l < count_; ++l) columns_.potential[of_cases ? column_ : column_ + l] -= f[l];
  }

  /// Adjoints of shared values are summed over all tiles, and so are not cleared here.
  void clear_adjoints() {
    for (Index i = 0; i < size_; ++i) {
      if (of_cases && node(i).operation == TapeOperation::value && is_shared(i)) continue;
      adjoint(i).setZero();
      if constexpr (second) adjoint_of_tangent(i).setZero();
    }
  }

  // The locations of values and of their derivatives.

  /// For lane l: the row and column of the value that node i reads first.
  Index row_of(Index i, Index l) const {
    const Index at = of_cases ? std::min(first_ + l, cases_.count - 1) : first_;
    return program_.rows.row(cases_.place(at), first_row(i));
  }
  Index column_of(Index l) const { return of_cases ? column_ : column_ + std::min(l, count_ - 1); }

  void begin_shared(Index i) {
    const Index row = program_.rows.row(0, first_row(i));
    own(i).setConstant(columns_.x(row, column_));
    adjoint(i).setZero();
    if constexpr (second) {
      tangent(i).setConstant(columns_.v(row, column_));
      adjoint_of_tangent(i).setZero();
    }
  }

  void end_shared(Index i) {
    const Index row = program_.rows.row(0, first_row(i));
    if (node(i).operation == TapeOperation::value) {
      columns_.gradient(row, column_) += adjoint(i).sum();
      if constexpr (second) columns_.product(row, column_) += adjoint_of_tangent(i).sum();
      return;
    }
    for (Index q = 0; q < node(i).a; ++q) {
      const Index at = parts * (first_constant(i) + q);
      columns_.gradient(row + q, column_) += PartialMap(sums_ + at).sum();
      if constexpr (second)
        columns_.product(row + q, column_) += PartialMap(sums_of_tangent_ + at).sum();
    }
  }

  void read_value(Index i) {
    if (of_cases && is_shared(i)) return;
    for (Index l = 0; l < W; ++l) {
      value_[i * W + l] = columns_.x(row_of(i, l), column_of(l));
      if constexpr (second) tangent_[i * W + l] = columns_.v(row_of(i, l), column_of(l));
    }
  }

  void write_value(Index i) {
    if (of_cases && is_shared(i)) return;
    for (Index l = 0; l < count_; ++l) {
      columns_.gradient(row_of(i, l), column_of(l)) += adjoint_[i * W + l];
      if constexpr (second)
        columns_.product(row_of(i, l), column_of(l)) += adjoint_of_tangent_[i * W + l];
    }
  }

  /// The constants of node i for W cases, one row for each constant.
  const double* tile(Index i) const { return tile_ + first_constant(i) * W; }

  void read_constant(Index i) {
    if constexpr (of_cases)
      values_[i] = tile(i);
    else
      own(i).setConstant(constants_[first_constant(i)]);
  }

  template <class Source>
  void forward_dot(Index i, const Source& x, LanesMap out) {
    const Index count = node(i).a;
    if constexpr (of_cases) {
      const double* const c = tile(i);
      if (is_shared(i)) {
        const double* const from = x.data() + column_ * x.rows() + row_of(i, 0);
        Lanes sum = Lanes::Zero();
        for (Index q = 0; q < count; ++q) sum += from[q] * ConstLanesMap(c + q * W);
        out = sum;
        return;
      }
      for (Index l = 0; l < W; ++l) {
        out[l] = 0.0;
        for (Index q = 0; q < count; ++q) out[l] += c[q * W + l] * x(row_of(i, l) + q, column_);
      }
    } else {
      const Eigen::Map<const Eigen::VectorXd> c(constants_ + first_constant(i), count);
      for (Index l = 0; l < W; ++l)
        out[l] = c.dot(x.col(column_of(l)).segment(row_of(i, l), count));
    }
  }

  /// `by`: the adjoint of node i, or of its tangent.
  void backward_dot(Index i, const double* by, double* sums, MatrixMap& gradient) {
    const Index count = node(i).a;
    if constexpr (of_cases) {
      const double* const c = tile(i);
      if (is_shared(i)) {
        const Lanes all = ConstLanesMap(by);
        double* const at = sums + parts * first_constant(i);
        for (Index q = 0; q < count; ++q) {
          Partial sum = PartialMap(at + parts * q);
          for (Index l = 0; l < W; l += parts)
            sum += all.template segment<parts>(l) *
                   Eigen::Map<const Partial, alignment>(c + q * W + l);
          PartialMap(at + parts * q) = sum;
        }
        return;
      }
      for (Index l = 0; l < count_; ++l)
        for (Index q = 0; q < count; ++q)
          gradient(row_of(i, l) + q, column_) += by[l] * c[q * W + l];
    } else {
      const Eigen::Map<const Eigen::VectorXd> c(constants_ + first_constant(i), count);
      for (Index l = 0; l < count_; ++l)
        gradient.col(column_ + l).segment(row_of(i, l), count) += by[l] * c;
    }
  }

  void forward(Index i) {
    const TapeNode& n = node(i);
    switch (n.operation) {
      case TapeOperation::value:
        return read_value(i);
      case TapeOperation::constant:
        return read_constant(i);
      case TapeOperation::dot:
        forward_dot(i, columns_.x, own(i));
        if constexpr (second) forward_dot(i, columns_.v, tangent(i));
        return;
      case TapeOperation::add:
        own(i) = value(n.a) + value(n.b);
        if constexpr (second) tangent(i) = tangent(n.a) + tangent(n.b);
        return;
      case TapeOperation::subtract:
        own(i) = value(n.a) - value(n.b);
        if constexpr (second) tangent(i) = tangent(n.a) - tangent(n.b);
        return;
      case TapeOperation::multiply:
        own(i) = value(n.a) * value(n.b);
        if constexpr (second) tangent(i) = tangent(n.a) * value(n.b) + value(n.a) * tangent(n.b);
        return;
      case TapeOperation::divide:
        slope(i) = 1.0 / value(n.b);
        own(i) = value(n.a) / value(n.b);
        if constexpr (second) tangent(i) = (tangent(n.a) - value(i) * tangent(n.b)) * slope(i);
        return;
      case TapeOperation::log_sum_exp:
        return forward_log_sum_exp(i);
      case TapeOperation::less:
        own(i) = (value(n.a) < value(n.b)).template cast<double>();
        return;
      case TapeOperation::less_equal:
        own(i) = (value(n.a) <= value(n.b)).template cast<double>();
        return;
      case TapeOperation::select:
        own(i) = (value(n.a) != 0.0).select(value(n.b), value(n.c));
        if constexpr (second) tangent(i) = (value(n.a) != 0.0).select(tangent(n.b), tangent(n.c));
        return;
      default:
        return forward_curve(i);
    }
  }

  void forward_log_sum_exp(Index i) {
    const TapeNode& n = node(i);
    const Lanes high = value(n.a).max(value(n.b));
    const Lanes e = (-(value(n.a) - value(n.b)).abs()).exp();
    own(i) = (high.abs() == std::numeric_limits<double>::infinity())
                 .select(high, high + (1.0 + e).log());
    slope(i) = (value(n.a) - value(i)).exp();
    if constexpr (second)
      tangent(i) = slope(i) * tangent(n.a) + (value(n.b) - value(i)).exp() * tangent(n.b);
  }

  void forward_curve(Index i) {
    const TapeNode& n = node(i);
    Curve<Lanes> at;
    if (n.operation == TapeOperation::power)
      evaluate_power<second, Lanes>(value(n.a), value(n.b), at);
    else
      evaluate_curve<second, Lanes>(n.operation, value(n.a), at);
    own(i) = at.value;
    slope(i) = at.slope;
    if constexpr (second) {
      bend(i) = at.bend;
      tangent(i) = at.slope * tangent(n.a);
    }
  }

  /// Adds `by` to the adjoint of `to`, and `by_tangent` to the adjoint of its tangent. Constants
  /// have neither.
  template <class Adjoint, class OfTangent>
  void pass(Index to, const Adjoint& by, const OfTangent& by_tangent) {
    if (node(to).operation == TapeOperation::constant) return;
    adjoint(to) += by;
    if constexpr (second) adjoint_of_tangent(to) += by_tangent();
  }

  void backward(Index i) {
    const TapeNode& n = node(i);
    const auto g = adjoint(i);
    switch (n.operation) {
      case TapeOperation::value:
        return write_value(i);
      case TapeOperation::constant:
      case TapeOperation::less:
      case TapeOperation::less_equal:
        return;
      case TapeOperation::dot:
        backward_dot(i, adjoint_ + i * W, sums_, columns_.gradient);
        if constexpr (second)
          backward_dot(i, adjoint_of_tangent_ + i * W, sums_of_tangent_, columns_.product);
        return;
      case TapeOperation::add:
        pass(n.a, g, [&] { return adjoint_of_tangent(i); });
        return pass(n.b, g, [&] { return adjoint_of_tangent(i); });
      case TapeOperation::subtract:
        pass(n.a, g, [&] { return adjoint_of_tangent(i); });
        return pass(n.b, -g, [&] { return Lanes(-adjoint_of_tangent(i)); });
      case TapeOperation::multiply:
        pass(n.a, g * value(n.b),
             [&] { return Lanes(adjoint_of_tangent(i) * value(n.b) + adjoint(i) * tangent(n.b)); });
        return pass(n.b, g * value(n.a), [&] {
          return Lanes(adjoint_of_tangent(i) * value(n.a) + adjoint(i) * tangent(n.a));
        });
      case TapeOperation::divide:
        return backward_divide(i);
      case TapeOperation::log_sum_exp:
        return backward_log_sum_exp(i);
      case TapeOperation::select:
        return backward_select(i);
      default:
        return pass(n.a, g * slope(i), [&] {
          return Lanes(adjoint_of_tangent(i) * slope(i) + adjoint(i) * bend(i) * tangent(n.a));
        });
    }
  }

  /// y = a s with s = 1 / b: dy = s (da - y db), ds = -s^2 db.
  void backward_divide(Index i) {
    const TapeNode& n = node(i);
    pass(n.a, adjoint(i) * slope(i), [&] {
      return Lanes(adjoint_of_tangent(i) * slope(i) -
                   adjoint(i) * slope(i).square() * tangent(n.b));
    });
    pass(n.b, -adjoint(i) * value(i) * slope(i), [&] {
      return Lanes(-slope(i) * (adjoint_of_tangent(i) * value(i) + adjoint(i) * tangent(i) -
                                adjoint(i) * value(i) * slope(i) * tangent(n.b)));
    });
  }

  /// dy = p da + q db with p = e^(a - y), dp = p (da - dy), and q likewise.
  void backward_log_sum_exp(Index i) {
    const TapeNode& n = node(i);
    const Lanes q = (value(n.b) - value(i)).exp();
    pass(n.a, adjoint(i) * slope(i), [&] {
      return Lanes(slope(i) * (adjoint_of_tangent(i) + adjoint(i) * (tangent(n.a) - tangent(i))));
    });
    pass(n.b, adjoint(i) * q, [&] {
      return Lanes(q * (adjoint_of_tangent(i) + adjoint(i) * (tangent(n.b) - tangent(i))));
    });
  }

  void backward_select(Index i) {
    const TapeNode& n = node(i);
    const Lanes none = Lanes::Zero();
    const auto holds = [&] { return value(n.a) != 0.0; };
    pass(n.b, holds().select(adjoint(i), none),
         [&] { return Lanes(holds().select(adjoint_of_tangent(i), none)); });
    pass(n.c, holds().select(none, adjoint(i)),
         [&] { return Lanes(holds().select(none, adjoint_of_tangent(i))); });
  }

  const TapeProgram& program_;
  ReplayedCases cases_;
  ReplayedColumns columns_;
  Index size_;
  const double** values_;  ///< rows of `value_`, or of the program's constants
  double* value_;
  double* adjoint_;
  double* slope_;
  double* tangent_;
  double* adjoint_of_tangent_;
  double* bend_;
  double* constants_;        ///< constants of one case, or of W chosen cases
  double* sums_;             ///< sums of adjoints times constants of shared dots, four for each
  double* sums_of_tangent_;  ///< sums of adjoints of tangents times these constants
  const double* tile_ = nullptr;  ///< constants of W cases
  Index column_ = 0;              ///< the (first) column
  Index first_ = 0;               ///< the (first) case
  Index count_ = 0;               ///< number of lanes in use
};

}  // namespace mixwell::tape
