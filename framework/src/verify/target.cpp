// Test targets, which have exact draws and replace the model of a composition.
// SPDX-License-Identifier: Apache-2.0
#include "verify/target.hpp"

#include "graph/edges.hpp"
#include "manifest/made_in_code.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/field_target.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/lab/verify.hpp>

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>

namespace mixwell {
namespace {

/// A target of the test. The parameters of each target are one array `x`.
struct NamedTarget {
  const char* name;
  const char* table;
  Index dimension;
};

/// In this order, the targets are: not Gaussian, with two modes, curved, with d = 1, correlated
/// with several scales, with heavy tails, with a narrow mode, and with many dimensions.
constexpr std::array usual_tables = {
    NamedTarget{"quartic", "use = \"quartic\"\ndimension = 2\n", 2},
    NamedTarget{"double-well", "use = \"double-well\"\ndimension = 2\n", 2},
    NamedTarget{"banana", "use = \"banana\"\n", 2},
    NamedTarget{"quartic-1", "use = \"quartic\"\ndimension = 1\n", 1},
    NamedTarget{
        "gaussian-10",
        "use = \"gaussian\"\ndimension = 10\ncovariance = \"geometric\"\ncondition = 25.0\n", 10},
    NamedTarget{"student-t",
                "use = \"student-t\"\ncovariance = \"diagonal\"\nvariances = [1, 4]\nmean = "
                "[1, -2]\ndegrees_of_freedom = 8\n",
                2},
    NamedTarget{
        "narrow-mode",
        "use = \"gaussian-mixture\"\nweights = [1, 2, 1]\nmeans = [-2, 0, 3]\nsd = [1, 0.5, 2]\n",
        1},
    NamedTarget{"gaussian-100",
                "use = \"gaussian\"\ndimension = 100\ncovariance = \"ones-plus\"\nc = 4.0\n", 100},
};
constexpr std::array smooth_tables = {
    NamedTarget{"smooth-student-t", "use = \"student-t\"\ndimension = 2\ndegrees_of_freedom = 8\n",
                2},
    NamedTarget{"smooth-skewed",
                "use = \"gaussian-mixture\"\nweights = [1, 2]\nmeans = [-1, 0.5, 1, 0]\nsd = [0.6, "
                "1.2]\n",
                2},
    NamedTarget{"smooth-correlated",
                "use = \"gaussian\"\ndimension = 2\ncovariance = \"ones-plus\"\nc = 0.5\n", 2},
};
constexpr const char* own_target = verify_target_names.front();

/// Whether verify_target_names are "own" and the names of usual_tables, in this order.
constexpr bool names_are_those_of_targets() {
  if (verify_target_names.size() != usual_tables.size() + 1) return false;
  for (std::size_t k = 0; k < usual_tables.size(); ++k) {
    if (std::string_view(verify_target_names[k + 1]) != usual_tables[k].name) return false;
  }
  return std::string_view(verify_target_names.front()) == "own";
}
static_assert(names_are_those_of_targets());

const NamedTarget* find(const std::string& name) {
  for (const NamedTarget& target : usual_tables) {
    if (name == target.name) return &target;
  }
  for (const NamedTarget& target : smooth_tables) {
    if (name == target.name) return &target;
  }
  return nullptr;
}

/// Refines both ends of the range from which L is drawn.
void refine_range(toml::array& range, const Refinement& refinement) {
  const auto least = static_cast<double>(refinement.least_steps);
  toml::array refined;
  for (const toml::node& end : range)
    refined.push_back(std::max(*end.value<double>(), least) *
                      static_cast<double>(refinement.steps));
  range = std::move(refined);
}

/// Changes the value of a key as required if eps is multiplied by `factor`.
void refine(toml::table& table, const Field& field, double factor, const Refinement& refinement) {
  const std::string& key = field.key();
  if (field.refined() == Refines::steps && table[key].is_array())
    return refine_range(*table[key].as_array(), refinement);
  const std::optional<double> value = table[key].value<double>();
  if (!value) return;
  const auto between = static_cast<double>(refinement.between_redraws);
  const auto whole = [&] { return *table[key].value_exact<std::int64_t>(); };
  switch (field.refined()) {
    case Refines::nothing:
    case Refines::schedule:
      return;
    case Refines::step_size:
      table.insert_or_assign(key, *value * factor);
      return;
    case Refines::step_size_squared:
      table.insert_or_assign(key, *value * factor * factor);
      return;
    case Refines::steps:
      table.insert_or_assign(key, std::max(whole(), refinement.least_steps) * refinement.steps);
      return;
    case Refines::redraw_every:
      if (whole() > 1) table.insert_or_assign(key, whole() * refinement.between_redraws);
      return;
    case Refines::persistence:
      table.insert_or_assign(key, std::pow(*value, 1.0 / between));
      return;
  }
}

/// Calls visit(kind, table, fields) for every component that the manifest names.
template <class Table, class Visit>
void each_component(Table& root, const Registry& registry, Visit visit) {
  for (const Kind kind : all_kinds) {
    auto* const tables = root[to_string(kind)].as_table();
    if (tables == nullptr) continue;
    for (auto&& [name, node] : *tables) {
      auto* const table = node.as_table();
      const auto id = (*table)["use"].template value<std::string>();
      const auto blueprint = registry.find(kind, *id).blueprint();
      visit(kind, *table, blueprint->fields());
    }
  }
}

void multiply_step_sizes(toml::table& root, const Registry& registry, double factor,
                         const Refinement& refinement) {
  each_component(root, registry, [&](Kind, toml::table& table, const Fields& fields) {
    for (const Field& field : fields.all()) refine(table, field, factor, refinement);
  });
}

/// The value as TOML text.
template <class Node>
std::string text_of(const Node& node) {
  std::ostringstream text;
  text << node;
  return text.str();
}

/// The selections of coordinates in a list of tables, as TOML texts. Equal texts select the same
/// coordinates.
std::vector<std::string> selections(const toml::array& list, const std::string& key) {
  std::vector<std::string> all;
  for (const toml::node& row : list) all.push_back(text_of((*row.as_table())[key]));
  return all;
}

/// Divides x into as many parts of neighbouring coordinates as there are different selections, and
/// selects one part for each. If there are fewer coordinates than selections, some selections share
/// a part.
void cut_anew(toml::array& list, const std::string& key, Index dimension) {
  const std::vector<std::string> before = selections(list, key);
  std::vector<std::string> different;
  for (const std::string& one : before) {
    if (!contains(different, one)) different.push_back(one);
  }
  const auto parts = std::ssize(different);
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Index part = std::ranges::find(different, before[k]) - different.begin();
    const Index first = parts <= dimension ? part * dimension / parts : part % dimension;
    const Index end = parts <= dimension ? (part + 1) * dimension / parts : first + 1;
    const std::string text = "x[" + std::to_string(first) + ":" + std::to_string(end) + "]";
    list[k].as_table()->insert_or_assign(key, toml::array{text});
  }
}

/// Adapts all selections of coordinates in the manifest to a target with this many coordinates.
void select_anew(toml::table& root, const Registry& registry, Index dimension) {
  each_component(root, registry, [&](Kind, toml::table& table, const Fields& fields) {
    for (const Field& field : fields.all()) {
      if (field.is_selection()) table.erase(field.key());
      const auto* const tables = std::get_if<TableList>(&field.target());
      toml::array* const list = table[field.key()].as_array();
      if (tables == nullptr || list == nullptr) continue;
      Fields of_row;
      tables->append(of_row);
      for (const Field& key : of_row.all()) {
        if (key.is_selection()) cut_anew(*list, key.key(), dimension);
      }
    }
  });
}

}  // namespace

std::vector<std::string> verify_targets() {
  return {verify_target_names.begin(), verify_target_names.end()};
}

std::vector<std::string> smooth_targets() {
  std::vector<std::string> names;
  for (const NamedTarget& target : smooth_tables) names.emplace_back(target.name);
  return names;
}

bool VerifyTargets::has_schedule() const {
  return any_key([](Kind, const toml::table& table, const Field& field) {
    if (field.refined() != Refines::schedule) return false;
    const toml::table usual = toml::parse(field.key() + " = " + field.value_text());
    return table[field.key()].value<std::string>() != usual[field.key()].value<std::string>();
  });
}

bool VerifyTargets::has_step_sizes() const {
  return any_key([](Kind kind, const toml::table& table, const Field& field) {
    const bool is_eps =
        field.refined() == Refines::step_size || field.refined() == Refines::step_size_squared;
    return kind == Kind::kernel && is_eps && table[field.key()].is_number();
  });
}

template <class Condition>
bool VerifyTargets::any_key(Condition condition) const {
  const toml::table root = toml::parse(composition_.effective_manifest);
  bool found = false;
  each_component(root, registry_, [&](Kind kind, const toml::table& table, const Fields& fields) {
    for (const Field& field : fields.all()) found = found || condition(kind, table, field);
  });
  return found;
}

bool VerifyTargets::can_compose(const std::string& target, double step_factor) const {
  try {
    compose(*composed(target, step_factor).compositor);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::string VerifyTargets::reason(const Error& refusal) const {
  std::string text = refusal.what();
  text.resize(std::min(text.find('\n'), text.size()));
  const std::size_t end = text.find(": ", path_.size());
  return text.starts_with(path_ + ":") && end != std::string::npos ? text.substr(end + 2) : text;
}

Composition VerifyTargets::composed_on(const std::shared_ptr<Model>& model,
                                       double step_factor) const {
  toml::table root = toml::parse(composition_.effective_manifest);
  multiply_step_sizes(root, registry_, step_factor, {});
  return compose_on(model, composition_.model()->name(), std::move(root), path_, registry_);
}

Composition VerifyTargets::composed(const std::string& target, double step_factor,
                                    const Refinement& refinement) const {
  toml::table root = toml::parse(composition_.effective_manifest);
  if (target != own_target) {
    const NamedTarget& other = *find(target);
    root["model"].as_table()->insert_or_assign(composition_.model()->name(),
                                               toml::parse(other.table));
    select_anew(root, registry_, other.dimension);
  }
  multiply_step_sizes(root, registry_, step_factor, refinement);
  return parse_manifest(text_of(root), path_, registry_);
}

}  // namespace mixwell
