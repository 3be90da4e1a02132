// The cases of a probit regression: from files, or simulated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../regression/coefficients.hpp"
#include "../regression/keys.hpp"
#include "../regression/labelled_design.hpp"
#include "../regression/remarks.hpp"
#include "../regression/simulated.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::probit {

/// Names the streams of simulated cases.
inline const std::string id = "probit-regression";

/// The keys that say which cases there are.
struct CaseParams {
  std::optional<std::string> data;
  regression::Source source;
  regression::Recipe recipe;
  regression::Simulation simulation;

  void declare_data(Fields& fields) {
    fields.text("data", data).file().help("the cases, plain or gzipped; or simulate them");
    declare_format(fields, source);
    declare_recipe(fields, source, recipe);
  }
};

/// What the keys make of themselves.
struct CaseData {
  regression::Table table;
  regression::LabelledDesign design;
  regression::Cases cases;
  regression::Coefficients coefficients{};
  std::vector<std::string> remarks{};
  std::string response;  ///< name of the labels in results

  CaseData(regression::Table from, const CaseParams& params)
      : table(std::move(from)), design(table, params.recipe, params.source.classes) {
    remarks = remarks_on(design, table);
    coefficients = regression::coefficients(design, table.path, remarks);
    cases = design.cases(table);
    response = regression::response_name(params.source.response, table.path, remarks);
  }
};

inline void require_no_file_keys(const CaseParams& params) {
  regression::refuse_columns(params.source);
  const auto refuse = [](const std::string& key, bool given) {
    if (given) throw ParameterError(key, "goes with data, which is not given");
  };
  refuse("format", params.source.format != "csv");
  refuse("labels", params.source.labels.has_value());
  refuse("positive", params.source.classes.positive.has_value());
  refuse("negative", params.source.classes.negative.has_value());
  refuse("test", params.source.test.has_value());
  refuse("test_labels", params.source.test_labels.has_value());
}

/// Inputs go through the recipe like a table's; labels are drawn given the rows x that result.
inline CaseData simulated_cases(const CaseParams& params) {
  require_no_file_keys(params);
  const regression::Simulation& simulation = params.simulation;
  regression::Table table;
  table.path = "the simulated cases";
  table.labels_of = table.path;
  table.inputs = regression::simulated_inputs(simulation, id).transpose();
  table.all_labels = {"0", "1"};
  CaseData data(std::move(table), params);
  const Index d = data.cases.x.cols();
  const Eigen::VectorXd theta =
      regression::simulated_parameter(simulation, id, d, 1.0 / std::sqrt(static_cast<double>(d)));
  const Eigen::RowVectorXd z =
      (data.cases.x * theta).transpose() + regression::simulated_noise(simulation, id);
  for (const double latent : z) data.cases.positive.push_back(latent > 0);
  data.remarks.push_back(regression::remark_on(theta));
  return data;
}

inline CaseData make_cases(const CaseParams& params) {
  if (regression::is_simulated(params.simulation, params.data.has_value()))
    return simulated_cases(params);
  regression::Source source = params.source;
  source.data = *params.data;
  require_keys(source);
  return {regression::training_table(source), params};
}

}  // namespace mixwell::probit
