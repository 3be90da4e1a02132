// The linear maps of a Hamiltonian flow, and trajectories along it.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/estimator.hpp>
#include <mixwell/integrator.hpp>
#include <mixwell/kernel/flow.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>

namespace mixwell {
namespace {

/// Gives every column its own noise after columns have been sorted.
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

/// The columns, sorted by decreasing number of steps.
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

Function::~Function() = default;
GradientNoise::~GradientNoise() = default;
Integrator::~Integrator() = default;
Estimator::~Estimator() = default;
SurrogateEstimator::~SurrogateEstimator() = default;
void ConstantPreconditioner::check(Index) const {}
void OwnPreconditioner::observe(const Here&, Batch) const {}
void OwnPreconditioner::drift_correction(const Potential&, ConstBatch, ConstBatch, ConstBatch,
                                         Batch out, Workspace&) const {
  out.setZero();
}

Coupling coupling_from(const std::string& word, bool curved) {
  static const std::map<std::string, Coupling> known = {{"mass", Coupling::mass},
                                                        {"symmetric", Coupling::symmetric},
                                                        {"factor", Coupling::factor},
                                                        {"one-sided", Coupling::one_sided}};
  return curved ? known.at(word) : Coupling::none;
}

Flow::Flow(Coupling coupling, std::optional<Preconditioner> preconditioner) noexcept
    : coupling_(preconditioner && preconditioner->is_identity() ? Coupling::none : coupling),
      preconditioner_(preconditioner) {}

Flow Flow::regrouped(const Index* columns) const noexcept {
  return {coupling_,
          preconditioner_ ? std::optional(preconditioner_->regrouped(columns)) : std::nullopt};
}

bool Flow::velocity_is_momentum() const noexcept { return coupling_ == Coupling::none; }

bool Flow::force_is_gradient() const noexcept {
  return coupling_ != Coupling::symmetric && coupling_ != Coupling::factor;
}

bool Flow::mass_is_identity() const noexcept { return coupling_ != Coupling::mass; }

void Flow::velocity(ConstBatch p, Batch out, Workspace& scratch) const {
  if (velocity_is_momentum()) {
    out = p;
  } else if (coupling_ == Coupling::factor) {
    preconditioner_->S(p, out, scratch);
  } else {
    preconditioner_->H(p, out, scratch);
  }
}

void Flow::force(ConstBatch g, Batch out, Workspace& scratch) const {
  if (force_is_gradient()) {
    out = g;
  } else if (coupling_ == Coupling::factor) {
    preconditioner_->St(g, out, scratch);
  } else {
    preconditioner_->H(g, out, scratch);
  }
}

void follow(const Integrator& integrator, PhasePoint point, ConstRowMap steps, const Motion& motion,
            double* u) {
  const auto longest = static_cast<std::int64_t>(steps.maxCoeff());
  if (steps.minCoeff() != steps.maxCoeff()) {
    return follow_sorted(integrator, point, steps, motion, u);
  }
  integrator.advance(point, longest, motion, u);
}

}  // namespace mixwell
