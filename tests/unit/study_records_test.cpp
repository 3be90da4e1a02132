// Records of a study: what is read from them, and records that no study has written.
// SPDX-License-Identifier: Apache-2.0
#include "files/sha256.hpp"
#include "study/records.hpp"
#include "support.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/study.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

namespace {

std::string record(const std::string& rows) {
  return R"({"format":1,"sha256":")" + mixwell::sha256(rows) + R"(","rows":)" + rows + "}\n";
}

/// The message when a study is read whose only cell has these rows, or "accepted".
std::string answer_to(const std::string& rows) {
  const support::TemporaryFolder folder;
  folder.file("cells/0123456789abcdef/cell.json", record(rows));
  folder.file("places.json",
              record(R"({"points":[{"place":1,"label":"l","model":"m","variant":"v","seed":3,)"
                     R"("axes":"{}","cell":"0123456789abcdef"}],"history":[]})"));
  try {
    mixwell::study_table_json(folder.path());
    return "accepted";
  } catch (const mixwell::InputError& error) {
    return error.what();
  }
}

void check_refused(const std::string& rows) {
  const std::string answer = answer_to(rows);
  INFO(rows << " -> " << answer);
  CHECK(answer.find("cells/0123456789abcdef/cell.json: ") != std::string::npos);
  CHECK(answer.find("Remove the file") != std::string::npos);
}

/// The table of a study with one cell, which ended so and has these axes.
mixwell::StudyTable table_of(const std::string& outcome, const std::string& axes) {
  const support::TemporaryFolder folder;
  folder.file(
      "cells/0123456789abcdef/cell.json",
      record(R"({"cells":[{"cell":"0123456789abcdef","sha256":"","status":"done","outcome":")" +
             outcome +
             R"(","min_ess":2.5,"draws":10,"attempts":1}],"metrics":[{"cell":)"
             R"("0123456789abcdef","name":"ebfmi","value":null,"mcse":0.5}],"compared":[]})"));
  folder.file(
      "places.json",
      record(R"({"points":[{"place":1,"label":"l","model":"m","variant":"v","seed":3,"axes":")" +
             axes + R"(","cell":"0123456789abcdef"}],"history":[]})"));
  folder.file("study.json",
              record(R"({"study":[{"key":"axes","value":"[\"run.draws\",\"a\"]"}]})"));
  return mixwell::read_study_table(folder.path());
}

}  // namespace

namespace {

using mixwell::study::CellRecord;
using mixwell::study::LongTexts;
using mixwell::study::read_cell;

const std::string some_cell = "0123456789abcdef";

/// Texts that look like the separators around them.
CellRecord some_record() {
  CellRecord record;
  record.row.cell = some_cell;
  record.row.sha256 = some_cell + some_cell;
  record.row.status = mixwell::CellStatus::done;
  record.row.certificate = "";
  record.row.min_ess = INFINITY;
  record.row.draws = 1L << 60;
  record.row.reason = R"(a "manifest":"x\" of "run":"y)";
  record.row.versions = R"({"run":"1\\"})";
  record.row.manifest = "a = \"\\\"\\\\\"\n# \"summary\":\"é\" \\";
  record.row.summary = "\"";
  record.row.run = "\\\\";
  record.row.curve = {{5, 1.0, 2.0, 0.5, NAN}};
  record.metrics = {{"ebfmi", 0.5, NAN}, {"max_rhat", INFINITY, 0.25}};
  record.reference = "r";
  return record;
}

std::string kept(const support::TemporaryFolder& folder, const CellRecord& record) {
  const std::string file = record_file(folder.path(), mixwell::study::RecordKind::cell, some_cell);
  mixwell::study::write_record(file, json_of(record));
  return file;
}

}  // namespace

TEST_CASE("A record says what was written, and the same without its long texts") {
  const support::TemporaryFolder folder;
  const CellRecord wanted = some_record();
  kept(folder, wanted);
  for (const LongTexts texts : {LongTexts::kept, LongTexts::skipped}) {
    const auto found = read_cell(folder.path(), some_cell, texts);
    REQUIRE(found);
    const bool all = texts == LongTexts::kept;
    CHECK(found->row.manifest == (all ? wanted.row.manifest : ""));
    CHECK(found->row.summary == (all ? wanted.row.summary : ""));
    CHECK(found->row.versions == (all ? wanted.row.versions : ""));
    CHECK(found->row.run == (all ? wanted.row.run : ""));
    CHECK(found->row.reason == wanted.row.reason);
    CHECK(found->row.min_ess == INFINITY);
    CHECK(std::isnan(found->row.seconds));
    CHECK(found->row.draws == wanted.row.draws);
    CHECK(found->row.certificate == "");
    CHECK_FALSE(found->row.outcome);
    REQUIRE(found->row.curve.size() == 1);
    CHECK(found->row.curve[0].error_mean == 0.5);
    REQUIRE(found->metrics.size() == 2);
    CHECK(found->metrics[1].value == INFINITY);
    CHECK(found->metrics[1].mcse == 0.25);
    CHECK(found->reference == "r");
  }
}

TEST_CASE("A record that is cut or altered anywhere is found") {
  const support::TemporaryFolder folder;
  const std::string file = kept(folder, some_record());
  std::ifstream in(file, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(whole.size() > 900);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ (1 << at % 8));
    for (const std::string& text : {altered, whole.substr(0, at)}) {
      std::ofstream(file, std::ios::binary) << text;
      bool is_damaged = false;
      INFO(text);
      REQUIRE_FALSE(read_cell(folder.path(), some_cell, LongTexts::skipped, &is_damaged));
      REQUIRE(is_damaged);
    }
  }
}

TEST_CASE("The table of a study has typed rows, whose values stand as its columns do") {
  const mixwell::StudyTable table = table_of("min_ess", R"({\"run.draws\":[1,2]})");
  REQUIRE(table.rows.size() == 1);
  const mixwell::StudyRow& row = table.rows.front();
  CHECK(row.status == mixwell::CellStatus::done);
  CHECK(row.outcome == mixwell::EndedBy::min_ess);
  CHECK(row.draws == 10);
  CHECK_FALSE(row.certificate);
  CHECK(std::isnan(row.gradients));
  CHECK(table.metrics == std::vector<std::string>{"ebfmi", "ebfmi_mcse"});
  CHECK(std::isnan(row.metrics.at(0)));
  CHECK(row.metrics.at(1) == 0.5);
  CHECK(std::get<mixwell::JsonText>(row.axes.at(0)).text == "[1,2]");
  CHECK(row.axes.at(1).index() == 0);
  const std::vector<std::string> columns = table.columns();
  const std::vector<mixwell::StudyValue> values = table.values(row);
  REQUIRE(columns.size() == values.size());
  const auto value = [&](const char* name) {
    return values.at(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  CHECK(std::get<double>(value("min_ess")) == 2.5);
  CHECK(std::get<double>(value("ebfmi_mcse")) == 0.5);
  CHECK(std::get<std::string>(value("outcome")) == "min_ess");
  CHECK(value("class").index() == 0);
  CHECK(value("curve").index() == 0);
}

TEST_CASE("A sealed record with a word or a text of none is refused when the table is made") {
  CHECK_THROWS_AS(table_of("boredom", "{}"), mixwell::InputError);
  CHECK_THROWS_AS(table_of("draws", "{"), mixwell::InputError);
}

TEST_CASE("A sealed record that lacks a table, a column or a row is refused by name") {
  check_refused(R"({"cells":[]})");
  check_refused("[]");
  check_refused(R"({"cells":[{"no such column":1}],"metrics":[],"compared":[]})");
  check_refused(R"({"cells":[1],"metrics":[],"compared":[]})");
  check_refused(R"({"cells":[{"cell":["a list"]}],"metrics":[],"compared":[]})");
  CHECK(answer_to(R"({"cells":[],"metrics":[],"compared":[]})") == "accepted");
}

TEST_CASE("The name of a column in a record is a name, whatever is in it") {
  check_refused(R"({"cells":[{"cell\", \"sha256\", \"status\") VALUES ('a', 'b', ?1) --":"done"}],)"
                R"("metrics":[],"compared":[]})");
}
