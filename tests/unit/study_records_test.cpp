// Records of a study under a right seal that no study has written.
// SPDX-License-Identifier: Apache-2.0
#include "files/sha256.hpp"
#include "support.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/study.hpp>

namespace {

/// What reading a study says whose only cell has these rows, or "accepted".
std::string answer_to(const std::string& rows) {
  const support::TemporaryFolder folder;
  folder.file("cells/0123456789abcdef/cell.json",
              R"({"format":1,"sha256":")" + mixwell::sha256(rows) + R"(","rows":)" + rows + "}\n");
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
  CHECK(answer.find("remove it") != std::string::npos);
}

}  // namespace

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
