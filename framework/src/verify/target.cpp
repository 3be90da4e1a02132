// Targets with exact draws in the place of a composition's model.
// SPDX-License-Identifier: Apache-2.0
#include "verify/target.hpp"

#include "manifest/model_in_memory.hpp"

#include <mixwell/error.hpp>
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

struct NamedTarget {
  const char* name;
  const char* table;
};

/// Not Gaussian, of two modes, curved, of d = 1, correlated and of several scales, with heavy
/// tails, with a narrow mode, of many dimensions.
constexpr std::array usual_tables = {
    NamedTarget{"quartic", "use = \"quartic\"\ndimension = 2\n"},
    NamedTarget{"double-well", "use = \"double-well\"\ndimension = 2\n"},
    NamedTarget{"banana", "use = \"banana\"\n"},
    NamedTarget{"quartic-1", "use = \"quartic\"\ndimension = 1\n"},
    NamedTarget{
        "gaussian-10",
        "use = \"gaussian\"\ndimension = 10\ncovariance = \"geometric\"\ncondition = 25.0\n"},
    NamedTarget{"student-t",
                "use = \"student-t\"\ncovariance = \"diagonal\"\nvariances = [1, 4]\nmean = "
                "[1, -2]\ndegrees_of_freedom = 8\n"},
    NamedTarget{
        "narrow-mode",
        "use = \"gaussian-mixture\"\nweights = [1, 2, 1]\nmeans = [-2, 0, 3]\nsd = [1, 0.5, 2]\n"},
    NamedTarget{"gaussian-100",
                "use = \"gaussian\"\ndimension = 100\ncovariance = \"ones-plus\"\nc = 4.0\n"},
};
constexpr std::array smooth_tables = {
    NamedTarget{"smooth-student-t", "use = \"student-t\"\ndimension = 2\ndegrees_of_freedom = 8\n"},
    NamedTarget{"smooth-skewed",
                "use = \"gaussian-mixture\"\nweights = [1, 2]\nmeans = [-1, 0.5, 1, 0]\nsd = [0.6, "
                "1.2]\n"},
    NamedTarget{"smooth-correlated",
                "use = \"gaussian\"\ndimension = 2\ncovariance = \"ones-plus\"\nc = 0.5\n"},
};
constexpr const char* own_target = verify_target_names.front();

/// "own" and usual_tables, in this order.
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

void refine(toml::table& kernel, const Refinement& refinement) {
  if (const auto steps = kernel["steps"].value<std::int64_t>()) {
    kernel.insert_or_assign("steps", std::max(*steps, refinement.least_steps) * refinement.steps);
  }
  const auto redraw = kernel["refresh_every"].value<std::int64_t>();
  if (redraw && *redraw > 1)
    kernel.insert_or_assign("refresh_every", *redraw * refinement.between_redraws);
  if (const auto kept = kernel["persistence"].value<double>()) {
    kernel.insert_or_assign("persistence",
                            std::pow(*kept, 1.0 / static_cast<double>(refinement.between_redraws)));
  }
}

void multiply(toml::table& table, const char* key, double factor) {
  if (const auto value = table[key].value<double>()) table.insert_or_assign(key, *value * factor);
}

void multiply_step_sizes(toml::table& root, double factor, const Refinement& refinement) {
  for (const char* kind : {"kernel", "integrator"}) {
    toml::table* const tables = root[kind].as_table();
    if (tables == nullptr) continue;
    for (auto&& [name, node] : *tables) {
      toml::table* const table = node.as_table();
      if (table == nullptr) continue;
      refine(*table, refinement);
      multiply(*table, "step_size", factor);
      multiply(*table, "learning_rate", factor * factor);
      // Of a scheme with friction: eps V / 2, and the same and the friction in units of a step.
      multiply(*table, "noise_estimate", factor);
      multiply(*table, "alpha", factor);
      multiply(*table, "beta", factor * factor);
    }
  }
}

template <class Condition>
bool any_kernel(const std::string& effective_manifest, Condition condition) {
  const toml::table root = toml::parse(effective_manifest);
  const toml::table* const kernels = root["kernel"].as_table();
  if (kernels == nullptr) return false;
  return std::any_of(kernels->begin(), kernels->end(), [&](const auto& entry) {
    const toml::table* const kernel = entry.second.as_table();
    return kernel != nullptr && condition(*kernel);
  });
}

std::string text_of(const toml::table& root) {
  std::ostringstream text;
  text << root;
  return text.str();
}

}  // namespace

std::vector<std::string> verify_targets() {
  return {verify_target_names.begin(), verify_target_names.end()};
}

const std::vector<std::string>& smooth_targets() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const NamedTarget& target : smooth_tables) all.emplace_back(target.name);
    return all;
  }();
  return names;
}

bool VerifyTargets::has_schedule() const {
  return any_kernel(composition_.effective_manifest, [](const toml::table& kernel) {
    const auto schedule = kernel["schedule"].value<std::string>();
    return schedule && *schedule != "constant";
  });
}

bool VerifyTargets::has_step_sizes() const {
  return any_kernel(composition_.effective_manifest, [](const toml::table& kernel) {
    return kernel["step_size"].is_number() || kernel["learning_rate"].is_number();
  });
}

bool VerifyTargets::can_compose(const std::string& target, double step_factor) const {
  try {
    compose(*composed(target, step_factor).compositor);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

Composition VerifyTargets::composed_on(const std::shared_ptr<Model>& model,
                                       double step_factor) const {
  toml::table root = toml::parse(composition_.effective_manifest);
  multiply_step_sizes(root, step_factor, {});
  return compose_on(model, composition_.model()->name(), std::move(root), path_, registry_);
}

Composition VerifyTargets::composed(const std::string& target, double step_factor,
                                    const Refinement& refinement) const {
  toml::table root = toml::parse(composition_.effective_manifest);
  if (target != own_target) {
    root["model"].as_table()->insert_or_assign(composition_.model()->name(),
                                               toml::parse(find(target)->table));
  }
  multiply_step_sizes(root, step_factor, refinement);
  return parse_manifest(text_of(root), path_, registry_);
}

}  // namespace mixwell
