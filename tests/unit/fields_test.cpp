// Declared parameters: types, ranges, and values as TOML text.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/component/fields.hpp>
#include <mixwell/integrator.hpp>
#include <mixwell/lab/field_target.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

using namespace mixwell;

namespace {

struct Everything {
  double number = 0.1;
  std::optional<double> maybe;
  std::int64_t integer = 3;
  bool flag = true;
  std::string text = "a \"b\"\n";
  std::optional<std::string> perhaps;
  std::vector<double> numbers = {1, 0.5};
  std::vector<std::string> texts = {"x", "y"};
  std::optional<Interval> interval;
  NamedPoints named = {{"p_31F", {{"temperature", 31.0}, {"site", "north"}}}};
  std::shared_ptr<const Integrator> integrator;

  Fields fields() {
    Fields all;
    all.number("number", number);
    all.number("maybe", maybe);
    all.integer("integer", integer);
    all.flag("flag", flag);
    all.text("text", text);
    all.text("perhaps", perhaps);
    all.numbers("numbers", numbers);
    all.texts("texts", texts);
    all.interval("interval", interval);
    all.named_points("named", named);
    all.component("integrator", integrator).or_default("leapfrog");
    return all;
  }
};

std::string text_of(Everything& values, const std::string& key) {
  return values.fields().find(key)->value_text();
}

Field ranged() {
  static double value = 0;
  Fields fields;
  return std::move(fields.number("x", value));
}

}  // namespace

TEST_CASE("Fields keep the order in which they were declared and are found by key") {
  Everything values;
  const Fields fields = values.fields();
  CHECK(fields.all().size() == 11);
  CHECK(fields.all().front().key() == "number");
  CHECK(fields.find("interval")->type() == "interval [low, high]");
  CHECK(fields.find("nothing") == nullptr);
}

TEST_CASE("A field names its type for people") {
  Everything values;
  const Fields fields = values.fields();
  CHECK(fields.find("number")->type() == "number");
  CHECK(fields.find("maybe")->type() == "number");
  CHECK(fields.find("integer")->type() == "integer");
  CHECK(fields.find("named")->type() == "table of tables of numbers and texts");
  CHECK(fields.find("integrator")->type() == "reference to an integrator");
  std::string name;
  Fields one;
  one.text("data", name).file();
  CHECK(one.find("data")->type() == "file");
}

TEST_CASE("Values are written as TOML that reads back as the same bits") {
  Everything values;
  CHECK(text_of(values, "number") == "0.1");
  CHECK(text_of(values, "integer") == "3");
  CHECK(text_of(values, "flag") == "true");
  CHECK(text_of(values, "text") == R"("a \"b\"\n")");
  CHECK(text_of(values, "numbers") == "[1.0, 0.5]");
  CHECK(text_of(values, "texts") == R"(["x", "y"])");
  CHECK(text_of(values, "named") == "{ p_31F = { site = \"north\", temperature = 31.0 } }");
  for (const double x : {1.0 / 3, 1e300, 5e-324, -0.0, 123456789012345680.0}) {
    values.number = x;
    const double back = std::strtod(text_of(values, "number").c_str(), nullptr);
    CHECK(std::signbit(back) == std::signbit(x));
    CHECK(back == x);
  }
}

TEST_CASE("A parameter without a value has no text") {
  Everything values;
  CHECK(text_of(values, "maybe").empty());
  CHECK(text_of(values, "perhaps").empty());
  CHECK(text_of(values, "interval").empty());
  CHECK(text_of(values, "integrator").empty());
  values.maybe = 2;
  values.interval = {0.5, 1.5};
  CHECK(text_of(values, "maybe") == "2.0");
  CHECK(text_of(values, "interval") == "[0.5, 1.5]");
}

TEST_CASE("A range is shown as an interval, or as the list of choices") {
  CHECK(ranged().range().empty());
  CHECK(ranged().above(0).range() == "(0, inf)");
  CHECK(ranged().at_least(1).at_most(64).range() == "[1, 64]");
  CHECK(ranged().above(0).below(1).range() == "(0, 1)");
  CHECK(ranged().one_of({"a", "b"}).range() == "one of a, b");
}

TEST_CASE("A broken rule says what the value must be, exactly at the ends of the range") {
  CHECK(ranged().above(0).broken_rule(0) == "must be above 0");
  CHECK(ranged().above(0).broken_rule(5e-324).empty());
  CHECK(ranged().at_least(0).broken_rule(0).empty());
  CHECK(ranged().at_least(0).broken_rule(-5e-324) == "must be at least 0");
  CHECK(ranged().below(1).broken_rule(1) == "must be below 1");
  CHECK(ranged().at_most(1).broken_rule(1).empty());
  CHECK(ranged().at_most(1).broken_rule(1.5) == "must be at most 1");
}

TEST_CASE("No range admits a number that is not finite") {
  CHECK(ranged().broken_rule(std::nan("")) == "must be finite");
  CHECK(ranged().broken_rule(std::numeric_limits<double>::infinity()) == "must be finite");
  CHECK(ranged().broken_rule(-std::numeric_limits<double>::infinity()) == "must be finite");
}

TEST_CASE("A reference keeps its kind and fallback") {
  Everything values;
  const Fields fields = values.fields();
  const auto& reference = std::get<ComponentReference>(fields.find("integrator")->target());
  CHECK(reference.kind == Kind::integrator);
  CHECK(reference.fallback == "leapfrog");
}

TEST_CASE("Every kind is found by its own name") {
  for (const Kind kind : all_kinds) CHECK(kind_from(to_string(kind)) == kind);
  CHECK(!kind_from("kernels"));
}

TEST_CASE("Only traits that differ from the weakest are described") {
  CHECK(describe(Traits{}).empty());
  Traits traits;
  traits.volume = true;
  traits.order = 2;
  traits.invariant = false;
  CHECK(describe(traits) ==
        std::vector<std::string>{"volume = true", "order = 2", "invariant = false"});
}
