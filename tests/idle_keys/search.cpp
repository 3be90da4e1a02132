// Looks for keys that change nothing, and of which nobody is told.
// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include "base.hpp"
#include "outcome.hpp"
#include "values.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

namespace idle_keys {
namespace {

using mixwell::Entry;
using mixwell::Override;
using mixwell::Registry;

class Search {
 public:
  Search(const Registry& registry, const Entry& entry)
      : registry_(registry),
        name_(std::string(to_string(entry.kind)) + "/" + entry.description.id),
        base_(base_of(entry)),
        trials_(trials_of(entry)) {}

  std::vector<Idle> run() {
    const Outcome usual = outcome({});
    if (usual.is_refused)
      throw std::runtime_error("the base of " + name_ + " is refused: " + usual.what + "\n" +
                               base_.manifest);
    for (const Trial& trial : trials_)
      if (!has_effect(trial, {}, usual)) idle_.push_back({name_ + "." + trial.name, ""});
    for (const Trial& other : trials_)
      for (const Setting& setting : others(other)) look_beside(other, setting);
    return std::move(idle_);
  }

 private:
  /// Words and flags make other keys idle; of numbers one stands for all.
  static std::vector<Setting> others(const Trial& other) {
    const bool are_numbers = other.settings.front().value.find('"') == std::string::npos;
    return are_numbers ? std::vector<Setting>{other.settings.front()} : other.settings;
  }

  void look_beside(const Trial& other, const Setting& setting) {
    const Outcome beside = outcome({setting});
    if (beside.is_refused) return;
    for (const Trial& trial : trials_) {
      if (trial.settings.front().key == setting.key || is_idle(trial.name)) continue;
      if (!has_effect(trial, setting, beside))
        idle_.push_back({name_ + "." + trial.name, other.name + " = " + setting.value});
    }
  }

  /// By itself: then it is told of once.
  bool is_idle(const std::string& key) const {
    return std::any_of(idle_.begin(), idle_.end(), [&](const Idle& one) {
      return one.with.empty() && one.key == name_ + "." + key;
    });
  }

  bool has_effect(const Trial& trial, const std::optional<Setting>& beside, const Outcome& usual) {
    return std::any_of(trial.settings.begin(), trial.settings.end(), [&](const Setting& setting) {
      return outcome(beside ? std::vector{*beside, setting} : std::vector{setting}) != usual;
    });
  }

  Outcome outcome(const std::vector<Setting>& settings) {
    std::string manifest = base_.manifest;
    std::vector<Override> changes;
    for (const Setting& setting : settings) {
      if (manifest.find(setting.tables) == std::string::npos) manifest += setting.tables;
      changes.push_back({.key = base_.table + "." + setting.key, .value = setting.value});
    }
    return outcome_of(registry_, manifest, changes, base_.files);
  }

  const Registry& registry_;
  std::string name_;
  Base base_;
  std::vector<Trial> trials_;
  std::vector<Idle> idle_;
};

}  // namespace

std::vector<Idle> idle_keys_of(const Registry& registry, const Entry& entry) {
  return Search(registry, entry).run();
}

}  // namespace idle_keys
