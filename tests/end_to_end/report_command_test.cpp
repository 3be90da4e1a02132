// mixwell report, as a user runs it; what the page looks like is the matter of tests/report.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

using namespace end_to_end;

namespace {

bool is_built() {
  return std::filesystem::exists(MIXWELL_BUILD_DIR "/share/mixwell/report/page.html");
}

}  // namespace

TEST_CASE("a report is one file beside the run, or where -o says") {
  if (!is_built()) std::exit(77);
  const Workplace place;
  place.write("g.toml", gaussian_manifest());
  REQUIRE(place.mixwell("run g.toml --quiet").code == 0);
  const Outcome made = place.mixwell("report out/g");
  CHECK(made.code == 0);
  CHECK(made.out == "The report is in out/g/report.html\n");
  const std::string page = read(place.path("out/g/report.html"));
  contains(page, "<title>g - Mixwell</title>");
  contains(page, "\"kind\":\"run\"");
  CHECK(page.find("@MIXWELL_") == std::string::npos);
  CHECK(!std::filesystem::exists(place.path("out/g/report.html.partial")));
  CHECK(place.mixwell("report out/g/ -o other.html --json").code == 0);
  CHECK(read(place.path("other.html")).size() > 1'000'000);

  // A page about draws that are no more does not stay.
  REQUIRE(place.mixwell("run g.toml --quiet --force").code == 0);
  CHECK_FALSE(std::filesystem::exists(place.path("out/g/report.html")));
}

TEST_CASE("a report of no run, or into no folder, is refused with the cure") {
  if (!is_built()) std::exit(77);
  const Workplace place;
  std::filesystem::create_directory(place.path("empty"));
  const Outcome empty = place.mixwell("report empty");
  CHECK(empty.code == 2);
  contains(empty.err, "empty: this folder contains no run");
  CHECK(place.mixwell("report none").code == 2);
  place.write("t.json", "{}");
  const Outcome table = place.mixwell("report t.json");
  CHECK(table.code == 2);
  contains(table.err, "t.json: this is not the table of a study");
  place.write("g.toml", gaussian_manifest());
  REQUIRE(place.mixwell("run g.toml --quiet").code == 0);
  const Outcome nowhere = place.mixwell("report out/g -o none/page.html");
  CHECK(nowhere.code == 1);
  contains(nowhere.err, "`none/page.html` could not be written");
}

TEST_CASE("a study is reported from its file, its folder and its table alike") {
  if (!is_built()) std::exit(77);
  const Workplace place;
  place.write("s.toml", gaussian_manifest() + "[study]\nseeds = [1, 2]\n");
  REQUIRE(place.mixwell("study s.toml --jobs 1 --quiet").code == 0);
  CHECK(place.mixwell("report s.toml").out == "The report is in out/s/report.html\n");
  const std::string page = read(place.path("out/s/report.html"));
  contains(page, "<title>s - Mixwell</title>");
  contains(page, "\"kind\":\"study\"");
  REQUIRE(place.mixwell("report out/s -o again.html").code == 0);
  CHECK(read(place.path("again.html")) == page);
  REQUIRE(
      place.shell(std::string("\"") + MIXWELL_PROGRAM + "\" study s.toml --table --json > t.json")
          .code == 0);
  REQUIRE(place.mixwell("report t.json").code == 0);
  CHECK(read(place.path("t.html")) == page);
  const Outcome none = place.mixwell("report other.toml");
  CHECK(none.code == 2);
  contains(none.err, "out/other: this folder contains no study");
}
