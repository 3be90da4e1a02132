// Reads the table of a study from the study's records, and adds remarks for the user.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "study/claims.hpp"
#include "study/file.hpp"
#include "study/records.hpp"

#include <mixwell/base/machine.hpp>
#include <mixwell/lab/study.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace mixwell {
namespace study {
namespace {

/// The columns before and after axes and metrics.
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

/// The value of an alias in a row: the value of the only axis of the alias that the row has.
StudyValue alias_value(const AxisAlias& alias, const StudyTable& table, const StudyRow& row) {
  for (std::size_t k = 0; k < table.axes.size(); ++k) {
    if (alias.stands_for(table.axes[k]) && !std::holds_alternative<std::monostate>(row.axes[k]))
      return row.axes[k];
  }
  return {};
}

// Remarks that a reader needs before the figures, such as choices without a score.

constexpr std::size_t most_named = 5;
/// Relative differences between the spent budgets are reported if they exceed this share.
constexpr double alike = 0.05;

std::string label_of(const StudyTuning& tuning) {
  return group_label(tuning.model, tuning.variant, parse_json(tuning.axes));
}

bool chose_blindly(const StudyTuning& tuning) { return tuning.tuned && !*tuning.tuned; }

std::string blind_choice(const StudyTuning& tuning) {
  const std::string why = tuning.reason.empty() ? "" : " (" + tuning.reason + ")";
  const std::string label = label_of(tuning);
  if (tuning.scored == 0) {
    return fmt::format(
        "{} is not tuned: none of its {} trials has a score{}, so Mixwell used the first candidate",
        label, tuning.trials, why);
  }
  return fmt::format(
      "{} is not tuned fairly: only {} of its {} trials have a score{}, so Mixwell kept or dropped "
      "some candidates without knowing their scores",
      label, tuning.scored, tuning.trials, why);
}

void add_blind_choices(const std::vector<StudyTuning>& tunings, std::vector<std::string>& to) {
  std::size_t more = 0;
  for (const StudyTuning& tuning : tunings) {
    if (!chose_blindly(tuning)) continue;
    if (to.size() < most_named)
      to.push_back(blind_choice(tuning));
    else
      ++more;
  }
  if (more == 0) return;
  to.push_back(
      fmt::format("{} more tunings chose a candidate without a score. The table marks the cells of "
                  "these tunings with tuned = false",
                  more));
}

void add_unequal_budgets(std::vector<StudyTuning> tunings, double budget,
                         std::vector<std::string>& to) {
  std::erase_if(tunings, [](const StudyTuning& one) { return !one.tuned; });
  const auto [least, most] = std::minmax_element(
      tunings.begin(), tunings.end(),
      [](const StudyTuning& a, const StudyTuning& b) { return a.gradients < b.gradients; });
  if (tunings.empty() || most->gradients <= (1.0 + alike) * least->gradients) return;
  to.push_back(
      fmt::format("tunings spent different numbers of gradients: {} spent {:.0f}, and {} spent "
                  "{:.0f}. The budget of each tuning was {:.0f}. The cost of a trial can differ "
                  "from its budget by up to the cost of one sweep",
                  label_of(*least), least->gradients, label_of(*most), most->gradients, budget));
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

  /// The files of damaged records.
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
    CellRecord now = cells_.read(place.cell, &is_damaged);
    damaged_[k] = is_damaged ? 1 : 0;
    StudyRow& row = table_.rows[k];
    row = std::move(now.row);
    for (const CellMetric& metric : now.metrics) {
      metrics_[k][metric.name] = metric.value;
      if (!std::isnan(metric.mcse)) metrics_[k][metric.name + "_mcse"] = metric.mcse;
    }
    row.model = place.model;
    row.variant = place.variant;
    row.seed = place.seed;
    const auto tuned = tuned_.find({place.model, place.variant, place.axes});
    if (tuned != tuned_.end()) row.tuned = tuned->second;
    const Json axes = parse_json(place.axes);
    for (const std::string& key : table_.axes)
      row.axes.push_back(study_value(axes.value(key, Json())));
  }

  /// Collects the metrics by name. The column of each metric comes before the column of its error.
  void read_metrics() {
    std::set<std::string> names;
    for (const auto& of_row : metrics_)
      for (const auto& [name, value] : of_row) names.insert(name);
    table_.metrics.assign(names.begin(), names.end());
    for (std::size_t k = 0; k < metrics_.size(); ++k) {
      for (const std::string& name : names) {
        const auto found = metrics_[k].find(name);
        table_.rows[k].metrics.push_back(found == metrics_[k].end() ? unknown : found->second);
      }
    }
  }

  std::string folder_;
  const Outline outline_ = read_outline(folder_, LongTexts::skipped);
  const CellsNow cells_{folder_, LongTexts::skipped};
  std::map<std::tuple<std::string, std::string, std::string>, std::optional<bool>> tuned_;
  StudyTable table_;
  std::vector<std::map<std::string, double>> metrics_;  ///< in the order of the rows
  std::vector<char> damaged_;                           ///< in the order of the rows
};

}  // namespace
}  // namespace study

/// One sentence for each of the first five tunings that chose a candidate without a score. One more
/// sentence if the numbers of gradients that tunings spent differ by more than a twentieth.
std::vector<std::string> StudyTable::findings() const {
  std::vector<std::string> found;
  study::add_blind_choices(tunings, found);
  study::add_unequal_budgets(tunings, tune_gradients, found);
  return found;
}

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
  for (const AxisAlias& alias : aliases) all.push_back(study::alias_value(alias, *this, row));
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
