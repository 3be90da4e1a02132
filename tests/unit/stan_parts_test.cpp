// Parts of the model `stan`: arrays made from names, checks of data, counts of rejections.
// SPDX-License-Identifier: Apache-2.0
#include "../../models/stan/data.hpp"
#include "../../models/stan/names.hpp"
#include "../../models/stan/program.hpp"
#include "../../models/stan/recorded.hpp"
#include "../../models/stan/text.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using mixwell::Index;
using mixwell::stan::Arrays;

std::vector<std::string> described(const std::vector<mixwell::Parameter>& arrays) {
  std::vector<std::string> all;
  for (const auto& array : arrays) {
    std::string text = array.name;
    for (const Index length : array.shape) text += " " + std::to_string(length);
    all.push_back(text);
  }
  return all;
}

/// The places of the elements 0, 1, ... of the list.
std::vector<double> arranged(const std::string& names) {
  const Arrays arrays(names);
  std::vector<double> listed(static_cast<std::size_t>(arrays.size()));
  std::vector<double> out(listed.size(), -1);
  for (std::size_t k = 0; k < listed.size(); ++k) listed[k] = static_cast<double>(k);
  arrays.arrange(listed.data(), out.data());
  return out;
}

std::string refused_names(const std::string& names) {
  try {
    const Arrays arrays(names);
    return "accepted";
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
}

/// "accepted", or the message.
std::string read(const std::string& text) {
  try {
    mixwell::stan::read_data("x.json", text);
    return "accepted";
  } catch (const mixwell::InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("elements of a Stan program become arrays with the last index fastest", "[stan]") {
  CHECK(described(Arrays("mu,theta.1,theta.2,b.1").arrays()) ==
        std::vector<std::string>{"mu", "theta 2", "b 1"});
  CHECK(described(Arrays("M.1.1,M.2.1,M.1.2,M.2.2,M.1.3,M.2.3").arrays()) ==
        std::vector<std::string>{"M 2 3"});
  CHECK(arranged("a,M.1.1,M.2.1,M.1.2,M.2.2,M.1.3,M.2.3") ==
        std::vector<double>{0, 1, 3, 5, 2, 4, 6});
  CHECK(arranged("M.1.1,M.1.2,M.2.1,M.2.2") == std::vector<double>{0, 1, 2, 3});
  CHECK(Arrays("").arrays().empty());
}

TEST_CASE("members of tuples and parts of complex numbers have names of their own", "[stan]") {
  CHECK(described(Arrays("t.1:1,t.1:2.1,t.1:2.2,t.2:1,t.2:2.1,t.2:2.2").arrays()) ==
        std::vector<std::string>{"t:1 2", "t:2 2 2"});
  CHECK(arranged("t.1:1,t.1:2.1,t.1:2.2,t.2:1,t.2:2.1,t.2:2.2") ==
        std::vector<double>{0, 3, 1, 2, 4, 5});
  CHECK(described(Arrays("z.1.real,z.1.imag,z.2.real,z.2.imag").arrays()) ==
        std::vector<std::string>{"z.real 2", "z.imag 2"});
}

TEST_CASE("lists that are no arrays are refused by name", "[stan]") {
  CHECK(refused_names("x.1,x.3") ==
        "the names that the library lists do not form complete arrays. Compile the library again.");
  CHECK(refused_names("x.1,x.1") ==
        "the names that the library lists do not form complete arrays. Compile the library again.");
  CHECK(refused_names("x.1.1,x.2.1,x.1.2,x.2.1") ==
        "an element of `x` is listed twice. Compile the library again.");
  CHECK(refused_names("x,x") ==
        "the names that the library lists do not form complete arrays. Compile the library again.");
  CHECK(refused_names("x.1,x.1.2") ==
        "an element of `x` has a different number of indices than the elements before it. Compile "
        "the library again.");
}

TEST_CASE("unconstrained coordinates are one list for each parameter", "[stan]") {
  CHECK(described(mixwell::stan::unconstrained_parameters("mu,L.1,L.2,t:1,t:2.1,b.1.1,b.2.1")) ==
        std::vector<std::string>{"unconstrained_mu", "unconstrained_L 2", "unconstrained_t 2",
                                 "unconstrained_b 2"});
}

TEST_CASE("data as CmdStan reads them are taken", "[stan]") {
  for (const char* const text :
       {"{}", " {\n} ", R"({"N": 3, "y": [1, -2.5e-3, 3E+4]})", R"({"x": [[1,2],[3,4]]})",
        R"({"a": [], "b": [[], []]})", R"({"y": [NaN, Infinity, -Infinity]})",
        R"({"y": ["NaN", "-Inf", "Infinity", 0]})", R"({"t": {"1": 2, "2": [1, 2]}})",
        R"({"t": [{"1": 2}, {"1": 3}]})", "\xEF\xBB\xBF{\"N\": 0}", R"({"a \" b": -0.0})"}) {
    INFO(text);
    CHECK(read(text) == "accepted");
  }
}

TEST_CASE("data that Stan has no use for are refused where they stand", "[stan]") {
  const auto said = [](const std::string& text, const std::string& part) {
    INFO(text << "\n" << read(text));
    return support::contains(read(text), part);
  };
  CHECK(said("",
             "x.json:1:1: the file must contain one JSON object, { \"NAME\": VALUE, ... }, "
             "but the file ends"));
  CHECK(said("[1]", "x.json:1:1: the file must contain one JSON object"));
  CHECK(said("{\n \"N\": 3,\n \"N\": 4 }", "x.json:3:2: `N` appears twice"));
  CHECK(said("{\"y\": [[1, 2], [3]]}",
             "x.json:1:16: `y[1]` is an array of 1, but the elements before it are an array of 2"));
  CHECK(said("{\"y\": [[1, 2], 3]}",
             "`y[1]` is a number, but the elements before it are an array of 2"));
  CHECK(said("{\"y\": [[[1, 2]], [[3]]]}", "`y[1]` is an array of 1 x 1"));
  CHECK(said("{\"y\": [1, {\"1\": 2}]}",
             "`y[1]` is a tuple, but the elements before it are a number"));
  CHECK(
      said("{\"ok\": true}", "x.json:1:8: `ok` is true, but Stan has no booleans. Write 1 or 0."));
  CHECK(said("{\"y\": [1, null]}", "x.json:1:11: `y[1]` is null, but Stan has no missing data"));
  CHECK(said("{\"y\": \"high\"}", "`y` is the string \"high\""));
  for (const char* const word : {"+Inf", "+Infinity", "inf", "-NaN", "infinity"})
    CHECK(said("{\"y\": \"" + std::string(word) + "\"}", "The only accepted strings are \"NaN\""));
  CHECK(said("{\"t\": {}}", "x.json:1:7: `t` is a tuple without members"));
  CHECK(said("{\"t\": [{\"1\": 1, \"2\": 2}, {\"1\": 1}]}",
             "`t[1]` is a tuple, but the elements before it are a tuple with other members"));
  CHECK(said("{\"y\": 1.}", "`y` must be a number or an array of numbers, but the file has `1.`"));
  CHECK(said("{\"y\": 01}", "but the file has `01`"));
  CHECK(said("{\"y\": 0x10}", "but the file has `0x10`"));
  CHECK(said("{\"y\": +1}", "but the file has `+1`"));
  CHECK(said("{\"y\": 1e}", "but the file has `1e`"));
  CHECK(said("{\"y\": }", "`y` must be a number"));
  CHECK(said("{\"y\": [1, 2}", "x.json:1:12: `,` or `]` must come next, but the file has `}`"));
  CHECK(said("{\"y\": [1,]}", "`y[1]` must be a number"));
  CHECK(said("{\"y\": 1 \"z\": 2}", "`,` or `}` must come next, but the file has `\"z\"`"));
  CHECK(said("{y: 1}", "a name in quotes must come next, but the file has `y`"));
  CHECK(said("{\"y\" 1}", "`:` must come next, but the file has `1`"));
  CHECK(said("{\"y: 1}", "x.json:1:2: this quote is never closed"));
  CHECK(said("{\"y\": 1} {}", "x.json:1:10: the file must end after the object, but the file has"));
  CHECK(said("{\"y\": 1", "but the file ends"));
  CHECK(said("{\"y\": " + std::string(100, '['), "nested more than 64 levels deep"));
  CHECK(said("{\"a\tb\": 1}", "this string contains a control character"));
  CHECK(said("{\"y\": 1e999}", "`y` is too large: a number must be at most 1.8e308"));
  CHECK(said("{\"y\": -1e999}", "`y` is too large: a number must be at most 1.8e308"));
  CHECK(said("{\"a\\q\": 1}", "x.json:1:4: in a string, a backslash must be followed by"));
  CHECK(said("{\"a\\u12g4\": 1}", "x.json:1:2: in a string, \\u must be followed by"));
  CHECK(said("{\"a\\", "x.json:1:2: this quote is never closed"));
}

TEST_CASE("files are found that a program includes in any of Stan's ways", "[stan]") {
  const support::TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() + "/" + name) << text;
  };
  write("a.stan", "#include <b.stan>");
  write("b.stan", "#include a.stan\n");
  write("c d.stan", "shared\n#include <a.stan>\n");
  write("f.stan", "");
  const mixwell::stan::Program program{
      .path = folder.path() + "/x.stan",
      .text = "// #include f.stan\n#include a.stan\n #include\n \"c d.stan\" #include e\nlast",
      .include_paths = {folder.path()}};
  const mixwell::stan::ProgramText text(program);
  CHECK(text.files() == std::vector<std::string>{folder.path() + "/a.stan",
                                                 folder.path() + "/b.stan",
                                                 folder.path() + "/c d.stan"});
  REQUIRE(text.tokens().size() == 2);
  CHECK(text.tokens()[0].text == "shared");
  CHECK(to_string(text.tokens()[0].where) == folder.path() + "/c d.stan:1:1");
  CHECK(text.tokens()[1].text == "last");
  CHECK(to_string(text.tokens()[1].where) == folder.path() + "/x.stan:5:1");
}

TEST_CASE("what a file says of each variable and of each member of a tuple is known", "[stan]") {
  const auto data = mixwell::stan::read_data("x.json",
                                             "{\"N\": -3, \"x\": [[1, 2.5], [NaN, 4]],\n \"t\": "
                                             "[{\"1\": 1, \"2\": [0.1, 1e3]}, {\"2\": [5, 6], "
                                             "\"1\": 2}], \"e\": [[], []], \"n\": 3000000000}",
                                             {"x", "t", "e"});
  std::vector<std::string> said;
  for (const auto& one : data.given)
    said.push_back(one.name + ", " + mixwell::stan::in_words(one.shape) +
                   (one.has_integers ? ", whole" : "") + (one.is_finite ? "" : ", not finite") +
                   " " + to_string(one.where));
  CHECK(said == std::vector<std::string>{
                    "N, a number, whole x.json:1:7",
                    "x, an array of 2 x 2, not finite x.json:1:16",
                    "t:1, an array of 2, whole x.json:2:7",
                    "t:2, an array of 2 x 2 x.json:2:7",
                    "e, an array of 2 x 0, whole x.json:2:64",
                    "n, a number x.json:2:79",
                });
  REQUIRE(data.kept.size() == 4);
  CHECK(data.kept[0].name == "x");
  CHECK(std::isnan(data.kept[0].values[2]));
  CHECK(data.kept[1] == mixwell::NamedValues{"t:1", {2}, {1, 2}});
  CHECK(data.kept[2] == mixwell::NamedValues{"t:2", {2, 2}, {0.1, 1000, 5, 6}});
  CHECK(data.kept[3] == mixwell::NamedValues{"e", {2, 0}, {}});
}

TEST_CASE("words for numbers are handed on in quotes, and members are added", "[stan]") {
  using mixwell::stan::with_members;
  using mixwell::stan::with_quoted_words;
  CHECK(with_quoted_words("{\"NaN \\\"\": [-Infinity, NaN, Infinity, \"-Inf\", -1]}") ==
        "{\"NaN \\\"\": [\"-Infinity\", \"NaN\", \"Infinity\", \"-Inf\", -1]}");
  CHECK(with_members("", "\"a\": 1") == "{\"a\": 1}");
  CHECK(with_members(" { } \n", "\"a\": 1") == " { \"a\": 1} \n");
  CHECK(with_members("{\"b\": {}}", "\"a\": 1") == "{\"b\": {}, \"a\": 1}");
}

TEST_CASE("rejections are counted, and the first message is kept", "[stan]") {
  mixwell::stan::Rejections all;
  CHECK(all.in_words("rejected a point").empty());
  all.add("too large");
  CHECK(all.in_words("rejected a point") ==
        "Stan rejected a point 1 time; its first message is: too large");
  all.add("too small");
  CHECK(all.in_words("rejected a point") ==
        "Stan rejected a point 2 times; its first message is: too large");
}
