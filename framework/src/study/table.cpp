// The table of a study, from its records.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "study/outline.hpp"
#include "study/shares.hpp"
#include "study/table_json.hpp"

#include <mixwell/lab/study.hpp>
#include <mixwell/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

namespace mixwell {
namespace study {
namespace {

/// The columns before axes and metrics, and those behind them.
auto first_columns(const StudyRow& row) {
  return RowColumns(
      "cell variant model seed status reason class min_ess min_ess_mcse gradients seconds",
      std::tie(row.cell, row.variant, row.model, row.seed, row.status, row.reason, row.certificate,
               row.min_ess, row.min_ess_mcse, row.gradients, row.seconds));
}
auto last_columns(const StudyRow& row) {
  return RowColumns(
      "tuned outcome draws warmup_gradients warmup_seconds cell_seconds draws_sha256 "
      "attempts started_at ended_at host curve",
      std::tie(row.tuned, row.outcome, row.draws, row.warmup_gradients, row.warmup_seconds,
               row.cell_seconds, row.draws_sha256, row.attempts, row.started_at, row.ended_at,
               row.host, row.curve));
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

class TableReader {
 public:
  explicit TableReader(std::string folder) : folder_(std::move(folder)) {}

  StudyTable read() {
    read_facts();
    for (TrialRow& trial : outline_.trials()) table_.tune.push_back(std::move(trial));
    for (TuningSum& sum : outline_.sums()) table_.tunings.push_back(std::move(sum));
    read_rows();
    read_metrics();
    return std::move(table_);
  }

  /// The files of records that are not whole.
  std::vector<std::string> damaged() const {
    std::vector<std::string> files = outline_.damaged;
    for (std::size_t k = 0; k < damaged_.size(); ++k)
      if (damaged_[k] != 0)
        files.push_back(record_file(folder_, RecordKind::cell, outline_.places[k].cell));
    return files;
  }

 private:
  void read_facts() {
    table_.study = outline_.fact("name");
    table_.file = outline_.fact("file");
    fact("axes", table_.axes);
    fact("aliases", table_.aliases);
    fact("paper", table_.paper);
    fact("tune_gradients", table_.tune_gradients);
  }

  template <class T>
  void fact(const char* key, T& to) const {
    const std::string text = outline_.fact(key);
    if (!text.empty()) parse_json(text).get_to(to);
  }

  void read_rows() {
    for (const StudyTuning& sum : table_.tunings)
      tuned_[{sum.model, sum.variant, sum.axes}] = sum.tuned;
    const std::size_t count = outline_.places.size();
    table_.rows.resize(count);
    metrics_.resize(count);
    damaged_.resize(count);
    parallel_for(static_cast<Index>(count),
                 [this](Index k) { read_row(static_cast<std::size_t>(k)); });
  }

  void read_row(std::size_t k) {
    const StudyPlace& place = outline_.places[k];
    bool is_damaged = false;
    auto record = read_cell(folder_, place.cell, LongTexts::skipped, &is_damaged);
    damaged_[k] = is_damaged ? 1 : 0;
    StudyRow& row = table_.rows[k];
    row = record ? std::move(record->row) : without_record(place.cell);
    if (record) metrics_[k] = std::move(record->metrics);
    row.cell = place.cell;
    at_work_.show(row);
    row.model = place.model;
    row.variant = place.variant;
    row.seed = place.seed;
    const auto tuned = tuned_.find({place.model, place.variant, place.axes});
    if (tuned != tuned_.end()) row.tuned = tuned->second;
    const Json axes = parse_json(place.axes);
    for (const std::string& key : table_.axes)
      row.axes.push_back(study_value(axes.value(key, Json())));
  }

  CellRow without_record(const std::string& cell) const {
    const auto found = pending_.find(cell);
    return found == pending_.end() ? CellRow() : found->second;
  }

  /// By name, each before its error.
  void read_metrics() {
    std::map<std::string, bool> has_error;
    for (const auto& of_row : metrics_)
      for (const CellMetric& metric : of_row) {
        bool& known = has_error[metric.name];
        known = known || !std::isnan(metric.mcse);
      }
    std::map<std::string, std::size_t> columns;
    for (const auto& [name, is_known] : has_error) {
      columns[name] = table_.metrics.size();
      table_.metrics.push_back(name);
      if (is_known) table_.metrics.push_back(name + "_mcse");
    }
    for (std::size_t k = 0; k < metrics_.size(); ++k) {
      std::vector<double>& values = table_.rows[k].metrics;
      values.resize(table_.metrics.size(), StudyRow::unknown);
      for (const CellMetric& metric : metrics_[k]) {
        const std::size_t column = columns[metric.name];
        values[column] = metric.value;
        if (has_error[metric.name]) values[column + 1] = metric.mcse;
      }
    }
  }

  std::string folder_;
  const Outline outline_ = read_outline(folder_, LongTexts::skipped);
  const std::map<std::string, CellRow> pending_ = read_pending(folder_, LongTexts::skipped);
  const CellsAtWork at_work_{folder_};
  std::map<std::tuple<std::string, std::string, std::string>, std::optional<bool>> tuned_;
  StudyTable table_;
  std::vector<std::vector<CellMetric>> metrics_;  ///< as the rows
  std::vector<char> damaged_;                     ///< likewise
};

}  // namespace
}  // namespace study

std::vector<std::string> StudyTable::columns() const {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name, const auto&) { names.emplace_back(name); };
  study::each_column(study::first_columns({}), add);
  names.insert(names.end(), axes.begin(), axes.end());
  for (const AxisAlias& alias : aliases) names.push_back(alias.name);
  names.insert(names.end(), metrics.begin(), metrics.end());
  study::each_column(study::last_columns({}), add);
  return names;
}

std::vector<StudyValue> StudyTable::values(const StudyRow& row) const {
  std::vector<StudyValue> all;
  const auto add = [&](std::string_view, const auto& value) {
    all.push_back(study::value_of(value));
  };
  study::each_column(study::first_columns(row), add);
  all.insert(all.end(), row.axes.begin(), row.axes.end());
  for (const AxisAlias& alias : aliases) all.push_back(study::value_of(alias, *this, row));
  for (const double value : row.metrics) all.push_back(study::value_of(value));
  study::each_column(study::last_columns(row), add);
  return all;
}

StudyTable read_study_table(const std::string& study_folder,
                            const std::function<void(const std::string&)>& remark) {
  return study::read_study(study_folder, [&] {
    study::TableReader reader(study_folder);
    StudyTable table = reader.read();
    study::tell_damaged(reader.damaged(), remark);
    return table;
  });
}

}  // namespace mixwell
