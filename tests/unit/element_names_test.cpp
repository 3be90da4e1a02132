// Names of elements: by numbers, by labels, and back.
// SPDX-License-Identifier: Apache-2.0
#include "results/element_names.hpp"

#include "support.hpp"

#include <mixwell/base/error.hpp>

using namespace mixwell;

namespace {

const std::vector<Labels> labels = {{"town", {"Ulm", "Bonn", "Bonn,Rhine", "1", "[x]"}},
                                    {"year", {"1962", "1963", "1964"}}};

Column column(std::vector<Index> shape, std::vector<std::string> dims) {
  Column one;
  one.name = shape == std::vector<Index>{2} ? "y" : "z";
  one.shape = std::move(shape);
  one.dims = std::move(dims);
  return one;
}

const Column by_town = column({5}, {"town"});
const Column by_town_and_year = column({5, 3}, {"town", "year"});

using Indices = std::vector<Index>;

/// Of a column among others; -1 is no element of it.
Indices found(const Column& of, const std::string& name) {
  const auto all = elements_called({column({2}, {}), of}, name, labels);
  return all && all->column == 1 ? all->elements : Indices{-1};
}

std::string refusal(const Column& of, const std::string& name) {
  try {
    elements_called({of}, name, labels);
    return "accepted";
  } catch (const InputError& fault) {
    return fault.what();
  }
}

}  // namespace

TEST_CASE("every element is found by both of its names", "[element-names]") {
  for (const Column& one : {by_town_and_year, column({2, 3, 2}, {}), column({5, 4}, {"town", ""})})
    for (Index k = 0; k < one.size(); ++k) {
      CAPTURE(k, labelled_name(one, k, labels));
      CHECK(found(one, element_name(one, k)) == Indices{k});
      if (one.shape.front() == 5 && k / one.shape.back() != 3)
        CHECK(found(one, labelled_name(one, k, labels)) == Indices{k});
    }
}

TEST_CASE("a number that is an index of the array is no label", "[element-names]") {
  CHECK(found(by_town, "z[1]") == Indices{1});
  CHECK(found(by_town_and_year, "z[Ulm,1962]") == Indices{0});
  CHECK(found(by_town_and_year, "z[3,2]") == Indices{11});
}

TEST_CASE("labels with commas are told from two indices", "[element-names]") {
  CHECK(found(by_town, "z[Bonn,Rhine]") == Indices{2});
  CHECK(found(by_town_and_year, "z[Bonn,Rhine,1963]") == Indices{7});
  CHECK(found(by_town_and_year, "z[Bonn,1963]") == Indices{4});
  CHECK(found(by_town, "z[[x]]") == Indices{4});
}

TEST_CASE("slices stand beside labels, and what is left out is taken whole", "[element-names]") {
  CHECK(found(by_town_and_year, "z") == found(by_town_and_year, "z[:,:]"));
  CHECK(found(by_town_and_year, "z[Bonn]") == Indices{3, 4, 5});
  CHECK(found(by_town_and_year, "z[ Bonn , 1: ]") == Indices{4, 5});
  CHECK(found(by_town_and_year, "z[::2,1964]") == Indices{2, 8, 14});
  CHECK(found(by_town_and_year, "z[-1,-1]") == Indices{14});
}

TEST_CASE("what names no element is refused with the rule and the nearest label",
          "[element-names]") {
  const auto says = [](const Column& of, const char* name, const char* rule) {
    CAPTURE(name);
    CHECK_THAT(refusal(of, name), Catch::Contains(rule));
  };
  says(by_town, "z[ulm]",
       "\"z[ulm]\" has \"ulm\", which must be an index, a slice or a label (did you mean "
       "\"Ulm\"?)");
  says(by_town, "z[]", "has \"\", which must be an index, a slice or a label (known: Ulm, Bonn, ");
  says(by_town, "z[Bonn,Rhin]", "has \"Bonn,Rhin\", which");
  says(by_town, "z[Bonn,Rhin]", "did you mean \"Bonn,Rhine\"?");
  says(by_town, "z[5]",
       "is out of range: index 5 is outside a dimension of length 5, because `z` has the shape [5] "
       "and indices start at 0. \"5\" is not a label either");
  says(by_town_and_year, "z[Ulm,1965]", "\"1965\" is not a label either (did you mean \"1962\"?)");
  says(by_town_and_year, "z[Ulm,]", "has \"\", which");
  says(by_town_and_year, "z[1962,Ulm]",
       "is out of range: index 1962 is outside a dimension of length 5");
  says(by_town_and_year, "z[0,0,0]", "gives 3 indices, but `z` has the shape [5, 3]");
  says(column({3}, {}), "z[Ulm]", "has \"Ulm\", which must be an index or a slice, such as 3");
  says(column({}, {}), "z[0]", "gives 1 indices, but `z` is a scalar");
  for (const char* const name : {"z[", "z[Ulm", "zUlm]", "x[Ulm]", "zz"})
    CHECK(found(by_town, name) == Indices{-1});
}
