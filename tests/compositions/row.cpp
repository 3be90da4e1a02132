// What was found out about one case: a line of a table.
// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace compositions {
namespace {

struct Column {
  const char* name;
  std::string Row::*cell;
};

constexpr std::array columns{
    Column{"id", &Row::id},
    Column{"key", &Row::key},
    Column{"compositor", &Row::compositor},
    Column{"certificate", &Row::certificate},
    Column{"rule", &Row::rule},
    Column{"worlds", &Row::worlds},
    Column{"tested", &Row::tested},
    Column{"outcome", &Row::outcome},
    Column{"statistic", &Row::statistic},
    Column{"visible_bias", &Row::visible_bias},
    Column{"gradients", &Row::gradients},
    Column{"seconds", &Row::seconds},
    Column{"settings", &Row::settings},
    Column{"remark", &Row::remark},
};

/// Without tabs and ends of lines.
std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

template <class Text>
std::string joined(const Text& text) {
  std::string line;
  for (const Column& column : columns) line += (line.empty() ? "" : "\t") + text(column);
  return line + "\n";
}

}  // namespace

std::string tsv_head() {
  return joined([](const Column& c) { return std::string(c.name); });
}

std::string tsv_line(const Row& row) {
  return joined([&](const Column& c) { return plain(row.*c.cell); });
}

std::map<std::string, Row> read_tsv(const std::string& path, std::string_view key) {
  std::map<std::string, Row> rows;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    Row row;
    std::istringstream cells(line);
    for (const Column& column : columns) std::getline(cells, row.*column.cell, '\t');
    if (row.key == key) rows[row.id] = std::move(row);
  }
  return rows;
}

}  // namespace compositions
