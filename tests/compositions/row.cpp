// One composition, its certificate, and what a test says about it.
// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

#include <mixwell/lab/manifest.hpp>
#include <mixwell/random.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace compositions {
namespace {

using mixwell::Verification;

constexpr std::size_t column_count = 12;

std::string outcome_of(const Verification& found) {
  if (found.tested == "untested") return "untested";
  if (!found.conclusive) return "inconclusive";
  if (!found.agrees) return "disagree";
  return found.mobile ? "agree" : "still";
}

/// Without the manifest's name, and on one line.
std::string plain(std::string text) {
  const auto place = text.find(".toml:");
  if (place != std::string::npos) {
    const auto after = text.find(": ", place + 6);
    if (after != std::string::npos) text.erase(0, after + 2);
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string farthest(const Verification& found) {
  const auto worst = std::min_element(
      found.tests.begin(), found.tests.end(),
      [](const auto& a, const auto& b) { return a.failed != b.failed ? a.failed : a.p < b.p; });
  if (worst == found.tests.end()) return {};
  return fmt::format("{}: {} z = {:.3g}", worst->target, worst->name, worst->z);
}

/// A target that was left out says why nothing could be composed.
std::string remark_of(const Verification& found) {
  std::string remark = fmt::format("{}", fmt::join(found.remarks, "; "));
  if (found.tested != "untested") return plain(remark);
  for (const auto& target : found.targets) {
    if (target.skipped.empty()) continue;
    return (remark.empty() ? "" : remark + ": ") + plain(target.skipped);
  }
  return plain(remark);
}

void take(const Verification& found, Row& row) {
  row.tested = found.tested;
  row.outcome = outcome_of(found);
  row.statistic = farthest(found);
  row.visible_bias = found.smallest_visible_bias;
  row.gradients += found.gradients;
  row.remark = remark_of(found);
}

/// Whether more gradients may tell more.
bool is_open(const Verification& found) {
  if (found.conclusive) return false;
  return found.tested != "untested" ||
         std::any_of(found.targets.begin(), found.targets.end(), [](const auto& target) {
           return target.skipped.empty() || target.skipped.find("forget") != std::string::npos;
         });
}

void test(Row& row, const std::string& path, const mixwell::Registry& registry,
          const RowSettings& settings) {
  const mixwell::Composition composition = mixwell::load_manifest(path, registry);
  mixwell::VerifySettings verify = settings.verify;
  Verification found = mixwell::verify(composition, path, registry, verify);
  take(found, row);
  if (settings.second_budget <= 1.0 || !is_open(found)) return;
  verify.budget *= settings.second_budget;
  found = mixwell::verify(composition, path, registry, verify);
  take(found, row);
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    const bool doubled = inside && c == '"' && k + 1 < line.size() && line[k + 1] == '"';
    if (doubled) {
      cells.back() += line[++k];
    } else if (c == '"') {
      inside = !inside;
    } else if (c == ',' && !inside) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

std::string key_of(const Candidate& candidate, const RowSettings& settings) {
  const auto& verify = settings.verify;
  return fmt::format("{:016x}",
                     mixwell::hash_role(fmt::format(
                         "{}|{}|{}|{}|{}|{}", candidate.draft.text, settings.build, verify.budget,
                         verify.alpha, settings.second_budget, fmt::join(verify.targets, " "))));
}

Row blank(const Candidate& candidate, const RowSettings& settings) {
  Row row;
  row.id = candidate.id;
  row.key = key_of(candidate, settings);
  row.certificate = candidate.certificate;
  row.rule = candidate.rule;
  row.settings = candidate.draft.settings;
  return row;
}

Row verified(const Candidate& candidate, const mixwell::Registry& registry,
             const RowSettings& settings) {
  Row row = blank(candidate, settings);
  const std::string path = settings.folder + "/" + candidate.id + ".toml";
  const std::clock_t start = std::clock();
  try {
    std::ofstream(path) << candidate.draft.text;
    test(row, path, registry, settings);
  } catch (const std::exception& fault) {
    row.outcome = "error";
    row.remark = plain(fault.what());
  }
  row.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return row;
}

std::string csv_head() {
  return "id,key,certificate,rule,tested,outcome,statistic,visible_bias,gradients,seconds,settings,"
         "remark\n";
}

std::string csv_line(const Row& row) {
  return fmt::format("{},{},{},{},{},{},{},{:.4g},{:.4g},{:.2f},{},{}\n", quoted(row.id), row.key,
                     quoted(row.certificate), row.rule, row.tested, row.outcome,
                     quoted(row.statistic), row.visible_bias, row.gradients, row.seconds,
                     quoted(row.settings), quoted(row.remark));
}

std::map<std::string, Row> read_csv(const std::string& path) {
  std::map<std::string, Row> rows;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> cells = split(line);
    if (cells.size() != column_count || line + "\n" == csv_head()) continue;
    rows[cells[0]] = {cells[0],
                      cells[1],
                      cells[2],
                      cells[3],
                      cells[4],
                      cells[5],
                      cells[6],
                      std::atof(cells[7].c_str()),
                      std::atof(cells[8].c_str()),
                      std::atof(cells[9].c_str()),
                      cells[10],
                      cells[11]};
  }
  return rows;
}

}  // namespace compositions
