// Values other than its own that a key is tried with.
// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include "base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

namespace idle_keys {
namespace {

using mixwell::ComponentReference;
using mixwell::Entry;
using mixwell::Field;
using mixwell::Fields;
using mixwell::Kind;

using Values = std::vector<Setting>;

Setting set(std::string value, std::string tables = {}) {
  return {{}, std::move(value), std::move(tables)};
}

const std::string other_walk =
    "[kernel.other]\nuse = \"random-walk-metropolis\"\nstep_size = 0.7\n";

/// The updates of a base, with another key in each.
Setting updates(const std::string& first, const std::string& second = {},
                const std::string& kernel = "\"hmc\"") {
  const auto row = [](const std::string& fields, const std::string& parameters,
                      const std::string& by) {
    const bool has_own = fields.find("parameters") != std::string::npos;
    return fmt::format("{{ kernel = {}{}{}{}{} }}", by, has_own ? "" : ", parameters = [\"",
                       has_own ? "" : parameters, has_own ? "" : "\"]",
                       fields.empty() ? "" : ", " + fields);
  };
  return set("[" + row(first, "x[0]", "\"walk\"") + ", " + row(second, "x[1]", kernel) + "]");
}

/// "kind/id.key", or a key of any component, or a kind of reference.
const std::map<std::string, Values>& table() {
  static const std::map<std::string, Values> all = {
      // References: a component that does something else.
      {"reference to an oracle",
       {set("\"other\"", "[oracle.other]\nuse = \"tempered\"\nbeta = 0.7\n")}},
      {"reference to an estimator",
       {set("\"other\"", "[estimator.other]\nuse = \"curvature-file\"\nfile = \"" +
                             file("data/curvature.csv") + "\"\n")}},
      {"reference to an integrator",
       {set("\"other\"", "[integrator.other]\nuse = \"euler-maruyama-friction\"\n")}},
      {"reference to a model",
       {set("\"other\"", "[model.other]\nuse = \"banana\"\ndimension = 2\n")}},
      {"reference to a kernel", {set("\"other\"", other_walk)}},
      {"list of references to kernels", {set("[\"other\"]", other_walk)}},
      {"reference to a rule of steps",
       {set("\"other\"", "[steps.other]\nuse = \"integration-time\"\ntime = 1.0\n")}},
      // Texts and files: where nothing reads them they are ignored, else they are refused or used.
      {"text", {set("\"other\"")}},
      {"list of texts", {set("[\"other\"]")}},
      {"file", {set("\"" + file("data/cases.csv") + "\"")}},
      {"table of tables of numbers and texts", {set("{ p = { x = 1.0 } }")}},
      {"integrator/euler-maruyama-friction.friction_matrix", {set("[1.5, 2.5]")}},
      {"cases", {set("15")}},
      {"data", {set("\"" + file("data/others.csv") + "\"")}},
      {"values", {set("[2.0, 0.5, -0.1]")}},
      {"sds", {set("[1.2, 0.9, 1.5]")}},
      {"counts", {set("[4, 5, 3, 1, 0]")}},
      {"model/stan.seed", {set("7")}},
      {"kernel/subsampled-metropolis.lipschitz", {set("20.0")}},
      {"list of numbers", {set("[1.5, 2.5]"), set("[1.0, 0.25]"), set("[3.0]")}},
      // Rows of a list are set with the list.
      {"update.parameters", {updates("parameters = [\"x\"]")}},
      {"update.kernel", {updates("", "", "\"walk\"")}},
      {"update.every", {updates("every = 2")}},
      {"update.weight", {updates("weight = 3.0", "weight = 1.0")}},
      {"update.without", {updates("without = [\"x[1]\"]")}},
  };
  return all;
}

std::string name_of(const Entry& entry) {
  return std::string(to_string(entry.kind)) + "/" + entry.description.id;
}

bool is_whole(const Field& field) {
  return std::holds_alternative<std::int64_t*>(field.target()) ||
         std::holds_alternative<std::optional<std::int64_t>*>(field.target());
}

/// Near the value that it has, where that is known, small ones, and the least of whole numbers.
Values numbers(const Field& field, double now, bool is_known) {
  std::vector<double> near =
      is_known
          ? std::vector<double>{now * 0.5, now * 1.5, now + 1.0, now + 2.0, now - 1.0, 0.25, 0.99}
          : std::vector<double>{0.5, 1.5, 0.9, 3.0, 2.0, 1.0, 0.1};
  if (is_whole(field)) near.push_back(field.low());
  Values values;
  for (double value : near) {
    if (is_whole(field)) value = std::trunc(value);
    if (!field.broken_rule(value).empty() || (is_known && value == now)) continue;
    values.push_back(
        set(is_whole(field) ? fmt::format("{:.0f}", value) : fmt::format("{}", value)));
  }
  return values;
}

Values words(const Field& field, const std::string& now) {
  const bool is_list = std::holds_alternative<std::vector<std::string>*>(field.target());
  Values values;
  for (const std::string& word : field.choices()) {
    const std::string text = (is_list ? "[\"" : "\"") + word + (is_list ? "\"]" : "\"");
    if (text != now) values.push_back(set(text));
  }
  return values;
}

Values intervals(const Field& field) {
  Values values;
  for (const auto& [a, b] : {std::pair{0.5, 1.5}, std::pair{1.0, 3.0}, std::pair{2.0, 5.0}})
    if (field.broken_rule(a).empty() && field.broken_rule(b).empty())
      values.push_back(set(fmt::format("[{}, {}]", a, b)));
  return values;
}

/// From the declaration, or none.
Values declared(const Field& field) {
  const std::string now = field.value_text();
  if (!field.choices().empty()) return words(field, now);
  if (std::holds_alternative<bool*>(field.target())) return {set(now == "true" ? "false" : "true")};
  if (const auto* const v = std::get_if<double*>(&field.target()))
    return numbers(field, **v, !field.is_required());
  if (const auto* const v = std::get_if<std::int64_t*>(&field.target()))
    return numbers(field, static_cast<double>(**v), !field.is_required());
  if (std::holds_alternative<std::optional<double>*>(field.target()) ||
      std::holds_alternative<std::optional<std::int64_t>*>(field.target()))
    return numbers(field, now.empty() ? 0.0 : std::stod(now), !now.empty());
  if (std::holds_alternative<std::optional<mixwell::Interval>*>(field.target()))
    return intervals(field);
  return {};
}

/// A row of the table, what the declaration tells, or the row of its type.
Values values_for(const std::string& component, const std::string& name, const Field& field) {
  const auto row = [](const std::string& key) {
    const auto found = table().find(key);
    return found == table().end() ? Values{} : found->second;
  };
  for (const std::string& key : {component + "." + name, name})
    if (Values values = row(key); !values.empty()) return values;
  const Values values = declared(field);
  return values.empty() ? row(field.type()) : values;
}

void add_trials(std::vector<Trial>& trials, const std::string& component, const Fields& fields,
                const std::string& prefix) {
  for (const Field& field : fields.all()) {
    const std::string name = prefix + field.key();
    if (const auto* const rows = std::get_if<mixwell::TableList>(&field.target())) {
      Fields inner;
      rows->append(inner);
      add_trials(trials, component, inner, name + ".");
      continue;
    }
    Trial trial{name, values_for(component, name, field)};
    if (trial.settings.empty())
      throw std::runtime_error("tests/idle_keys/values.cpp needs a value for " + component + "." +
                               name);
    for (Setting& setting : trial.settings)
      if (setting.key.empty()) setting.key = name.substr(0, name.find('.'));
    trials.push_back(std::move(trial));
  }
}

}  // namespace

void check_table(const mixwell::Registry& registry) {
  std::set<std::string> names;
  const auto add = [&](auto&& self, const std::string& component, const Fields& fields,
                       const std::string& prefix) -> void {
    for (const Field& field : fields.all()) {
      const std::string name = prefix + field.key();
      names.insert({name, component + "." + name, field.type()});
      if (const auto* const rows = std::get_if<mixwell::TableList>(&field.target())) {
        Fields inner;
        rows->append(inner);
        self(self, component, inner, name + ".");
      }
    }
  };
  for (const Entry& entry : registry.entries())
    add(add, name_of(entry), entry.blueprint()->fields(), "");
  for (const auto& [row, values] : table())
    if (!names.contains(row))
      throw std::runtime_error("tests/idle_keys/values.cpp: no key and no type is " + row);
}

std::vector<Trial> trials_of(const Entry& entry) {
  const auto blueprint = entry.blueprint();
  std::vector<Trial> trials;
  add_trials(trials, name_of(entry), blueprint->fields(), "");
  return trials;
}

}  // namespace idle_keys
