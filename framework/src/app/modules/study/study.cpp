// mixwell study: runs many cells from one file, and prints the table of their results.
// SPDX-License-Identifier: Apache-2.0
#include "advice/warnings.hpp"
#include "app/command.hpp"
#include "app/modules.hpp"
#include "app/modules/study/slurm.hpp"
#include "app/progress.hpp"
#include "app/signals.hpp"
#include "app/text_layout.hpp"
#include "files/instruction_set.hpp"
#include "files/json.hpp"
#include "files/own_files.hpp"
#include "manifest/manifest_arguments.hpp"

#include <mixwell/lab/study.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

namespace mixwell::app {
namespace {

using Json = nlohmann::ordered_json;

bool is_folder(const std::string& path) { return std::filesystem::is_directory(path); }

/// The folder of the results. Commands that only read results accept this folder instead of the
/// study file.
std::string folder_of(const StudyArguments& arguments) {
  if (!arguments.folder.empty()) return arguments.folder;
  if (is_folder(arguments.path)) return arguments.path;
  const std::string name = std::filesystem::path(arguments.path).stem().string();
  return "out/" + name + (arguments.quick ? "-quick" : "");
}

/// Throws InputError if the path is a folder. Running a study needs the study file, because paths
/// in the study are relative to the folder of this file.
void check_is_file(const StudyArguments& arguments) {
  if (!is_folder(arguments.path)) return;
  throw InputError(fmt::format(
      "`{0}` is a folder, but this command needs the study file. `mixwell study STUDY.toml --out "
      "{0}` continues the study in this folder. `mixwell study {0} --table` shows the results in "
      "this folder",
      arguments.path));
}

StudyOptions options_of(const StudyArguments& arguments) {
  const StudyOptions& given = arguments;
  StudyOptions options = given;
  options.folder = folder_of(arguments);
  options.program = own_program();
  return options;
}

// --- tables -------------------------------------------------------------------------------------

/// A CSV field as in RFC 4180: quoted if it contains a comma, a quote or a line break.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string text_of(std::monostate) { return ""; }
std::string text_of(const std::string& text) { return text; }
std::string text_of(const JsonText& value) { return value.text; }
std::string text_of(double value) {
  return std::isinf(value) ? fmt::format("{}", value) : json_text(value);
}
std::string text_of(const auto& value) { return json_text(value); }
std::string text_of(const StudyValue& value) {
  return std::visit([](const auto& one) { return text_of(one); }, value);
}

std::string csv_line(const auto& values) {
  std::string line;
  for (const auto& value : values) line += (line.empty() ? "" : ",") + csv_field(text_of(value));
  return line;
}

void print_csv(const StudyTable& table) {
  fmt::print("{}\n", csv_line(table.columns()));
  for (const StudyRow& row : table.rows) fmt::print("{}\n", csv_line(table.values(row)));
}

std::string short_number(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.4g}", value);
}

std::string short_text(const StudyValue& value) {
  const double* const number = std::get_if<double>(&value);
  return number == nullptr ? text_of(value) : short_number(*number);
}

std::string ess_cell(double ess, double mcse) { return std::isnan(ess) ? "" : ess_text(ess, mcse); }

std::string tuned_text(std::optional<bool> tuned) { return !tuned ? "" : *tuned ? "yes" : "no"; }

void print_findings(const std::vector<std::string>& findings) {
  for (const std::string& finding : findings) fmt::print("Warning: {}.\n", finding);
}

/// The error of --strict. The findings themselves are printed before it.
std::optional<Error> fault_of_findings(const StudyArguments& arguments,
                                       const std::vector<std::string>& findings) {
  if (!arguments.strict || findings.empty()) return std::nullopt;
  return RunError(
      fmt::format("the study has {} finding{}, which --strict treats as a failure. Fix "
                  "the cause of each finding, or omit --strict",
                  findings.size(), findings.size() == 1 ? "" : "s"));
}

/// The columns of cells that are compared with a reference.
constexpr std::array<std::string_view, 6> compared_metrics = {"mean_error_mcse", "within_4_mcse",
                                                              "mean_error_sd",   "sd_ratio_min",
                                                              "sd_ratio_max",    "max_rhat"};

double metric(const StudyTable& table, const StudyRow& row, std::string_view name) {
  const auto found = std::find(table.metrics.begin(), table.metrics.end(), name);
  if (found == table.metrics.end()) return StudyRow::unknown;
  return row.metrics[static_cast<std::size_t>(found - table.metrics.begin())];
}

/// Columns in units of the Monte Carlo error are empty unless the chains are known to have mixed.
std::string compared_cell(const StudyTable& table, const StudyRow& row, std::string_view name) {
  const bool is_known = !name.ends_with("_mcse") || metric(table, row, "max_rhat") <= unmixed_rhat;
  return is_known ? short_number(metric(table, row, name)) : "";
}

void print_text(const StudyTable& table) {
  std::vector<std::string> headings = {"cell", "model", "variant", ">seed"};
  for (const std::string& axis : table.axes) headings.push_back(">" + axis);
  headings.insert(headings.end(), {"status", "class", ">min_ess", ">gradients", ">seconds"});
  const bool tunes = std::any_of(table.rows.begin(), table.rows.end(),
                                 [](const StudyRow& row) { return row.tuned.has_value(); });
  if (tunes) headings.emplace_back("tuned");
  const bool compares =
      std::find(table.metrics.begin(), table.metrics.end(), "within_4_mcse") != table.metrics.end();
  for (const std::string_view name : compared_metrics)
    if (compares) headings.push_back(fmt::format(">{}", name));
  headings.emplace_back("reason");
  TextTable text(headings);
  for (const StudyRow& row : table.rows) {
    std::vector<std::string> cells = {row.cell, row.model, row.variant, std::to_string(row.seed)};
    for (const StudyValue& value : row.axes) cells.push_back(short_text(value));
    cells.insert(cells.end(), {std::string(to_string(row.status)), row.certificate.value_or(""),
                               ess_cell(row.min_ess, row.min_ess_mcse), short_number(row.gradients),
                               short_number(row.seconds)});
    if (tunes) cells.push_back(tuned_text(row.tuned));
    for (const std::string_view name : compared_metrics)
      if (compares) cells.push_back(compared_cell(table, row, name));
    cells.push_back(cut(row.reason, 60));
    text.add(std::move(cells));
  }
  fmt::print("{}", text.text());
  print_findings(table.findings());
}

ExitCode show_table(const StudyArguments& arguments) {
  const StudyTable table = read_study_table(folder_of(arguments), print_note);
  if (arguments.json) {
    fmt::print("{}", study_table_json(table));
  } else {
    arguments.csv ? print_csv(table) : print_text(table);
  }
  if (arguments.csv)
    for (const std::string& finding : table.findings()) print_note(finding);
  const auto fault = fault_of_findings(arguments, table.findings());
  if (!fault) return ExitCode::ok;
  if (!arguments.json) throw *fault;
  print_note(fault->what());  // standard output has only the JSON document with the findings
  return fault->code();
}

// --- dry run ------------------------------------------------------------------------------------

std::string cost_text(double cost) { return std::isnan(cost) ? "?" : fmt::format("{:.3g}", cost); }

std::string remark_of(const PlannedCell& cell) {
  if (!cell.refused.empty()) return "refused: " + cut(cell.refused, 60);
  if (!cell.reason.empty()) return "no estimate: " + cut(cell.reason, 60);
  return cell.tuned ? "after tuning" : "";
}

void print_cells(const StudyPlan& plan) {
  TextTable table({"cell", "label", "class", "status", ">gradients", ">seconds", "remark"});
  for (const PlannedCell& cell : plan.cells)
    table.add({cell.cell, cell.label, cell.certificate.value_or(""),
               std::string(to_string(cell.status)), cost_text(cell.gradients),
               cost_text(cell.seconds), remark_of(cell)});
  fmt::print("{}", table.text());
}

void print_plan(const StudyPlan& plan) {
  double gradients = 0.0, seconds = 0.0;
  std::map<std::string_view, int> counts;
  for (const PlannedCell& cell : plan.cells) {
    const bool refused = !cell.refused.empty();
    ++counts[refused ? "refused" : to_string(cell.status)];
    if (refused || cell.status != CellStatus::pending) continue;
    if (!std::isnan(cell.gradients)) gradients += cell.gradients;
    if (!std::isnan(cell.seconds)) seconds += cell.seconds;
  }
  print_cells(plan);
  fmt::print("\n{} cells:", plan.cells.size());
  for (const auto& [status, count] : counts) fmt::print(" {} {}", count, status);
  fmt::print(
      "; the pending cells need about {:.3g} gradient evaluations and {:.3g} s on one core "
      "(estimated from two sweeps of each phase)\n",
      gradients, seconds);
}

ExitCode show_plan(const StudyArguments& arguments) {
  const StopSignal stop;
  StudyOptions options = options_of(arguments);
  options.stop = &stop.request();
  const StudyPlan plan = plan_study(options);
  if (arguments.json) {
    fmt::print("{}", study_plan_json(plan));
  } else {
    print_plan(plan);
  }
  return ExitCode::ok;
}

// --- run ----------------------------------------------------------------------------------------

Json json_of(const StudyResult& result) {
  const StudyProgress& p = result.progress;
  return {{"result",
           {{"folder", result.folder},
            {"done", p.done},
            {"failed", p.failed},
            {"total", p.total},
            {"interrupted", result.interrupted},
            {"findings", result.findings}}}};
}

void print_end(const StudyArguments& arguments, const StudyResult& result) {
  const StudyProgress& p = result.progress;
  if (arguments.json) {
    fmt::print("{}\n", json_text(json_of(result)));
  } else if (!arguments.quiet) {
    print_findings(result.findings);
    fmt::print(
        "{} of {} cells done, {} failed. Results are in {} (to show them: mixwell study {}{}{} "
        "--table, or mixwell report {})\n",
        p.done, p.total, p.failed, result.folder, arguments.path, arguments.quick ? " --quick" : "",
        arguments.folder.empty() ? "" : " --out " + arguments.folder, result.folder);
  }
}

std::optional<Error> fault_of(const StudyArguments& arguments, const StudyResult& result) {
  if (result.interrupted)
    return RunError("the study was interrupted. The same command continues the study");
  if (result.progress.failed == 0) return fault_of_findings(arguments, result.findings);
  return RunError(fmt::format(
      "{} of {} cells failed. `--table` shows why. `--retry` runs the failed cells again",
      result.progress.failed, result.progress.total));
}

/// Calls `work` with options that show progress and remarks, and returns its result.
template <class Work>
StudyResult shown(const StudyArguments& arguments, const StudyOptions& of_study, Work work) {
  const StopSignal stop;
  ProgressDisplay display(arguments.quiet, arguments.json);
  StudyOptions options = of_study;
  options.stop = &stop.request();
  options.progress = [&display](const StudyProgress& progress) { display.show(progress); };
  options.remark = [&display](const std::string& text) { display.remark(text); };
  StudyResult result = work(options);
  display.finish(result.progress);
  return result;
}

ExitCode prepare(const StudyArguments& arguments) {
  const StudyResult result = shown(arguments, options_of(arguments), run_study);
  if (result.interrupted)
    throw RunError("the command was interrupted, and no cell ran. Run the same command again");
  fmt::print(
      "The list of {0} cells is in {2}. {1} of these cells are done. `mixwell study {3} "
      "--worker` runs the remaining cells.\n",
      result.progress.total, result.progress.done, result.folder, arguments.path);
  return ExitCode::ok;
}

ExitCode hand_to_slurm(const StudyArguments& arguments) {
  StudyOptions options = options_of(arguments);
  options.prepare = true;
  const StudyResult result = shown(arguments, options, run_study);
  if (result.interrupted)
    throw RunError(
        "the command was interrupted, and no job was submitted. Run the same command again");
  // On other machines bin/mixwell picks the set, or the study asks for the set that it began with.
  submit_to_slurm(arguments, options.folder, beside_program("mixwell").string());
  return ExitCode::ok;
}

ExitCode follow(const StudyArguments& arguments) {
  constexpr int looks = 15;  // number of reads of the records for each query of Slurm's queue
  const std::string folder = folder_of(arguments);
  int look = 0;
  const auto goes_on = [&] { return ++look % looks != 0 || is_in_slurm(folder); };
  StudyResult result = shown(arguments, options_of(arguments), [&](const StudyOptions& given) {
    return follow_study(given, goes_on);
  });
  result.findings = read_study_table(folder, print_note).findings();
  const StudyProgress& p = result.progress;
  print_findings(result.findings);
  fmt::print("{} of {} cells done, {} failed\n", p.done, p.total, p.failed);
  if (result.interrupted) {
    throw RunError(
        fmt::format("{} cells are unfinished. If workers are still running (see `squeue`), they "
                    "will run these cells. Otherwise, submit new workers with --slurm",
                    p.total - p.done - p.failed));
  }
  if (const auto fault = fault_of(arguments, result)) throw *fault;
  return ExitCode::ok;
}

ExitCode cancel(const StudyArguments& arguments) {
  cancel_slurm(folder_of(arguments));
  fmt::print(
      "The jobs are cancelled. `mixwell study {} --slurm` or `--worker` continues the study.\n",
      arguments.path);
  return ExitCode::ok;
}

ExitCode carry_out(const StudyArguments& arguments) {
  const StudyResult result = shown(arguments, options_of(arguments), run_study);
  const std::optional<Error> fault = fault_of(arguments, result);
  if (arguments.json && arguments.quiet) return print_only(json_of(result), fault);
  print_end(arguments, result);
  if (fault) throw *fault;
  return ExitCode::ok;
}

}  // namespace

ExitCode mixwell_study_command(const StudyArguments& arguments) {
  if (!arguments.why.empty()) {
    fmt::print("{}", study_why(folder_of(arguments), arguments.why, print_note));
    return ExitCode::ok;
  }
  if (arguments.table) return show_table(arguments);
  if (arguments.follow) return follow(arguments);
  if (arguments.cancel) return cancel(arguments);
  check_is_file(arguments);
  if (arguments.dry_run) return show_plan(arguments);
  if (arguments.prepare) return prepare(arguments);
  if (arguments.to_slurm) return hand_to_slurm(arguments);
  return carry_out(arguments);
}

ExitCode mixwell_study_schema() {
  fmt::print("{}", study_schema(load_registry()));
  return ExitCode::ok;
}

}  // namespace mixwell::app
