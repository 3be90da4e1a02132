// What a study keeps of a run beside its summary.
// SPDX-License-Identifier: Apache-2.0
#include "cell_figures.hpp"

#include <mixwell/diagnostics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mixwell::study {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int curve_points = 20;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double number_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || !found->is_number() ? nan : found->get<double>();
}

/// Name of the variable of the smallest ess_bulk, or "", and the largest rhat.
struct Worst {
  std::string name;
  double rhat = nan;
};

Worst worst_of(const Json& variables) {
  Worst worst;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [name, row] : variables.items()) {
    const double ess = number_in(row, "ess_bulk");
    if (ess < least) {
      least = ess;
      worst.name = name;
    }
    worst.rhat = std::fmax(worst.rhat, number_in(row, "rhat"));
  }
  return worst;
}

double min_ess_mcse(const DrawsFile& file, const std::string& name, Index replicates) {
  for (const Column& column : file.columns()) {
    if (column.group != RecordGroup::posterior) continue;
    if (!name.starts_with(column.name)) continue;
    for (Index k = 0; k < column.size(); ++k) {
      if (element_name(column, k) == name)
        return diagnostics::ess_bulk_mcse(file.read(column, k), replicates);
    }
  }
  return nan;
}

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

std::vector<Index> checkpoints(Index draws) {
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

void metric(Json& answer, const char* name, double value, double mcse = nan) {
  if (std::isnan(value)) return;
  answer["metrics"][name] = {{"value", number(value)}, {"mcse", number(mcse)}};
}

}  // namespace

const ComparedDraws& References::of(const std::string& path) {
  const auto known = known_.find(path);
  if (known != known_.end()) return known->second;
  return known_.emplace(path, read_compared_draws(path)).first->second;
}

Json error_curve(const DrawsFile& file, const ComparedDraws& reference, const RunCost& cost) {
  const DrawnVector own = read_vector(file, {}, "study.reference", "study.reference");
  const SharedNames shared = shared_names(own.names, reference.vector.names);
  if (shared.here.empty() || file.draws() < 2) return nullptr;
  const MatrixXd wanted_draws = reference.vector.draws(Eigen::all, shared.there);
  const diagnostics::Moments wanted = diagnostics::moments(wanted_draws, reference.weights);
  const Index draws = file.draws();
  const Index chains = file.chains();
  MatrixXd weights = varying_weights(file);
  if (weights.size() == 0) weights = MatrixXd::Ones(draws, chains);
  RunningMoments running(wanted.mean);
  Json curve = Json::array();
  Index done = 0;
  for (const Index place : checkpoints(draws)) {
    for (Index c = 0; c < chains; ++c) {
      const MatrixXd rows = own.draws.middleRows(c * draws + done, place - done);
      running.add(rows(Eigen::all, shared.here), weights.col(c).segment(done, place - done));
    }
    done = place;
    const diagnostics::Moments found = running.moments();
    const double share = static_cast<double>(place) / static_cast<double>(draws);
    curve.push_back({{"draws", place},
                     {"gradients", cost.warmup_gradients + share * cost.gradients},
                     {"seconds", cost.warmup_seconds + share * cost.seconds},
                     {"error_mean", number(diagnostics::relative_error(found.mean, wanted.mean))},
                     {"error_covariance",
                      number(diagnostics::relative_error(found.covariance, wanted.covariance))}});
  }
  return curve;
}

void add_figures(const std::string& folder, const std::string& summary_text,
                 const std::string& run_text, const ComparedDraws* reference, Json& answer) {
  const Json summary = Json::parse(summary_text);
  const Json run = Json::parse(run_text);
  const Json& sampler = summary.at("sampler");
  const RunCost cost{
      number_in(run.at("gradients"), "warmup"), number_in(run.at("gradients"), "sampling"),
      number_in(run.at("seconds"), "warmup"), number_in(run.at("seconds"), "sampling")};
  const Worst worst = worst_of(summary.at("variables"));
  const DrawsFile file(folder);
  const double mcse = min_ess_mcse(file, worst.name, run.at("replicates").get<Index>());
  answer["min_ess"] = sampler.at("min_ess");
  answer["min_ess_mcse"] = number(mcse);
  answer["gradients"] = number(cost.gradients);
  answer["seconds"] = number(cost.seconds);
  answer["warmup_gradients"] = number(cost.warmup_gradients);
  answer["warmup_seconds"] = number(cost.warmup_seconds);
  answer["draws"] = run.at("draws");
  answer["draws_sha256"] = run.at("draws_sha256");
  answer["outcome"] = run.value("ended_by", "draws");
  answer["metrics"] = Json::object();
  metric(answer, "mean_ess", number_in(sampler, "mean_ess"));
  metric(answer, "min_ess_per_gradient", number_in(sampler, "min_ess_per_gradient"),
         mcse / cost.gradients);
  metric(answer, "mean_ess_per_second", number_in(sampler, "mean_ess") / cost.seconds);
  metric(answer, "min_ess_per_second", number_in(sampler, "min_ess_per_second"),
         mcse / cost.seconds);
  metric(answer, "max_rhat", worst.rhat);
  for (const char* const name : {"acceptance", "divergences", "ebfmi"})
    metric(answer, name, number_in(sampler, name));
  if (summary.contains("prediction"))
    metric(answer, "error_rate", number_in(summary.at("prediction"), "error_rate"));
  if (reference == nullptr) return;
  const Json curve = error_curve(file, *reference, cost);
  if (curve.is_null() || curve.empty()) return;
  metric(answer, "error_mean", number_in(curve.back(), "error_mean"));
  metric(answer, "error_covariance", number_in(curve.back(), "error_covariance"));
  answer["curve"] = curve.dump();
}

}  // namespace mixwell::study
