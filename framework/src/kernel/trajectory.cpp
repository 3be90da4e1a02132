// Trajectories of a block whose columns may want different numbers of steps.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/flow.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace mixwell {
namespace {

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

MatrixMap gathered(ConstBatch from, const Index* order, Workspace& scratch) {
  MatrixMap to = scratch.matrix(from.rows(), from.cols());
  for (Index k = 0; k < to.cols(); ++k) to.col(k) = from.col(order[k]);
  return to;
}

/// Columns, those with the most steps first.
const Index* sorted(ConstRowMap steps, Workspace& scratch) {
  const Index w = steps.size();
  Index* const order = scratch.objects<Index>(w);
  std::iota(order, order + w, Index{0});
  std::sort(order, order + w, [&](Index a, Index b) {
    return steps(a) > steps(b) || (steps(a) == steps(b) && a < b);
  });
  return order;
}

void follow_sorted(const Integrator& integrator, PhasePoint point, ConstRowMap steps,
                   const Motion& motion, double* u) {
  const Index w = point.theta.cols();
  Workspace& scratch = motion.scratch;
  const Workspace::Frame frame(scratch);
  const Index* const order = sorted(steps, scratch);
  const Law law = motion.law.regrouped(order);
  const Flow flow = motion.flow.regrouped(order);
  MatrixMap theta = gathered(point.theta, order, scratch);
  MatrixMap p = gathered(point.p, order, scratch);
  MatrixMap g = gathered(point.g, order, scratch);
  MatrixMap eps = gathered(motion.eps, order, scratch);
  RowMap u_sorted = scratch.row(w);
  const SortedNormals noise(motion, order, w);
  std::int64_t done = 0;
  for (Index active = w; active > 0;) {
    const double wanted = steps(order[active - 1]);
    const std::int64_t more = static_cast<std::int64_t>(wanted) - done;
    const Motion part{law,
                      flow,
                      ConstMatrixMap(eps.data(), eps.rows(), active),
                      scratch,
                      motion.steps_before + static_cast<std::uint32_t>(done),
                      motion.noise == nullptr ? nullptr : &noise};
    integrator.advance({theta.leftCols(active), p.leftCols(active), g.leftCols(active)}, more, part,
                       u == nullptr ? nullptr : u_sorted.data());
    done += more;
    while (active > 0 && steps(order[active - 1]) == wanted) --active;
  }
  for (Index k = 0; k < w; ++k) {
    const Index j = order[k];
    point.theta.col(j) = theta.col(k);
    point.p.col(j) = p.col(k);
    point.g.col(j) = g.col(k);
    if (u != nullptr) u[j] = u_sorted(k);
  }
}

}  // namespace

void follow(const Integrator& integrator, PhasePoint point, ConstRowMap steps, const Motion& motion,
            double* u) {
  const auto longest = static_cast<std::int64_t>(steps.maxCoeff());
  if (steps.minCoeff() != steps.maxCoeff()) {
    return follow_sorted(integrator, point, steps, motion, u);
  }
  integrator.advance(point, longest, motion, u);
}

}  // namespace mixwell
