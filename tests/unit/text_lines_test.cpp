// Lines of data files that components read themselves: places, line ends, compression, refusals.
// SPDX-License-Identifier: Apache-2.0
#include "data_making.hpp"
#include "support.hpp"

#include <mixwell/data/data.hpp>

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

TEST_CASE("every reader of text skips a byte order mark", "[data]") {
  const support::TemporaryFolder folder;
  const auto marked = [&](const std::string& text) {
    return folder.file("marked", "\xEF\xBB\xBF" + text);
  };
  CHECK(lines_of(marked("one\ntwo\n")) == std::vector<std::string>{"one", "two"});
  const std::string packed = folder.file("packed", making::gzipped("\xEF\xBB\xBFone\n"));
  CHECK(lines_of(packed) == std::vector<std::string>{"one"});
  CHECK(mixwell::CsvTable(marked("a,b\n1,2\n")).columns().front() == "a");
  CHECK(mixwell::LibsvmTable(marked("1 1:2\n")).label(0) == "1");
}

TEST_CASE("UTF-16 and lone carriage returns are called what they are, by every reader", "[data]") {
  const support::TemporaryFolder folder;
  const auto said = [&](const std::string& text, const auto& read) {
    const std::string path = folder.file("text", text);
    return making::refused([&] { read(path); });
  };
  const std::string wide(
      "\xFF\xFE"
      "a\0,\0b\0\n\0",
      10);
  const std::string unmarked("a\0,\0b\0\n\0", 8);
  const auto all_say = [&](const std::string& text, const std::string& words) {
    CAPTURE(words);
    CHECK(support::contains(said(text, [](const auto& path) { lines_of(path); }), words));
    CHECK(support::contains(said(text, [](const auto& path) { mixwell::CsvTable{path}; }), words));
    CHECK(
        support::contains(said(text, [](const auto& path) { mixwell::LibsvmTable{path}; }), words));
  };
  all_say(wide, "text:1:1: the text is in UTF-16. Save the file as UTF-8");
  all_say(unmarked, "text:1:1: the line contains NUL bytes");
  all_say("a,b\r1,2\r", "text:1:1: lines end in a carriage return (CR)");
  CHECK(lines_of(folder.file("double", "a\r\r\nb\r\n")).size() == 2);
}

TEST_CASE("a line that is not UTF-8 is refused with its place and the cure", "[data]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.file("latin", "Ulm O\nK\xF6ln B\n");
  const std::string message = making::refused([&] { lines_of(path); });
  CHECK(support::contains(message, "latin:2: the line \"K\\xf6ln B\" is not valid UTF-8"));
  CHECK(support::contains(message, "iconv -f latin1 -t utf-8"));
  CHECK(lines_of(folder.file("utf", "K\u00F6ln B\n")).size() == 1);
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
