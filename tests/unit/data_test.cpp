// CSV tables: what is read, and how unreadable tables are refused.
// SPDX-License-Identifier: Apache-2.0
#include "data_making.hpp"
#include "support.hpp"

#include <mixwell/data/data.hpp>

namespace {

using making::refused;
using mixwell::CsvTable;
using support::contains;

CsvTable table(const std::string& text) {
  const support::TemporaryFolder folder;
  return CsvTable(folder.file("table.csv", text));
}

std::string refused_file(const std::string& text) {
  return refused([&text] { table(text); });
}

std::string refused_numbers(const std::string& text, const std::string& column) {
  return refused([&] { table(text).numbers(column); });
}

}  // namespace

TEST_CASE("a table has the header's columns and a row for each line", "[data]") {
  const CsvTable t = table("age, dose ,label\n30,1e-3,yes\n 41 ,+2.5,no\n");
  CHECK(t.columns() == std::vector<std::string>{"age", "dose", "label"});
  CHECK(t.rows() == 2);
  CHECK(t.numbers("age") == Eigen::Vector2d(30, 41));
  CHECK(t.numbers("dose") == Eigen::Vector2d(1e-3, 2.5));
  CHECK(t.text(1, t.find("label")) == "no");
  CHECK(t.line(1) == 3);
}

TEST_CASE("quotes, Windows line ends, blank lines and a byte order mark are understood", "[data]") {
  const CsvTable t = table("\xEF\xBB\xBF\"a, b\",c\r\n\r\n\"say \"\"hi\"\"\", -3 \r\n , \"4\"");
  CHECK(t.columns() == std::vector<std::string>{"a, b", "c"});
  CHECK(t.text(0, 0) == "say \"hi\"");
  CHECK(t.text(1, 0).empty());
  CHECK(t.numbers("c") == Eigen::Vector2d(-3, 4));
  CHECK(t.line(0) == 3);
}

TEST_CASE("a file without a table is refused", "[data]") {
  CHECK(contains(refused([] { CsvTable("/no/such/file.csv"); }),
                 "/no/such/file.csv: the file cannot be read: No such file"));
  CHECK(contains(refused([] { CsvTable("/"); }), "/: "));
  CHECK(contains(refused_file(""), "empty"));
  CHECK(contains(refused_file("\n \n"), "no rows"));
  CHECK(contains(refused_file("a,b\n"), "no rows"));
}

TEST_CASE("a ragged row is refused with its line and both counts", "[data]") {
  const std::string message = refused_file("a,b,c\n1,2,3\n\n4,5\n");
  CHECK(contains(message, "table.csv:4: row 2 has 2 cells, but the header has 3 columns"));
  CHECK(contains(refused_file("a,b\n1,2,\n"), "row 1 has 3 cells"));
}

TEST_CASE("a comma at the end of the header only, or of the rows only, is told", "[data]") {
  CHECK(contains(refused_file("a,b,\n1,2\n"),
                 ":2: row 1 has 2 cells, but the header has 3 columns. The header ends with a "
                 "comma, but this line does not. Delete the comma at the end of the header"));
  CHECK(contains(refused_file("a,b\n1,2,\n"),
                 ". This line ends with a comma, but the header does not. Delete the comma at the "
                 "end of each row, or add one to the header"));
  CHECK(contains(refused_file("a,b\n1,2,3\n"),
                 ". If each row begins with a row name, begin the header with an empty cell"));
  CHECK_FALSE(contains(refused_file("a,b,\n1\n"), "ends with a comma"));
  CHECK_FALSE(contains(refused_file("a,b\n1,2,,\n"), "ends with a comma"));
}

TEST_CASE("text that is not UTF-8 is no name, label or level", "[data]") {
  const std::string cure =
      " is not valid UTF-8. Data files must be UTF-8. If the file is in Latin-1, convert it: iconv "
      "-f latin1 -t utf-8 FILE > NEW_FILE";
  CHECK(contains(refused_file("a,gr\xF6\xDF"
                              "e\n1,2\n"),
                 "table.csv:1: column 2: the name \"gr\\xf6\\xdfe\"" + cure));
  CHECK(contains(refused_file("\"\",gr\xF6\xDF"
                              "e\nx,2\n"),
                 ":1: column 2: "));
  const CsvTable t = table("a,town\n1,Ulm\n2,K\xF6ln\n");
  const std::string place = "table.csv:3: row 2, column \"town\": \"K\\xf6ln\"" + cure;
  CHECK(t.numbers("a") == Eigen::Vector2d(1, 2));
  CHECK(contains(refused([&t] { t.categories("town"); }), place));
  CHECK(contains(refused([&t] { t.categories("town", {"Ulm", "K\u00F6ln"}); }), place));
  CHECK(contains(refused([&t] { t.text(1, t.find("town")); }), place));
  CHECK(table("t\u00F6wn\nK\u00F6ln\n").categories("t\u00F6wn").levels.front() == "K\u00F6ln");
}

TEST_CASE("columns of the same name are told with their places where one is asked for", "[data]") {
  const CsvTable t = table("\"\",x,y,x\nu,1,2,3\n");
  CHECK(t.numbers("y")[0] == 2);
  CHECK(
      contains(refused([&t] { t.numbers("x"); }),
               "table.csv:1: columns 2 and 4 have the same name \"x\", so it is not clear which "
               "one is meant. Give each column its own name in the header, or delete all but one"));
}

TEST_CASE("a column without a name is refused, unless it is the first or an empty last one",
          "[data]") {
  CHECK(contains(refused_file("a,,c\n1,2,3\n"), "column 2 has no name"));
  CHECK(contains(refused_file(",a,,c\n1,1,2,3\n"), "column 3 has no name"));
  CHECK(contains(refused_file("\"\"\n1\n"), "column 1 has no name"));
  CHECK(contains(refused_file(",\n1,2\n"), "names no column"));
  CHECK(contains(refused_file("a,b,\n1,2,\n1,2,3\n"),
                 ":3: row 2: the last column contains \"3\", but it has no name in the header"));
}

TEST_CASE("row names as R and pandas write them are no column", "[data]") {
  for (const std::string header : {"\"\",\"a\",\"b\"\n", ",a,b\n"}) {
    const CsvTable t = table(header + "\"x\",1,2\n\"y\",3,4\n");
    CHECK(t.has_row_names());
    CHECK(t.columns() == std::vector<std::string>{"a", "b"});
    CHECK(t.numbers("a") == Eigen::Vector2d(1, 3));
    CHECK(t.text(1, 1) == "4");
  }
  CHECK_FALSE(table("a,b\n1,2\n").has_row_names());
  CHECK(contains(refused_file("a,b\n\"1\",1,2\n"),
                 "row 1 has 3 cells, but the header has 2 columns. If each row begins with a row "
                 "name, begin the header with an empty cell"));
}

TEST_CASE("a comma at the end of every line is no column", "[data]") {
  const CsvTable t = table("a,b,\n1,2,\n3,4,\n");
  CHECK(t.columns() == std::vector<std::string>{"a", "b"});
  CHECK(t.numbers("b") == Eigen::Vector2d(2, 4));
  CHECK(table(",a,b,\n7,1,2,\n").numbers("b")(0) == 2);
}

TEST_CASE("a name that two columns have is refused when it is asked for", "[data]") {
  const CsvTable t = table("a,b,a\n1,2,3\n");
  CHECK(t.numbers("b")(0) == 2);
  CHECK(t.has("a"));
  CHECK(contains(refused([&t] { t.numbers("a"); }), "columns 1 and 3 have the same name \"a\""));
  CHECK(contains(refused([&t] { t.categories("a"); }), "columns 1 and 3 have the same name \"a\""));
  CHECK(contains(refused([&t] { t.refuse_missing({"a"}, ""); }),
                 "columns 1 and 3 have the same name \"a\""));
}

TEST_CASE("another separator is called what it is", "[data]") {
  CHECK(contains(refused_file("a;b\n1,5;2\n"),
                 "table.csv:1: the cells of the header are separated by semicolons"));
  CHECK(contains(refused_file("\"a\";\"b\"\n1;2\n"), "semicolons"));
  CHECK(contains(refused_file("a\tb\n1\t2\n"), "the cells of the header are separated by tabs"));
  CHECK(table("\"a;b\"\n1\n").columns() == std::vector<std::string>{"a;b"});
  CHECK(table("a;b,c\n1,2\n").columns() == std::vector<std::string>{"a;b", "c"});
}

TEST_CASE("an open quote and text after a quote are refused with their line", "[data]") {
  CHECK(contains(refused_file("a,b\n1,\"2\n"), "table.csv:2: a cell begins with the quote"));
  CHECK(contains(refused_file("a,b\n\"1\"x,2\n"), "table.csv:2: text follows"));
}

TEST_CASE("a cell that is no finite number is refused with row, column and text", "[data]") {
  for (const std::string cell :
       {"abc", "", "1.2.3", "nan", "inf", "-inf", "1e999", "0x10", "1 2", "+-1", "NA", "--1"}) {
    const std::string message = refused_numbers("a,b\n1,2\n3," + cell + "\n", "b");
    CHECK(contains(message, "table.csv:3: row 2, column \"b\": \"" + cell + "\""));
  }
}

TEST_CASE("an unknown column is refused with the nearest name", "[data]") {
  CHECK(contains(refused_numbers("age,dose\n1,2\n", "agee"),
                 "no column \"agee\" (did you mean \"age\"?)"));
}

TEST_CASE("a table of a million columns is read in seconds", "[data]") {
  constexpr int count = 1000000;
  std::string header;
  std::string row;
  for (int k = 0; k < count; ++k) {
    header += (k == 0 ? "c" : ",c") + std::to_string(k);
    row += k == 0 ? "1" : ",1";
  }
  const CsvTable wide = table(header + "\n" + row + "\n");
  CHECK(wide.columns().size() == count);
  double sum = 0;
  for (const std::string& column : wide.columns()) sum += wide.numbers(column)(0);
  CHECK(sum == count);
  const CsvTable repeated = table(header + ",c7\n" + row + ",1\n");
  CHECK(contains(refused([&] { repeated.numbers("c7"); }), "have the same name \"c7\""));
}

TEST_CASE("a column of words is numbered by its levels, in order", "[data]") {
  const CsvTable t = table("town,year\nUlm,10\nBonn,9\nUlm,-1\nAachen,9.0\n");
  const mixwell::Categories towns = t.categories("town");
  CHECK(towns.levels == std::vector<std::string>{"Aachen", "Bonn", "Ulm"});
  CHECK(towns.codes == std::vector<mixwell::Index>{2, 1, 2, 0});
  CHECK(t.categories("year").levels == std::vector<std::string>{"-1", "9", "10"});
  CHECK(t.categories("year").codes == std::vector<mixwell::Index>{2, 1, 0, 1});
  CHECK(contains(refused([] { table("a,b\n1,\n").categories("b"); }),
                 ":2: row 1, column \"b\": \"\" is a missing value, but each row needs a level"));
  CHECK(contains(refused([] { table("town\nUlm\n").categories("tow"); }), "did you mean"));
}

TEST_CASE("levels are compared as labels are: numbers by value, then texts", "[data]") {
  const CsvTable t = table("g\nb\n1\n01\n10\n1.0\n9\n+1\na\n");
  const mixwell::Categories some = t.categories("g");
  CHECK(some.levels == std::vector<std::string>{"1", "9", "10", "a", "b"});
  CHECK(some.codes == std::vector<mixwell::Index>{4, 0, 0, 2, 0, 1, 0, 3});
  CHECK(t.categories("g", {"1.00", "9", "10", "a", "b"}).codes == some.codes);
}

TEST_CASE("what pandas and R read as missing is missing, and ? and . are", "[data]") {
  const std::vector<std::string> spellings = {
      "",     "#N/A", "#N/A N/A", "#NA",     "-1.#IND", "-1.#QNAN", "-NaN", "-nan",
      "<NA>", "N/A",  "1.#IND",   "1.#QNAN", "NA",      "NULL",     "NaN",  "None",
      "n/a",  "nan",  "null",     "na",      "?",       "."};
  for (const std::string& spelling : spellings) {
    CAPTURE(spelling);
    CsvTable t = table("a,b\n1,x\n2,\"" + spelling + "\"\n");
    CHECK(contains(refused([&t] { t.categories("b"); }), "but each row needs a level"));
    CHECK(contains(refused([&t] { t.refuse_missing({"b"}, ""); }), "a value is missing"));
    CHECK(t.missing_texts({"a", "b"}) == std::set<std::string>{spelling});
    CHECK(t.drop_missing({"b"}) == 1);
    CHECK(t.missing_texts({"b"}).empty());
  }
  for (const char* const level : {"-", "x", "0", "none", "NONE", "??", "Na", "inf", "no"})
    CHECK_FALSE(mixwell::is_missing(level));
}

TEST_CASE("levels that are known keep their codes, and others are refused", "[data]") {
  const CsvTable t = table("town\nb\na\nb\n");
  const mixwell::Categories some = t.categories("town", {"c", "b", "a"});
  CHECK(some.codes == std::vector<mixwell::Index>{1, 2, 1});
  CHECK(contains(
      refused([&t] { t.categories("town", {"b"}); }),
      ":3: row 2, column \"town\": \"a\" is not a level of this column in the training data"));
  CHECK(mixwell::indicators(some) == Eigen::MatrixXd{{1, 0}, {0, 1}, {1, 0}});
  CHECK(mixwell::indicators({.levels = {"a"}, .codes = {0, 0}}).cols() == 0);
}

TEST_CASE("a column has the type of the cells that are not missing", "[data]") {
  const CsvTable t = table("a,b,c,d\n1,NA,x,\n2,0.5,3,NA\n");
  CHECK(t.type("a") == mixwell::CellType::whole);
  CHECK(t.type("b") == mixwell::CellType::real);
  CHECK(t.type("c") == mixwell::CellType::word);
  CHECK(
      contains(refused([&t] { t.type("d"); }), "column \"d\": the value is missing in every row"));
}

TEST_CASE("numbers against the rule of their column are refused with place and rule", "[data]") {
  const CsvTable t = table("a\n0\n2.5\n7\n");
  CHECK(t.numbers("a", {.least = 0, .most = 7}) == Eigen::Vector3d(0, 2.5, 7));
  const auto refusal = [&t](const mixwell::NumberRule& rule) {
    return refused([&] { t.numbers("a", rule); });
  };
  CHECK(contains(refusal({.is_whole = true}),
                 ":3: row 2, column \"a\": \"2.5\" must be a whole number"));
  CHECK(contains(refusal({.least = 0, .is_open = true}),
                 ":2: row 1, column \"a\": \"0\" must be above 0"));
  CHECK(contains(refusal({.least = 1}), "must be at least 1"));
  CHECK(contains(refusal({.most = 6}), ":4: row 3, column \"a\": \"7\" must be at most 6"));
}

TEST_CASE("the first missing value is told with its place, their number and the cure", "[data]") {
  const CsvTable t = table("a,b,c\n1,x,\n2,NA,5\n,y,6\n4,z,7\n");
  CHECK_NOTHROW(t.refuse_missing({}, "drop them"));
  CHECK(contains(refused([&t] {
                   t.refuse_missing({"a", "b"}, "drop them");
                 }),
                 ":3: row 2, column \"b\": \"NA\": a value is missing. Values are missing in 2 of "
                 "4 rows. drop them"));
}

TEST_CASE("the key `missing` refuses rows without a value, or leaves them out and says so",
          "[data]") {
  const std::string cases = "a,b\n1,x\nNA,y\n,z\n4,\n";
  CsvTable refusing = table(cases);
  CHECK(contains(refused([&] { refusing.settle_missing({"a"}, "refuse", "; or not"); }),
                 "in 2 of 4 rows. Set missing = \"drop\" to leave these rows out; or not"));
  CsvTable dropping = table(cases);
  CHECK(contains(dropping.settle_missing({"a"}, "drop"),
                 "2 rows of " + dropping.path() +
                     " have a missing value (an empty cell, \"NA\") and are left out."));
  CHECK(dropping.settle_missing({"b"}, "drop").starts_with("1 row of "));
  CHECK(dropping.settle_missing({"a", "b"}, "drop").empty());
  CHECK(dropping.rows() == 1);
}

TEST_CASE("rows with missing values are dropped on request, and counted", "[data]") {
  CsvTable t = table("a,b,c\n1,x,\n2,NA,5\n,y,6\n4,z,7\n");
  CHECK(
      contains(refused([&t] { t.numbers("a"); }), "row 3, column \"a\": \"\" is a missing value"));
  CHECK(t.drop_missing({"a", "b"}) == 2);
  CHECK(t.rows() == 2);
  CHECK(t.numbers("a") == Eigen::Vector2d(1, 4));
  CHECK(t.categories("b").levels == std::vector<std::string>{"x", "z"});
  CHECK(t.line(1) == 5);
  CHECK(t.place(1, "c").ends_with("table.csv:5: row 4, column \"c\""));
  CHECK(contains(refused([&t] { t.numbers("a", {.most = 3}); }),
                 ":5: row 4, column \"a\": \"4\" must be at most 3"));
  CHECK(contains(refused([&t] { t.numbers("c"); }), ":2: row 1, column \"c\": \"\" is a missing"));
  CHECK(t.drop_missing({"a"}) == 0);
  CHECK(contains(refused([] { table("a\nNA\nnan\n").drop_missing({"a"}); }),
                 ": every row has a missing value"));
}
