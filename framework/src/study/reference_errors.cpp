// How far a run's draws are from those of a reference, at the end and along the way.
// SPDX-License-Identifier: Apache-2.0
#include "study/reference_errors.hpp"

#include "results/reference.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mixwell::study {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int curve_points = 20;

/// Sums of weight, x and x x' so far, about a fixed origin.
class RunningMoments {
 public:
  explicit RunningMoments(const VectorXd& origin)
      : origin_(origin),
        sum_(VectorXd::Zero(origin.size())),
        square_(MatrixXd::Zero(origin.size(), origin.size())) {}

  void add(const MatrixXd& rows, const VectorXd& weights) {
    const MatrixXd moved = rows.rowwise() - origin_.transpose();
    const MatrixXd weighted = moved.array().colwise() * weights.array();
    sum_ += weighted.colwise().sum().transpose();
    square_ += weighted.transpose() * moved;
    total_ += weights.sum();
    total_of_squares_ += weights.squaredNorm();
  }

  diagnostics::Moments moments() const {
    const VectorXd shift = sum_ / total_;
    const double divisor = total_ - total_of_squares_ / total_;
    return {origin_ + shift, (square_ - total_ * shift * shift.transpose()) / divisor};
  }

 private:
  VectorXd origin_;
  VectorXd sum_;
  MatrixXd square_;
  double total_ = 0.0;
  double total_of_squares_ = 0.0;
};

std::vector<Index> points(Index draws) {
  std::vector<Index> places;
  for (int k = 1; k <= curve_points; ++k) {
    const double place =
        std::pow(static_cast<double>(draws), static_cast<double>(k) / curve_points);
    const auto at = static_cast<Index>(std::llround(place));
    if (at >= 2 && (places.empty() || at > places.back())) places.push_back(at);
  }
  if (!places.empty()) places.back() = draws;
  return places;
}

VectorXd weights_of(const ComparedDraws& side) {
  return side.weights.size() == 0 ? VectorXd::Ones(side.vector.draws.rows()) : side.weights;
}

/// The draws of all files as if of one run.
ComparedDraws pooled(const std::vector<std::string>& paths) {
  ComparedDraws all = read_compared_draws(paths.front());
  for (std::size_t k = 1; k < paths.size(); ++k) {
    const ComparedDraws next = read_compared_draws(paths[k]);
    if (next.vector.names != all.vector.names) {
      throw InputError(
          fmt::format("{}: its variables are not those of {}; runs that are a "
                      "reference together record the same variables",
                      paths[k], paths.front()));
    }
    const VectorXd before = weights_of(all);
    const Index rows = before.size();
    const Index more = next.vector.draws.rows();
    all.vector.draws.conservativeResize(rows + more, Eigen::NoChange);
    all.vector.draws.bottomRows(more) = next.vector.draws;
    all.weights.resize(rows + more);
    all.weights << before, weights_of(next);
  }
  return all;
}

}  // namespace

const ReferenceMoments& References::of(const std::vector<std::string>& paths) {
  const auto known = known_.find(paths);
  if (known != known_.end()) return known->second;
  ComparedDraws all = pooled(paths);
  ReferenceMoments made{std::move(all.vector.names),
                        diagnostics::moments(all.vector.draws, all.weights)};
  return known_.emplace(paths, std::move(made)).first->second;
}

std::vector<ErrorPoint> error_curve(const DrawsFile& file, const ReferenceMoments& reference,
                                    const RunRecord& run) {
  const DrawnVector own = read_vector(file, {}, "study.reference", "study.reference");
  const SharedNames shared = shared_names(own.names, reference.names);
  if (shared.here.empty() || file.draws() < 2) return {};
  const diagnostics::Moments wanted{reference.moments.mean(shared.there),
                                    reference.moments.covariance(shared.there, shared.there)};
  const Index draws = file.draws();
  const Index chains = file.chains();
  MatrixXd weights = varying_weights(file);
  if (weights.size() == 0) weights = MatrixXd::Ones(draws, chains);
  RunningMoments running(wanted.mean);
  std::vector<ErrorPoint> curve;
  Index done = 0;
  for (const Index place : points(draws)) {
    for (Index c = 0; c < chains; ++c) {
      const MatrixXd rows = own.draws.middleRows(c * draws + done, place - done);
      running.add(rows(Eigen::all, shared.here), weights.col(c).segment(done, place - done));
    }
    done = place;
    const diagnostics::Moments found = running.moments();
    const double share = static_cast<double>(place) / static_cast<double>(draws);
    curve.push_back(
        {.draws = place,
         .gradients = run.gradients.warmup + share * run.gradients.sampling,
         .seconds = run.seconds.warmup + share * run.seconds.sampling,
         .error_mean = diagnostics::relative_error(found.mean, wanted.mean),
         .error_covariance = diagnostics::relative_error(found.covariance, wanted.covariance)});
  }
  return curve;
}

}  // namespace mixwell::study
