// Cases, wherever they come from: judged one by one, and what was found made small.
// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include "workers.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace compositions {
namespace {

constexpr double try_seconds = 5.0;  ///< a try that takes longer is not smaller

/// What an array or a table has at an index or a key.
struct TablePath {
  std::vector<std::string> tables;  ///< keys from the root to it
  std::string key;
  std::ptrdiff_t index = -1;  ///< of the array at `key`; -1: the key itself
  std::size_t depth() const { return tables.size() + (index < 0 ? 0 : 1); }
};

toml::table& table_of(toml::table& root, const TablePath& place) {
  toml::table* table = &root;
  for (const std::string& key : place.tables) table = (*table)[key].as_table();
  return *table;
}

void erase(toml::table& root, const TablePath& place) {
  toml::table& table = table_of(root, place);
  if (place.index < 0)
    table.erase(place.key);
  else
    table[place.key].as_array()->erase(table[place.key].as_array()->begin() + place.index);
}

/// A line without one of its words but the first, the verb of a statement.
std::vector<std::string> without_a_word(const std::string& line) {
  std::vector<std::string> found;
  for (std::size_t at = line.find(' '); at != std::string::npos; at = line.find(' ', at + 1)) {
    const std::size_t end = std::min(line.find(' ', at + 1), line.size());
    found.push_back(line.substr(0, at) + line.substr(end));
  }
  return found;
}

class Smaller {
 public:
  explicit Smaller(const std::string& manifest) : root_(toml::parse(manifest)) {}

  /// Without a table, a key, an item of a list or a word of one, or under a plain chain: what takes
  /// much away first.
  std::vector<std::string> all() {
    under_a_chain();
    collect(root_, {});
    std::stable_sort(places_.begin(), places_.end(),
                     [](const TablePath& a, const TablePath& b) { return a.depth() < b.depth(); });
    for (const TablePath& place : places_) edit([&](toml::table& root) { erase(root, place); });
    for (const TablePath& place : places_) shorten(place);
    if (root_["run"]["warmup"].value_or(0) > 0)
      edit([](toml::table& root) { root["run"].as_table()->insert_or_assign("warmup", 0); });
    return std::move(found_);
  }

 private:
  template <class Change>
  void edit(const Change& change) {
    toml::table copy = root_;
    change(copy);
    std::ostringstream text;
    text << copy << "\n";
    found_.push_back(text.str());
  }

  /// Each kernel under a plain chain.
  void under_a_chain() {
    const toml::table* const kernels = root_["kernel"].as_table();
    const toml::table* const compositors = root_["compositor"].as_table();
    if (kernels == nullptr || compositors == nullptr || compositors->empty()) return;
    const toml::table& compositor = *compositors->begin()->second.as_table();
    if (compositor["use"].value_or(std::string_view()) == "chain") return;
    for (auto&& [key, node] : *kernels) {
      const toml::table chain{{"use", "chain"}, {"kernel", std::string(std::string_view(key))}};
      edit([&](toml::table& root) {
        root.insert_or_assign("compositor", toml::table{{"c", chain}});
      });
    }
  }

  /// All but what every manifest has, and keys of models, whose defaults may be larger.
  void collect(const toml::table& table, const std::vector<std::string>& tables) {
    for (auto&& [key, node] : table) {
      const std::string name{std::string_view(key)};
      const bool is_head = tables.empty() && (name == "mixwell" || name == "run");
      const bool is_of_model = !tables.empty() && tables.front() == "model";
      if (is_head || name == "use" || (is_of_model && tables.size() > 1)) continue;
      places_.push_back({tables, name});
      const toml::array* const array = node.as_array();
      for (std::size_t k = 0; array != nullptr && k < array->size(); ++k)
        places_.push_back({tables, name, static_cast<std::ptrdiff_t>(k)});
      std::vector<std::string> inner = tables;
      inner.push_back(name);
      if (const toml::table* const below = node.as_table()) collect(*below, inner);
    }
  }

  void shorten(const TablePath& place) {
    if (place.index < 0) return;
    const auto at = static_cast<std::size_t>(place.index);
    const auto line = table_of(root_, place)[place.key][at].value<std::string>();
    if (!line) return;
    for (const std::string& shorter : without_a_word(*line)) {
      edit([&](toml::table& root) {
        toml::array& lines = *table_of(root, place)[place.key].as_array();
        lines.replace(lines.begin() + place.index, shorter);
      });
    }
  }

  toml::table root_;
  std::vector<TablePath> places_;
  std::vector<std::string> found_;
};

/// Takes away as much as `shows` lets it.
std::string shrunk(std::string manifest, const std::function<bool(const std::string&)>& shows) {
  // What could not be taken away stays, mostly: the next try is the one after what could.
  for (std::size_t next = 0;;) {
    std::vector<std::string> tries = Smaller(manifest).all();
    if (tries.empty()) return manifest;
    next %= tries.size();
    std::rotate(tries.begin(), tries.begin() + static_cast<std::ptrdiff_t>(next), tries.end());
    const auto found = std::find_if(tries.begin(), tries.end(), shows);
    if (found == tries.end()) return manifest;
    manifest = *found;
    next += static_cast<std::size_t>(found - tries.begin());
  }
}

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
