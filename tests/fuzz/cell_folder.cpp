// Fuzz target: the folder of a study with one cell, as the table, the report and `--why` read it.
// An input is the rows of the cell's record, the mark "--places--", those of places.json, the mark
// "--study--", and those of study.json. Rows get a right seal, unless "raw " stands before them.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "files/sha256.hpp"
#include "fuzzing.hpp"

#include <mixwell/lab/page.hpp>
#include <mixwell/lab/study.hpp>

namespace {

std::string record(std::string_view rows) {
  if (rows.starts_with("raw ")) return std::string(rows.substr(4));
  const auto json = mixwell::parse_json_or_discard(std::string(rows));
  if (json.is_discarded()) return std::string(rows);
  const std::string text = mixwell::json_text(json);
  return R"({"format":1,"sha256":")" + mixwell::sha256(text) + R"(","rows":)" + text + "}\n";
}

void read(const std::string& folder) {
  mixwell::study_page_json(mixwell::study_table_json(folder), folder);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string folder = fuzzing::folder().path() + "/study";
  const auto [cell, others] = fuzzing::split(fuzzing::text_of(data, size), "--places--");
  const auto [places, study] = fuzzing::split(others, "--study--");
  fuzzing::folder().file("study/cells/0123456789abcdef/cell.json", record(cell));
  fuzzing::folder().file("study/places.json", record(places));
  fuzzing::folder().file("study/study.json", record(study));
  fuzzing::accepts([] { read(folder); });
  fuzzing::accepts([] { mixwell::study_why(folder, "0123456789abcdef"); });
  return 0;
}
