// Names of elements: by numbers, by labels, and back.
// SPDX-License-Identifier: Apache-2.0
#include "results/element_names.hpp"

#include "support.hpp"

using namespace mixwell;

namespace {

const std::vector<Labels> labels = {{"town", {"Ulm", "Bonn", "Bonn,Rhine", "1", "[x]"}},
                                    {"year", {"1962", "1963", "1964"}}};

Column column(std::vector<Index> shape, std::vector<std::string> dims) {
  Column one;
  one.name = "z";
  one.shape = std::move(shape);
  one.dims = std::move(dims);
  return one;
}

const Column by_town = column({5}, {"town"});
const Column by_town_and_year = column({5, 3}, {"town", "year"});

std::optional<Index> found(const Column& of, const std::string& name) {
  return element_called(of, name, labels);
}

}  // namespace

TEST_CASE("every element is found by both of its names", "[element-names]") {
  for (const Column& one : {by_town_and_year, column({2, 3, 2}, {}), column({5, 4}, {"town", ""})})
    for (Index k = 0; k < one.size(); ++k) {
      CAPTURE(k, labelled_name(one, k, labels));
      CHECK(found(one, element_name(one, k)) == k);
      if (one.shape.front() == 5 && k / one.shape.back() != 3)
        CHECK(found(one, labelled_name(one, k, labels)) == k);
    }
}

TEST_CASE("a number that is an index of the array is no label", "[element-names]") {
  CHECK(found(by_town, "z[1]") == 1);
  CHECK(found(by_town_and_year, "z[Ulm,1962]") == 0);
  CHECK(found(by_town_and_year, "z[3,2]") == 11);
}

TEST_CASE("labels with commas are told from two indices", "[element-names]") {
  CHECK(found(by_town, "z[Bonn,Rhine]") == 2);
  CHECK(found(by_town_and_year, "z[Bonn,Rhine,1963]") == 7);
  CHECK(found(by_town_and_year, "z[Bonn,1963]") == 4);
  CHECK(found(by_town, "z[[x]]") == 4);
}

TEST_CASE("what names no element is found nowhere", "[element-names]") {
  for (const char* const name : {"z", "z[]", "z[", "z[Ulm", "zUlm]", "z[ulm]", "z[5]", "z[-1]",
                                 "z[01]", "z[Ulm,]", "z[Ulm,0]", "z[Ul]", "y[Ulm]"})
    CHECK_FALSE(found(by_town, name).has_value());
  for (const char* const name : {"z[Ulm]", "z[Ulm,1965]", "z[,1962]", "z[1962,Ulm]", "z[0,0,0]"})
    CHECK_FALSE(found(by_town_and_year, name).has_value());
  CHECK_FALSE(found(column({}, {}), "z[0]").has_value());
}
