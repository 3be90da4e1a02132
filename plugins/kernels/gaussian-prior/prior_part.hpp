// A site whose parameters have a Gaussian prior: its mean, its factor, and the likelihood as a law.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../model-part/model_part.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <string>
#include <utility>

namespace mixwell::gaussian_prior {

/// The likelihood's part of U, of whole positions: evaluations of it are counted as others are.
class LikelihoodPotential final : public Potential {
 public:
  /// `law` keeps the model alive.
  LikelihoodPotential(std::shared_ptr<const Function> law, const GaussianPrior& prior)
      : law_(std::move(law)), prior_(prior) {}
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    RowMap u = out.u();
    prior_.likelihood_potential(theta, u, out.scratch);
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

 private:
  std::shared_ptr<const Function> law_;
  const GaussianPrior& prior_;
};

/// The likelihood, beside the law that the update keeps.
struct Likelihood : edge::LawAs<Role::parameter> {
  using Likelihood::LawAs::LawAs;
};

class PriorPart {
 public:
  /// Throws InputError where the model has no such prior of exactly these parameters. `kernel`: for
  /// the message.
  PriorPart(Transition& t, const std::string& kernel) : part_(t) {
    const Model* const model = part_.model();
    prior_ = model == nullptr ? nullptr : model->offers<GaussianPrior>();
    if (prior_ == nullptr) {
      throw InputError(
          "kernel `" + kernel + "`: the law of `" + part_.slot() +
          "` has no Gaussian prior apart from a likelihood; use kernel `slice`, or one "
          "with a gradient");
    }
    if (model->offers<EstimatedDensity>() != nullptr && !t.takes_estimate_of(t.target())) {
      throw InputError("kernel `" + kernel + "`: `" + model->name() +
                       "` is known by an unbiased estimate of its density alone, which has no part "
                       "of its own for `" +
                       part_.slot() +
                       "`; use kernel random-walk-metropolis, metropolis-gaussian or pcn, on the "
                       "whole position");
    }
    if (select_coordinates(model->parameters(), prior_->gaussian_parameters()) ==
        part_.coordinates()) {
      return;
    }
    std::string names;
    for (const std::string& one : prior_->gaussian_parameters()) {
      names += (names.empty() ? "" : ", ") + one;
    }
    throw InputError("kernel `" + kernel + "`: in model `" + model->name() +
                     "` the parameters with a Gaussian prior given the rest are [" + names +
                     "], and this one moves [" + part_.held() +
                     "]; in compositor `blocks` give them an update of their own");
  }

  const model_part::ModelPart& part() const noexcept { return part_; }
  const GaussianPrior& prior() const noexcept { return *prior_; }

  Edge<Likelihood> likelihood(Transition& t) const {
    return {t.graph().constant(t.path("likelihood"),
                               std::make_shared<LikelihoodPotential>(part_.law(), prior()))};
  }

  /// m and L z given the rest of each position (d x w), b x w each.
  void mean(ConstBatch position, Batch out) const { prior().prior_mean(position, out); }
  void deviation(ConstBatch position, const edge::Noise& noise, Batch out,
                 Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const MatrixMap z = noise.normals(out.rows(), out.cols());
    prior().prior_factor(position, z, out, scratch);
  }

 private:
  model_part::ModelPart part_;
  const GaussianPrior* prior_ = nullptr;
};

}  // namespace mixwell::gaussian_prior
