// The table of a study, from its ledger.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "study/ledger_file.hpp"

#include <mixwell/lab/study.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace study {
namespace {

/// Text columns of `results` in the table's order, numbers among them by their own list.
const std::vector<std::string> first_columns = {"cell",         "variant",   "model",  "seed",
                                                "status",       "reason",    "class",  "min_ess",
                                                "min_ess_mcse", "gradients", "seconds"};
const std::vector<std::string> last_columns = {
    "outcome",  "draws",      "warmup_gradients", "warmup_seconds", "cell_seconds", "draws_sha256",
    "attempts", "started_at", "ended_at",         "host",           "curve"};

Json value_of(const Statement& row, int column, const std::string& name) {
  if (row.is_null(column)) return nullptr;
  if (name == "seed" || name == "attempts" || name == "draws") return row.integer(column);
  if (name == "curve") return parse_json(row.text(column));
  if (name.starts_with("min_ess") || name.ends_with("gradients") || name.ends_with("seconds"))
    return row.number(column);
  return row.text(column);
}

Json parsed_or(const std::string& text, Json otherwise) {
  return text.empty() ? std::move(otherwise) : parse_json(text);
}

class Table {
 public:
  explicit Table(Ledger& ledger) : ledger_(ledger) {
    axes_ = parsed_or(ledger.get("axes"), Json::array());
    names_ = first_columns;
    names_.insert(names_.end(), last_columns.begin(), last_columns.end());
  }

  Json json() {
    read_metrics();
    Json table = {{"study", ledger_.get("name")}, {"file", ledger_.get("file")}, {"axes", axes_}};
    table["columns"] = columns();
    table["rows"] = rows();
    table["tune"] = tune();
    table["paper"] = parsed_or(ledger_.get("paper"), Json::array());
    return table;
  }

 private:
  void read_metrics() {
    Statement all = ledger_.database().prepare(
        "SELECT cell, name, value, mcse FROM metrics WHERE cell IN (SELECT cell FROM points) "
        "ORDER BY name");
    while (all.step()) {
      const std::string name = all.text(1);
      Json& of_cell = metrics_[all.text(0)];
      of_cell[name] = all.is_null(2) ? Json() : Json(all.number(2));
      add_metric(name);
      if (all.is_null(3)) continue;
      of_cell[name + "_mcse"] = all.number(3);
      add_metric(name + "_mcse");
    }
  }

  void add_metric(const std::string& name) {
    if (std::find(metric_names_.begin(), metric_names_.end(), name) == metric_names_.end())
      metric_names_.push_back(name);
  }

  Json columns() const {
    Json all = first_columns;
    for (const Json& axis : axes_) all.push_back(axis);
    for (const std::string& name : metric_names_) all.push_back(name);
    for (const std::string& name : last_columns) all.push_back(name);
    return all;
  }

  Json rows() {
    Statement all = ledger_.database().prepare(
        fmt::format("SELECT {}, axes FROM results ORDER BY place", fmt::join(names_, ", ")));
    Json rows = Json::array();
    while (all.step()) rows.push_back(row(all));
    return rows;
  }

  Json row(const Statement& all) {
    const auto count = first_columns.size();
    Json::object_t row;
    const auto column = [&](std::size_t k) {
      row.emplace_back(names_[k], value_of(all, static_cast<int>(k), names_[k]));
    };
    for (std::size_t k = 0; k < count; ++k) column(k);
    const Json values = parse_json(all.text(static_cast<int>(names_.size())));
    for (const Json& axis : axes_) {
      const auto key = axis.get<std::string>();
      row.emplace_back(key, values.contains(key) ? values.at(key) : Json());
    }
    const Json& metrics = metrics_[all.text(0)];
    for (const std::string& name : metric_names_)
      row.emplace_back(name, metrics.contains(name) ? metrics.at(name) : Json());
    for (std::size_t k = count; k < names_.size(); ++k) column(k);
    return row;
  }

  Json tune() {
    Statement all = ledger_.database().prepare(
        "SELECT model, variant, axes, rung, candidate, \"values\", objective, score, gradients, "
        "seconds, reason, winner FROM tune WHERE tuning IN (SELECT value FROM json_each("
        "coalesce((SELECT value FROM study WHERE key = 'tunings'), '[]'))) "
        "ORDER BY model, variant, axes, rung, candidate");
    Json trials = Json::array();
    while (all.step()) {
      Json trial = {{"model", all.text(0)},
                    {"variant", all.text(1)},
                    {"axes", parse_json(all.text(2))},
                    {"rung", all.integer(3)},
                    {"candidate", all.integer(4)},
                    {"values", parse_json(all.text(5))},
                    {"objective", all.text(6)},
                    {"score", nullptr},
                    {"gradients", nullptr},
                    {"seconds", nullptr},
                    {"reason", nullptr},
                    {"winner", all.integer(11) != 0}};
      if (!all.is_null(7)) trial["score"] = all.number(7);
      if (!all.is_null(8)) trial["gradients"] = all.number(8);
      if (!all.is_null(9)) trial["seconds"] = all.number(9);
      if (!all.is_null(10)) trial["reason"] = all.text(10);
      trials.push_back(std::move(trial));
    }
    return trials;
  }

  Ledger& ledger_;
  Json axes_;
  std::vector<std::string> names_;
  std::vector<std::string> metric_names_;
  std::map<std::string, Json> metrics_;
};

}  // namespace
}  // namespace study

std::string study_table_json(const std::string& study_folder,
                             const std::function<void(const std::string&)>& remark) {
  return study::read_from_ledger(study_folder, remark, [](study::Ledger& ledger) {
    return lenient_json_text(study::Table(ledger).json()) + "\n";
  });
}

}  // namespace mixwell
