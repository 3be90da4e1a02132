// summary.json: one row per element of the posterior, and what the sampler did to get it.
// SPDX-License-Identifier: Apache-2.0
#include "parallel.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mixwell/diagnostics.hpp>
#include <mixwell/draws.hpp>
#include <nlohmann/json.hpp>
#include <utility>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;
using diagnostics::Summary;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The JSON writer would do the same for NaN and infinity; said here because readers rely on it.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// `beta[3]`, `b[2,3]`; the name alone for a scalar. Last index fastest, from 0.
std::string element_name(const Column& column, Index element) {
  std::string indices;
  for (std::size_t k = column.shape.size(); k-- > 0;) {
    const std::string index = std::to_string(element % column.shape[k]);
    indices = indices.empty() ? index : index + "," + indices;
    element /= column.shape[k];
  }
  return indices.empty() ? column.name : column.name + "[" + indices + "]";
}

Summary summarise(const Eigen::Ref<const Eigen::MatrixXd>& draws) {
  if (draws.size() == 0) return {nan, nan, nan, nan, nan, nan, nan, nan, nan, nan};
  return diagnostics::summarise(draws);
}

/// One per element, in order.
std::vector<Summary> summarise_elements(const DrawsFile& file, const Column& column) {
  std::vector<Summary> rows(static_cast<std::size_t>(column.size()));
  const Index block = file.read_block(column);
  const Index chains = file.chains();
  for (Index first = 0; first < column.size(); first += block) {
    const Index count = std::min(block, column.size() - first);
    const Eigen::MatrixXd draws = file.read(column, first, count);
    parallel_for(count, [&](Index k) {
      rows[static_cast<std::size_t>(first + k)] = summarise(draws.middleCols(k * chains, chains));
    });
  }
  return rows;
}

Json to_json(const Summary& row) {
  return {{"mean", number(row.mean)},
          {"sd", number(row.sd)},
          {"mcse_mean", number(row.mcse_mean)},
          {"mcse_sd", number(row.mcse_sd)},
          {"q5", number(row.q5)},
          {"q50", number(row.q50)},
          {"q95", number(row.q95)},
          {"rhat", number(row.rhat)},
          {"ess_bulk", number(row.ess_bulk)},
          {"ess_tail", number(row.ess_tail)}};
}

/// Smallest and mean effective sample size of the variables that have one; NaN if none has.
struct Ess {
  double smallest = nan;
  double sum = 0.0;
  double count = 0.0;

  void add(double ess) {
    if (!std::isfinite(ess)) return;
    smallest = std::fmin(smallest, ess);
    sum += ess;
    ++count;
  }
  double mean() const { return sum / count; }
};

/// f(draws x chains) of a scalar of sample_stats; NaN where it is not there or has no draws.
template <class F>
double statistic(const DrawsFile& file, const char* name, F f) {
  if (!file.has(RecordGroup::sample_stats, name) || file.draws() == 0) return nan;
  return f(file.read({RecordGroup::sample_stats, name, {}, RecordType::real, {}, {}}, 0));
}

Json sampler_json(const DrawsFile& file, const Ess& ess, double gradients, double seconds) {
  using Draws = Eigen::MatrixXd;
  const double acceptance =
      statistic(file, "acceptance_rate", [](const Draws& x) { return x.mean(); });
  const double divergences = statistic(file, "diverging", [](const Draws& x) { return x.sum(); });
  const double ebfmi = statistic(file, "energy", [](const Draws& x) {
    return diagnostics::ebfmi(x).minCoeff<Eigen::PropagateNaN>();
  });
  const Json count = std::isnan(divergences) ? Json(nullptr) : Json(std::llround(divergences));
  return {{"acceptance", number(acceptance)},
          {"divergences", count},
          {"ebfmi", number(ebfmi)},
          {"min_ess", number(ess.smallest)},
          {"mean_ess", number(ess.mean())},
          {"min_ess_per_gradient", number(ess.smallest / gradients)},
          {"min_ess_per_second", number(ess.smallest / seconds)}};
}

}  // namespace

std::string summary_json(const DrawsFile& draws, double gradients, double seconds) {
  Json::object_t variables;  // a vector of pairs: append, as looking for each name is quadratic
  Ess ess;
  for (const Column& column : draws.columns()) {
    if (column.group != RecordGroup::posterior) continue;
    const std::vector<Summary> rows = summarise_elements(draws, column);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      variables.emplace_back(element_name(column, static_cast<Index>(k)), to_json(rows[k]));
      ess.add(rows[k].ess_bulk);
    }
  }
  Json result;
  result["variables"] = std::move(variables);
  result["sampler"] = sampler_json(draws, ess, gradients, seconds);
  return result.dump(2) + "\n";
}

}  // namespace mixwell
