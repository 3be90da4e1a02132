// Cases, wherever they come from: judged one by one, and what was found made small.
// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include "shrink.hpp"
#include "workers.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

namespace compositions {
namespace {

constexpr double try_seconds = 5.0;  ///< a try that takes longer is not smaller

/// Appends to the file what the judge says of these cases, each in a process of its own.
void judge_all(const std::vector<std::size_t>& numbers, const Source& source,
               const mixwell::Registry& registry, const SearchSettings& settings) {
  const std::string path = settings.judge.folder + "/" + settings.file;
  const auto line = [&](std::size_t k) {
    return tsv_line(judged(source.at(numbers[k]), registry, settings.judge));
  };
  const auto line_of_dead = [&](std::size_t k, const std::string& how) {
    Row row = source.blank(numbers[k]);
    row.key = settings.judge.key;
    row.outcome = how.starts_with("stopped") ? "inconclusive" : "error";
    row.remark = how;
    return tsv_line(row);
  };
  run({numbers.size(), settings.jobs, settings.seconds, settings.case_seconds, line, line_of_dead},
      path);
}

/// By one run of verify a try.
std::string smallest(Case one, const std::string& outcome, const mixwell::Registry& registry,
                     SearchSettings settings) {
  settings.file = "shrinking.tsv";
  settings.seconds = 0.0;
  settings.case_seconds = try_seconds;
  settings.judge.second_budget = 1.0;
  one.level = 1.0;
  one.drawn = true;
  const std::string path = settings.judge.folder + "/" + settings.file;
  const auto blank = [&](std::size_t) { return Row{.id = one.id}; };
  const Source tries{1, blank, [&](std::size_t) { return one; }};
  return shrunk(one.manifest, [&](const std::string& manifest) {
    one.manifest = manifest;
    std::filesystem::remove(path);
    judge_all({0}, tries, registry, settings);
    return read_tsv(path, settings.judge.key).at(one.id).outcome == outcome;
  });
}

}  // namespace

std::map<std::size_t, Row> rows_of(const Source& source, const mixwell::Registry& registry,
                                   const SearchSettings& settings) {
  const std::string path = settings.judge.folder + "/" + settings.file;
  const auto earlier = read_tsv(path, settings.judge.key);
  std::ofstream kept(path);
  kept << tsv_head();
  for (const auto& [id, row] : earlier) kept << tsv_line(row);
  kept.close();
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < source.count; ++k)
    if (!earlier.contains(source.blank(k).id)) open.push_back(k);
  judge_all(open, source, registry, settings);
  const auto all = read_tsv(path, settings.judge.key);
  std::map<std::size_t, Row> rows;
  for (std::size_t k = 0; k < source.count; ++k)
    if (const auto row = all.find(source.blank(k).id); row != all.end())
      rows.emplace(k, row->second);
  return rows;
}

std::size_t tell_findings(const std::map<std::size_t, Row>& rows, const Source& source,
                          const mixwell::Registry& registry, const SearchSettings& settings) {
  std::size_t findings = 0;
  for (const auto& [k, row] : rows) {
    if (!row.is_finding()) continue;
    const Case whole = source.at(k);
    const std::string stem = settings.judge.folder + "/" + row.id;
    std::ofstream(stem + ".toml") << whole.manifest;
    fmt::print("\n{}.toml\n{}", stem, whole.manifest);
    const std::string head = fmt::format("# {}: {}, rule {}\n# {} {}\n", row.outcome,
                                         row.certificate, row.rule, row.statistic, row.remark);
    if (++findings <= settings.shrink) {
      const std::string text = head + smallest(whole, row.outcome, registry, settings);
      std::ofstream(stem + "-smallest.toml") << text;
      fmt::print("\n{}-smallest.toml, shrunk\n{}\n", stem, text);
    } else {
      fmt::print("{}", head);
    }
    std::fflush(stdout);
  }
  fmt::print("{} findings\n", findings);
  return findings;
}

}  // namespace compositions
