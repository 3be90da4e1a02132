// The linear maps of a Hamiltonian flow.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/estimator.hpp>
#include <mixwell/integrator.hpp>

#include <map>

namespace mixwell {

Function::~Function() = default;
GradientNoise::~GradientNoise() = default;
Integrator::~Integrator() = default;
Estimator::~Estimator() = default;
SurrogateEstimator::~SurrogateEstimator() = default;
void ConstantCurvature::check(Index) const {}
void OwnCurvature::observe(const Here&, Batch) const {}
void OwnCurvature::drift_correction(const Potential&, ConstBatch, ConstBatch, ConstBatch, Batch out,
                                    Workspace&) const {
  out.setZero();
}

Coupling coupling_from(const std::string& word, bool curved) {
  static const std::map<std::string, Coupling> known = {{"mass", Coupling::mass},
                                                        {"symmetric", Coupling::symmetric},
                                                        {"factor", Coupling::factor},
                                                        {"one-sided", Coupling::one_sided}};
  return curved ? known.at(word) : Coupling::none;
}

Flow::Flow(Coupling coupling, std::optional<Curvature> curvature) noexcept
    : coupling_(curvature && curvature->is_identity() ? Coupling::none : coupling),
      curvature_(curvature) {}

Flow Flow::regrouped(const Index* columns) const noexcept {
  return {coupling_, curvature_ ? std::optional(curvature_->regrouped(columns)) : std::nullopt};
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
    curvature_->S(p, out, scratch);
  } else {
    curvature_->H(p, out, scratch);
  }
}

void Flow::force(ConstBatch g, Batch out, Workspace& scratch) const {
  if (force_is_gradient()) {
    out = g;
  } else if (coupling_ == Coupling::factor) {
    curvature_->St(g, out, scratch);
  } else {
    curvature_->H(g, out, scratch);
  }
}

}  // namespace mixwell
