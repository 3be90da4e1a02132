// Trajectories of a block whose columns may want different numbers of steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace mixwell::hamiltonian {

/// Every column keeps its own noise, wherever it was sorted to.
class SortedNormals final : public NormalSource {
 public:
  SortedNormals(const Motion& motion, const Index* order, Index columns)
      : motion_(motion), order_(order), columns_(columns) {}

  void normals(Batch out, std::uint32_t draw) const override {
    const Workspace::Frame frame(motion_.scratch);
    MatrixMap all = motion_.scratch.matrix(out.rows(), columns_);
    motion_.noise->normals(all, draw);
    for (Index k = 0; k < out.cols(); ++k) out.col(k) = all.col(order_[k]);
  }

 private:
  const Motion& motion_;
  const Index* order_;
  Index columns_;
};

/// Follows the flow for a block whose columns may want different numbers of steps: columns are
/// sorted so that those still moving stay together, and finished ones cost nothing.
class Trajectory {
 public:
  Trajectory(const Integrator& integrator, const Motion& motion, ConstRowMap steps)
      : integrator_(integrator), motion_(motion), steps_(steps) {}

  /// Gradients spent. u may have no data, where nobody wants it.
  std::int64_t run(PhasePoint point, Row u) const {
    const auto longest = static_cast<std::int64_t>(steps_.maxCoeff());
    if (steps_.minCoeff() == steps_.maxCoeff()) {
      integrator_.advance(point, longest, motion_, u.data());
      return integrator_.gradients(longest) * u.cols();
    }
    return run_sorted(point, u);
  }

 private:
  std::int64_t run_sorted(PhasePoint point, Row u) const {
    const Index w = point.theta.cols();
    Workspace& scratch = motion_.scratch;
    const Workspace::Frame frame(scratch);
    Index* const order = scratch.objects<Index>(w);
    std::iota(order, order + w, Index{0});
    std::sort(order, order + w, [&](Index a, Index b) {
      return steps_(a) > steps_(b) || (steps_(a) == steps_(b) && a < b);
    });
    const Law law = motion_.law.regrouped(order);
    const Flow flow = motion_.flow.regrouped(order);
    MatrixMap theta = gathered(point.theta, order);
    MatrixMap p = gathered(point.p, order);
    MatrixMap g = gathered(point.g, order);
    MatrixMap eps = gathered(motion_.eps, order);
    RowMap u_sorted = scratch.row(w);
    std::int64_t done = 0;
    std::int64_t gradients = 0;
    for (Index active = w; active > 0;) {
      const double wanted = steps_(order[active - 1]);
      const std::int64_t more = static_cast<std::int64_t>(wanted) - done;
      const SortedNormals sorted(motion_, order, w);
      const Motion part{law,
                        flow,
                        ConstMatrixMap(eps.data(), eps.rows(), active),
                        scratch,
                        motion_.steps_before + static_cast<std::uint32_t>(done),
                        motion_.noise == nullptr ? nullptr : &sorted};
      integrator_.advance({theta.leftCols(active), p.leftCols(active), g.leftCols(active)}, more,
                          part, u.data() == nullptr ? nullptr : u_sorted.data());
      gradients += integrator_.gradients(more) * active;
      done += more;
      while (active > 0 && steps_(order[active - 1]) == wanted) --active;
    }
    for (Index k = 0; k < w; ++k) {
      const Index j = order[k];
      point.theta.col(j) = theta.col(k);
      point.p.col(j) = p.col(k);
      point.g.col(j) = g.col(k);
      if (u.data() != nullptr) u(j) = u_sorted(k);
    }
    return gradients;
  }

  MatrixMap gathered(ConstBatch from, const Index* order) const {
    MatrixMap to = motion_.scratch.matrix(from.rows(), from.cols());
    for (Index k = 0; k < to.cols(); ++k) to.col(k) = from.col(order[k]);
    return to;
  }

  const Integrator& integrator_;
  const Motion& motion_;
  ConstRowMap steps_;
};

}  // namespace mixwell::hamiltonian
