// Names and slices of parameters, against coordinates counted by hand.
// SPDX-License-Identifier: Apache-2.0
#include "law/labelled_selection.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/law/selection.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace mixwell;

namespace {

using Indices = std::vector<Index>;

/// mu: 0; z: 1 to 6; w: 7 to 18, three rows of four; a[b]: 19.
const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all = [] {
    std::vector<Parameter> four(4);
    four[0].name = "mu";
    four[1].name = "z";
    four[1].shape = {6};
    four[2].name = "w";
    four[2].shape = {3, 4};
    four[3].name = "a[b]";
    return four;
  }();
  return all;
}

Indices chosen(const std::string& text) { return select_coordinates(parameters(), text); }

std::string refusal(const std::string& text) {
  try {
    select_coordinates(parameters(), text);
    return "accepted";
  } catch (const InputError& fault) {
    return fault.what();
  }
}

}  // namespace

TEST_CASE("a parameter, an element and slices are the coordinates that Python would choose") {
  CHECK(chosen("mu") == Indices{0});
  CHECK(chosen("z") == Indices{1, 2, 3, 4, 5, 6});
  CHECK(chosen("z[:]") == chosen("z"));
  CHECK(chosen("z[2]") == Indices{3});
  CHECK(chosen("z[-1]") == Indices{6});
  CHECK(chosen("z[1:4]") == Indices{2, 3, 4});
  CHECK(chosen("z[:-4]") == Indices{1, 2});
  CHECK(chosen("z[::2]") == Indices{1, 3, 5});
  CHECK(chosen("z[ 1 : 6 : 3 ]") == Indices{2, 5});
  CHECK(chosen("w[1]") == Indices{11, 12, 13, 14});
  CHECK(chosen("w[1,:]") == chosen("w[1]"));
  CHECK(chosen("w[:,0]") == Indices{7, 11, 15});
  CHECK(chosen("w[1:,::3]") == Indices{11, 14, 15, 18});
  CHECK(chosen("w[2, -1]") == Indices{18});
  CHECK(chosen("a[b]") == Indices{19});  // a name that has brackets itself
}

TEST_CASE("names and slices that choose nothing, or what is not there, are refused with the rule") {
  const auto says = [](const std::string& text, const std::string& rule) {
    INFO(text);
    CHECK_THAT(refusal(text), Catch::Contains(rule));
  };
  says("zz", "no parameter \"zz\" (did you mean \"z\"?)");
  says("x[0]", "no parameter \"x\"");
  says("mu[0]", "gives 1 indices, but `mu` is a scalar");
  says("w[0,0,0]", "gives 3 indices, but `w` has the shape [3, 4]");
  says("z[6]", "is out of range: index 6 is outside a dimension of length 6");
  says("z[-7]", "is out of range: index -7");
  says("z[0:7]", "is out of range: index 7 is outside a dimension of length 6");
  says("z[0:3", "has a \"[\" but does not end with \"]\"");
  says("z[3:3]", "selects nothing");
  says("z[4:2]", "selects nothing");
  says("z[::0]", "step that is not positive");
  says("z[::-1]", "step that is not positive");
  says("z[1:2:3:4]", "more than two colons");
  says("z[one]", "has \"one\", which must be an index or a slice");
  says("z[]", "has \"\", which must be an index or a slice");
}

TEST_CASE("what is constrained as a whole is selected as a whole, by its coordinates") {
  std::vector<Parameter> three(3);
  three[0].name = "mu";
  three[1].name = "p";
  three[1].shape = {4};
  three[1].constraint = Constraint::simplex();
  three[2].name = "s";
  three[2].shape = {2};
  three[2].constraint = Constraint::positive();
  CHECK(select_coordinates(three, "p") == Indices{1, 2, 3});
  CHECK(select_coordinates(three, "s[1]") == Indices{5});
  CHECK_THROWS_WITH(
      select_coordinates(three, "p[0:2]"),
      Catch::Contains("whose values have a joint constraint (simplex). Name the whole parameter"));
}

TEST_CASE("labels are numbers for components, and texts without them stay as they are") {
  std::vector<Parameter> two(2);
  two[0].name = "beta";
  two[0].shape = {3};
  two[0].dims = {"covariate"};
  two[1].name = "w";
  two[1].shape = {3, 6};
  two[1].dims = {"covariate", ""};
  const std::vector<Labels> labels = {{"covariate", {"age", "sex", "age,sex"}}};
  const auto by_numbers = [&](const std::string& text) {
    return selection_by_numbers(two, labels, text);
  };
  CHECK(by_numbers("beta[sex]") == "beta[1]");
  CHECK(by_numbers("beta[age,sex]") == "beta[2]");
  CHECK(by_numbers("w[age]") == "w[0,0:6]");
  CHECK(by_numbers("w[sex,1:6:2]") == "w[1,1:6:2]");
  CHECK(by_numbers("w[age,sex,-1]") == "w[2,5]");
  for (const char* const text : {"beta", "beta[-1]", "w[1,::2]", "w[ 0 ]"})
    CHECK(by_numbers(text) == text);
  for (const char* const text : {"w[age]", "w[sex,1:6:2]", "w[age,sex,-1]"}) {
    const std::string numbers = by_numbers(text);
    CHECK(by_numbers(numbers) == numbers);
    CHECK_NOTHROW(select_coordinates(two, numbers));
  }
  CHECK_THROWS_WITH(by_numbers("beta[aeg]"), Catch::Contains("did you mean \"age\"?"));
  CHECK_THROWS_WITH(by_numbers("w[0,age]"), Catch::Contains("which must be an index or a slice"));
}

TEST_CASE("the name of a parameter as a whole goes before an element of another") {
  std::vector<Parameter> two(2);
  two[0].name = "a";
  two[0].shape = {3};
  two[1].name = "a[1]";
  CHECK(select_coordinates(two, "a[1]") == Indices{3});
  CHECK(select_coordinates(two, "a[2]") == Indices{2});
}
