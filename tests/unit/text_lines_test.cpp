// Lines of data files that components read themselves: places, line ends, compression, refusals.
// SPDX-License-Identifier: Apache-2.0
#include "data_making.hpp"
#include "support.hpp"

#include <mixwell/text_lines.hpp>

#include <string>
#include <vector>

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  mixwell::TextLines lines(path, "words");
  std::vector<std::string> all;
  while (lines.next()) all.push_back(lines.line());
  return all;
}

}  // namespace

TEST_CASE("lines come without their ends and with their places", "[data]") {
  const support::TemporaryFolder folder;
  using Lines = std::vector<std::string>;
  CHECK(lines_of(folder.file("a", "one\ntwo\r\n\nlast")) == Lines{"one", "two", "", "last"});
  CHECK(lines_of(folder.file("b", making::gzipped("one\ntwo\n"))) == Lines{"one", "two"});
  mixwell::TextLines lines(folder.file("c", "one\ntwo\n"), "words");
  CHECK(lines.next());
  CHECK(lines.place() == folder.path() + "/c:1");
  CHECK(lines.next());
  CHECK(lines.place() == folder.path() + "/c:2");
  CHECK_FALSE(lines.next());
}

TEST_CASE("a file of lines that is missing or empty is refused by name", "[data]") {
  const support::TemporaryFolder folder;
  const auto said = [](const std::string& path) {
    return making::refused([&path] { lines_of(path); });
  };
  CHECK(support::contains(said(folder.path() + "/none"), "/none"));
  const std::string empty = said(folder.file("empty", ""));
  CHECK(support::contains(empty, "/empty"));
  CHECK(support::contains(empty, "words"));
}
