// Computes a run's results for a study's records, and the run's errors relative to a reference.
// SPDX-License-Identifier: Apache-2.0
#include "study/measuring.hpp"

#include "files/json.hpp"
#include "results/reference.hpp"
#include "run/record.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mixwell::study {
namespace {

/// Replaces values that are not finite, such as a ratio to zero gradients, by unknown.
double known(double figure) { return std::isfinite(figure) ? figure : unknown; }

bool lacks_rhat(const NotJudged& one) { return one.lacks("rhat"); }

/// The largest R-hat of all variables. Infinite if chains stay at different places. Unknown if the
/// R-hat of any variable is unknown.
double max_rhat(const Summary& summary) {
  if (std::any_of(summary.not_judged.begin(), summary.not_judged.end(), lacks_rhat)) return unknown;
  double most = unknown;
  for (const SummaryRow& row : summary.variables) most = std::fmax(most, row.standard.rhat);
  return most;
}

/// The number of variables that lack a figure.
double variables_not_judged(const Summary& summary) {
  std::int64_t count = 0;
  for (const NotJudged& one : summary.not_judged)
    if (!one.variable.empty()) count += 1 + one.more;
  return static_cast<double>(count);
}

std::vector<CellMetric> metrics(const Summary& summary, const RunRecord& run) {
  const SamplerSummary& sampler = summary.sampler;
  const double mcse = known(sampler.min_ess_mcse);
  const double mean_ess = known(sampler.mean_ess);
  std::vector<CellMetric> all = {
      {"mean_ess", mean_ess},
      {"min_ess_per_gradient", known(sampler.min_ess_per_gradient), mcse / run.gradients.sampling},
      {"mean_ess_per_second", mean_ess / run.seconds.sampling},
      {"min_ess_per_second", known(sampler.min_ess_per_second), mcse / run.seconds.sampling},
      {"max_rhat", max_rhat(summary)},
      {"not_judged", variables_not_judged(summary)},
      {"acceptance", known(sampler.acceptance)},
      {"ebfmi", known(sampler.ebfmi)}};
  if (sampler.divergences)
    all.push_back({"divergences", static_cast<double>(*sampler.divergences)});
  if (const auto& prediction = summary.prediction) {
    all.push_back({"test_error", known(prediction->error)});
    if (prediction->is_error_rate()) all.push_back({"error_rate", known(prediction->error)});
  }
  std::erase_if(all, [](const CellMetric& metric) { return std::isnan(metric.value); });
  return all;
}

}  // namespace

CellFigures cell_figures(const RunResult& result) {
  const RunRecord& run = result.record;
  const Summary& summary = result.summary.value();
  CellFigures figures;
  CellRow& row = figures.row;
  row.outcome = run.ended_by;
  row.certificate = to_string(result.certificate.now.certificate_class());
  row.min_ess = summary.sampler.min_ess;
  row.min_ess_mcse = summary.sampler.min_ess_mcse;
  row.gradients = run.gradients.sampling;
  row.seconds = run.seconds.sampling;
  row.warmup_gradients = run.gradients.warmup;
  row.warmup_seconds = run.seconds.warmup;
  row.draws = run.draws;
  row.draws_sha256 = run.draws_sha256;
  row.versions = json_text(run.versions);
  row.summary = summary_json(summary);
  row.run = json_text(run, 2) + "\n";
  figures.metrics = metrics(summary, run);
  return figures;
}

namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int curve_points = 20;

/// Running sums of the weights, of x and of x x', where x is relative to a fixed origin.
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

/// The draws of all files, pooled into one set.
ComparedDraws pooled(const std::vector<std::string>& paths) {
  ComparedDraws all = read_compared_draws(paths.front());
  for (std::size_t k = 1; k < paths.size(); ++k) {
    const ComparedDraws next = read_compared_draws(paths[k]);
    if (next.vector.names != all.vector.names) {
      throw InputError(
          fmt::format("{}: the variables of this file differ from the variables of {}. All "
                      "files of a reference must contain the same variables.",
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

/// The draws of a run and a reference, for the variables that both have.
class ComparedRun {
 public:
  ComparedRun(const ReferenceMoments& reference, const DrawsFile& file)
      : draws_(file.draws()), chains_(file.chains()), weights_(varying_weights(file)) {
    const DrawnVector own = read_vector(file, {}, "study.reference", "study.reference");
    const SharedNames shared = shared_names(own, reference.names);
    own_ = own.draws(Eigen::all, shared.here);
    wanted_ = {reference.moments.mean(shared.there),
               reference.moments.covariance(shared.there, shared.there)};
    wanted_mcse_ = reference.mcse(shared.there);
  }

  bool says_something() const { return own_.cols() > 0 && draws_ >= 2; }

  std::vector<ErrorPoint> curve(const RunRecord& run) const {
    const MatrixXd weights = weights_.size() == 0 ? MatrixXd::Ones(draws_, chains_) : weights_;
    const bool has_means = are_apart_from_0(wanted_.mean, wanted_mcse_);
    RunningMoments running(wanted_.mean);
    std::vector<ErrorPoint> curve;
    Index done = 0;
    for (const Index place : points(draws_)) {
      for (Index c = 0; c < chains_; ++c) {
        running.add(own_.middleRows(c * draws_ + done, place - done),
                    weights.col(c).segment(done, place - done));
      }
      done = place;
      const diagnostics::Moments found = running.moments();
      const double share = static_cast<double>(place) / static_cast<double>(draws_);
      curve.push_back(
          {.draws = place,
           .gradients = run.gradients.warmup + share * run.gradients.sampling,
           .seconds = run.seconds.warmup + share * run.seconds.sampling,
           .error_mean =
               has_means ? diagnostics::relative_error(found.mean, wanted_.mean) : unknown,
           .error_covariance = diagnostics::relative_error(found.covariance, wanted_.covariance)});
    }
    return curve;
  }

  std::vector<CellMetric> distance() const {
    const diagnostics::Moments found = diagnostics::moments(own_, weights_.reshaped());
    const std::vector<Index> varying = varying_in_reference();
    if (varying.empty()) return {};
    const ArrayXd error = (found.mean - wanted_.mean)(varying).array().abs();
    const ArrayXd mcse = errors_of_means(own_, weights_, chains_)(varying);
    const ArrayXd wanted_mcse = wanted_mcse_(varying);
    const ArrayXd sd = VectorXd(wanted_.covariance.diagonal())(varying).array().sqrt();
    const ArrayXd in_mcse = error / (mcse.square() + wanted_mcse.square()).sqrt();
    const ArrayXd ratio = VectorXd(found.covariance.diagonal())(varying).array().sqrt() / sd;
    return {{"mean_error_mcse", in_mcse.maxCoeff<Eigen::PropagateNaN>()},
            {"mean_error_sd", (error / sd).maxCoeff<Eigen::PropagateNaN>()},
            {"within_4_mcse", (in_mcse <= close).cast<double>().mean()},
            {"compared_variables", static_cast<double>(varying.size())},
            {"sd_ratio_min", ratio.minCoeff<Eigen::PropagateNaN>()},
            {"sd_ratio_max", ratio.maxCoeff<Eigen::PropagateNaN>()}};
  }

 private:
  /// Means agree if they differ by at most this many Monte Carlo errors.
  static constexpr double close = 4.0;

  std::vector<Index> varying_in_reference() const {
    std::vector<Index> varying;
    for (Index k = 0; k < own_.cols(); ++k) {
      if (wanted_.covariance(k, k) > 0.0) varying.push_back(k);
    }
    return varying;
  }

  Index draws_;
  Index chains_;
  MatrixXd weights_;
  MatrixXd own_;  ///< chain after chain
  diagnostics::Moments wanted_;
  VectorXd wanted_mcse_;
};

}  // namespace

const ReferenceMoments& References::of(const std::vector<std::string>& paths) {
  const auto known = known_.find(paths);
  if (known != known_.end()) return known->second;
  const ComparedDraws all = pooled(paths);
  ReferenceMoments made{all.vector.names, diagnostics::moments(all.vector.draws, all.weights),
                        errors_of_means(all.vector.draws, all.weights, 1)};
  return known_.emplace(paths, std::move(made)).first->second;
}

ReferenceErrors errors_against(const ReferenceMoments& reference, const DrawsFile& file,
                               const RunRecord& run) {
  const ComparedRun compared(reference, file);
  ReferenceErrors errors;
  if (!compared.says_something()) return errors;
  errors.curve = compared.curve(run);
  errors.distance = compared.distance();
  return errors;
}

}  // namespace mixwell::study
