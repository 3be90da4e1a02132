// Cases of a probit regression: from files, or simulated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../regression/keys.hpp"
#include "../regression/labelled_data.hpp"
#include "../regression/simulated.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace mixwell::probit {

/// Names the streams of simulated cases.
inline const std::string id = "probit-regression";

/// The manifest keys that choose the cases.
struct CaseParams {
  std::optional<std::string> data;
  regression::Source source;
  regression::Recipe recipe;
  regression::Simulation simulation;

  void declare_data(Fields& fields) {
    fields.text("data", data)
        .file()
        .help("file of the cases, plain or gzipped; default: simulated cases");
  }
};

/// The recipe turns simulated inputs into rows x, as it does for a table. Labels are drawn given
/// these rows.
inline regression::LabelledData simulated_cases(const CaseParams& params) {
  const regression::Simulation& simulation = params.simulation;
  regression::Table table;
  table.path = "the simulated cases";
  table.labels_of = table.path;
  table.inputs = regression::simulated_inputs(simulation, id).transpose();
  table.all_labels = {"0", "1"};
  regression::LabelledData data(std::move(table), params.recipe, params.source);
  const Index d = data.cases.x.cols();
  const Eigen::VectorXd theta =
      regression::simulated_parameter(simulation, id, d, 1.0 / std::sqrt(static_cast<double>(d)));
  const Eigen::RowVectorXd z =
      (data.cases.x * theta).transpose() + regression::simulated_noise(simulation, id);
  for (const double latent : z) data.cases.positive.push_back(latent > 0);
  data.remarks.push_back(regression::remark_on(theta));
  return data;
}

inline regression::LabelledData make_cases(const CaseParams& params) {
  if (regression::is_simulated(params.simulation, params.data.has_value()))
    return simulated_cases(params);
  regression::Source source = params.source;
  source.data = *params.data;
  require_keys(source);
  return {regression::training_table(source), params.recipe, source};
}

}  // namespace mixwell::probit
