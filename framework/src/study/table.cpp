// The table of a study, from its ledger.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "study/findings.hpp"
#include "study/ledger_file.hpp"
#include "study/status.hpp"
#include "study/table_json.hpp"

#include <mixwell/lab/study.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace mixwell {
namespace study {
namespace {

using Json = nlohmann::ordered_json;
using Member =
    std::variant<std::string StudyRow::*, std::int64_t StudyRow::*, double StudyRow::*,
                 std::optional<std::string> StudyRow::*, std::optional<std::int64_t> StudyRow::*,
                 CellStatus StudyRow::*, std::optional<EndedBy> StudyRow::*,
                 std::optional<bool> StudyRow::*, std::vector<ErrorPoint> StudyRow::*>;

/// A column of `results` and of the table.
struct TableColumn {
  const char* name;
  Member value;
};

/// Before axes and metrics, and after them.
const std::array<TableColumn, 11> first_columns = {{{"cell", &StudyRow::cell},
                                                    {"variant", &StudyRow::variant},
                                                    {"model", &StudyRow::model},
                                                    {"seed", &StudyRow::seed},
                                                    {"status", &StudyRow::status},
                                                    {"reason", &StudyRow::reason},
                                                    {"class", &StudyRow::certificate},
                                                    {"min_ess", &StudyRow::min_ess},
                                                    {"min_ess_mcse", &StudyRow::min_ess_mcse},
                                                    {"gradients", &StudyRow::gradients},
                                                    {"seconds", &StudyRow::seconds}}};
const std::array<TableColumn, 12> last_columns = {
    {{"tuned", &StudyRow::tuned},
     {"outcome", &StudyRow::outcome},
     {"draws", &StudyRow::draws},
     {"warmup_gradients", &StudyRow::warmup_gradients},
     {"warmup_seconds", &StudyRow::warmup_seconds},
     {"cell_seconds", &StudyRow::cell_seconds},
     {"draws_sha256", &StudyRow::draws_sha256},
     {"attempts", &StudyRow::attempts},
     {"started_at", &StudyRow::started_at},
     {"ended_at", &StudyRow::ended_at},
     {"host", &StudyRow::host},
     {"curve", &StudyRow::curve}}};

// What the ledger has, in a row.

void read(const Statement& row, int column, std::string& to) { to = row.text(column); }
void read(const Statement& row, int column, std::int64_t& to) { to = row.integer(column); }
void read(const Statement& row, int column, double& to) { to = row.number(column); }
void read(const Statement& row, int column, bool& to) { to = row.integer(column) != 0; }
void read(const Statement& row, int column, CellStatus& to) {
  to = cell_status_from(row.text(column));
}
void read(const Statement& row, int column, EndedBy& to) { to = ended_by_from(row.text(column)); }
void read(const Statement& row, int column, std::vector<ErrorPoint>& to) {
  if (!row.is_null(column)) parse_json(row.text(column)).get_to(to);
}
template <class T>
void read(const Statement& row, int column, std::optional<T>& to) {
  if (!row.is_null(column)) read(row, column, to.emplace());
}

// What a row has, in the table.

StudyValue value_of(std::int64_t value) { return value; }
StudyValue value_of(bool value) { return value; }
StudyValue value_of(CellStatus status) { return std::string(to_string(status)); }
StudyValue value_of(EndedBy ended_by) { return std::string(to_string(ended_by)); }
StudyValue value_of(double value) { return std::isnan(value) ? StudyValue() : StudyValue(value); }
StudyValue value_of(const std::string& text) {
  return text.empty() ? StudyValue() : StudyValue(text);
}
StudyValue value_of(const std::vector<ErrorPoint>& curve) {
  return curve.empty() ? StudyValue() : JsonText{json_text(curve)};
}
StudyValue value_of(const std::optional<std::string>& text) {
  return text ? StudyValue(*text) : StudyValue();
}
template <class T>
StudyValue value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : StudyValue();
}

/// Of the axis that the row has, of those that go by one name.
StudyValue value_of(const AxisAlias& alias, const StudyTable& table, const StudyRow& row) {
  for (std::size_t k = 0; k < table.axes.size(); ++k) {
    if (alias.stands_for(table.axes[k]) && !std::holds_alternative<std::monostate>(row.axes[k]))
      return row.axes[k];
  }
  return {};
}

/// Throws nlohmann's exceptions for what is no JSON.
std::string checked_json(const std::string& text) { return json_text(parse_json(text)); }

class TableReader {
 public:
  explicit TableReader(Ledger& ledger) : ledger_(ledger) {}

  StudyTable read() {
    table_.study = ledger_.get("name");
    table_.file = ledger_.get("file");
    fact("axes", table_.axes);
    fact("aliases", table_.aliases);
    fact("paper", table_.paper);
    read_metrics();
    read_rows();
    read_tune();
    table_.tunings = read_tunings(ledger_);
    fact("tune_gradients", table_.tune_gradients);
    return std::move(table_);
  }

 private:
  template <class T>
  void fact(const char* key, T& to) {
    const std::string text = ledger_.get(key);
    if (!text.empty()) parse_json(text).get_to(to);
  }

  void read_metrics() {
    Statement all = ledger_.database().prepare(
        "SELECT cell, name, value, mcse FROM metrics WHERE cell IN (SELECT cell FROM points) "
        "ORDER BY name");
    while (all.step()) {
      add_metric(all.text(0), all.text(1), all.number(2));
      if (!all.is_null(3)) add_metric(all.text(0), all.text(1) + "_mcse", all.number(3));
    }
  }

  void add_metric(const std::string& cell, const std::string& name, double value) {
    metrics_[cell][name] = value;
    std::vector<std::string>& names = table_.metrics;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  void read_rows() {
    std::vector<TableColumn> columns(first_columns.begin(), first_columns.end());
    columns.insert(columns.end(), last_columns.begin(), last_columns.end());
    std::vector<const char*> names;
    for (const TableColumn& column : columns) names.push_back(column.name);
    Statement all = ledger_.database().prepare(fmt::format(
        "SELECT axes, {} FROM ({}) ORDER BY place", fmt::join(names, ", "), results_query()));
    while (all.step()) {
      StudyRow row;
      int place = 0;
      for (const TableColumn& column : columns)
        std::visit([&](auto member) { study::read(all, ++place, row.*member); }, column.value);
      const Json axes = parse_json(all.text(0));
      for (const std::string& key : table_.axes)
        row.axes.push_back(study_value(axes.value(key, Json())));
      const auto& metrics = metrics_[row.cell];
      for (const std::string& name : table_.metrics) {
        const auto found = metrics.find(name);
        row.metrics.push_back(found == metrics.end() ? StudyRow::unknown : found->second);
      }
      table_.rows.push_back(std::move(row));
    }
  }

  void read_tune() {
    Statement all = ledger_.database().prepare(
        "SELECT model, variant, axes, rung, candidate, \"values\", objective, score, gradients, "
        "seconds, reason, winner FROM tune WHERE tuning IN (SELECT value FROM json_each("
        "coalesce((SELECT value FROM study WHERE key = 'tunings'), '[]'))) "
        "ORDER BY model, variant, axes, rung, candidate");
    while (all.step()) {
      table_.tune.push_back({.model = all.text(0),
                             .variant = all.text(1),
                             .axes = checked_json(all.text(2)),
                             .rung = all.integer(3),
                             .candidate = all.integer(4),
                             .values = checked_json(all.text(5)),
                             .objective = all.text(6),
                             .score = all.number(7),
                             .gradients = all.number(8),
                             .seconds = all.number(9),
                             .reason = all.text(10),
                             .winner = all.integer(11) != 0});
    }
  }

  Ledger& ledger_;
  StudyTable table_;
  std::map<std::string, std::map<std::string, double>> metrics_;  ///< by cell
};

}  // namespace
}  // namespace study

std::vector<std::string> StudyTable::columns() const {
  std::vector<std::string> names;
  for (const study::TableColumn& column : study::first_columns) names.emplace_back(column.name);
  names.insert(names.end(), axes.begin(), axes.end());
  for (const AxisAlias& alias : aliases) names.push_back(alias.name);
  names.insert(names.end(), metrics.begin(), metrics.end());
  for (const study::TableColumn& column : study::last_columns) names.emplace_back(column.name);
  return names;
}

std::vector<StudyValue> StudyTable::values(const StudyRow& row) const {
  std::vector<StudyValue> all;
  const auto add = [&](const study::TableColumn& column) {
    all.push_back(
        std::visit([&](auto member) { return study::value_of(row.*member); }, column.value));
  };
  std::for_each(study::first_columns.begin(), study::first_columns.end(), add);
  all.insert(all.end(), row.axes.begin(), row.axes.end());
  for (const AxisAlias& alias : aliases) all.push_back(study::value_of(alias, *this, row));
  for (const double value : row.metrics) all.push_back(study::value_of(value));
  std::for_each(study::last_columns.begin(), study::last_columns.end(), add);
  return all;
}

StudyTable read_study_table(const std::string& study_folder,
                            const std::function<void(const std::string&)>& remark) {
  return study::read_from_ledger(study_folder, remark, [](study::Ledger& ledger) {
    return study::TableReader(ledger).read();
  });
}

}  // namespace mixwell
