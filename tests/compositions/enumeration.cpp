// Which compositions there are: a set in which every pair of choices that can stand together does.
// SPDX-License-Identifier: Apache-2.0
#include "enumeration.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/random.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <regex>
#include <set>
#include <unordered_set>
#include <utility>

namespace compositions {
namespace {

using mixwell::Kind;
using mixwell::Registry;

/// What a refusal says, without file, line, names of instances, numbers and the cure.
std::string reason(const std::string& message) {
  static const std::pair<std::regex, const char*> edits[] = {
      {std::regex("^.*\\.toml(:\\d+)*: "), ""},
      {std::regex("\n.*"), ""},
      {std::regex(";.*"), ""},
      {std::regex(" in `[^`]*`"), ""},
      {std::regex(" `[^`]*/[^`]*`"), ""},
      {std::regex("[a-z]+\\.[a-z]+(-\\d)?\\."), ""},
      {std::regex("^(\\w+) `[^`]*`"), "$1"},
      {std::regex("^/.*/"), ""},
      {std::regex("\\d+\\.\\d{3,}"), "..."},
  };
  std::string text = message;
  for (const auto& [what, by] : edits) text = std::regex_replace(text, what, by);
  return text;
}

class Enumerator {
 public:
  Enumerator(const Registry& registry, const EnumerationSettings& settings)
      : registry_(registry), settings_(settings), models_(models_of(registry, settings.folder)) {}

  Enumeration run() {
    for (std::int64_t k = 0; k < settings_.draws; ++k) attempt({});
    const std::vector<Choice> choices = all_choices(registry_);
    seek_components();
    seek_pairs(choices);
    note_missing();
    result_.pairs = static_cast<std::int64_t>(together_.size());
    for (const std::size_t k : cover(shown_by_)) result_.kept.push_back(pool_[k]);
    return std::move(result_);
  }

 private:
  /// Whether a draft with these choices type-checks, and has them.
  bool attempt(const std::vector<Choice>& wanted) {
    const std::uint64_t seed = settings_.seed * 1000003 + static_cast<std::uint64_t>(result_.drawn);
    ++result_.drawn;
    Draft draft = draw(registry_, models_, seed, wanted);
    const std::string id =
        fmt::format("{}-{:08x}", draft.name, mixwell::hash_role(draft.text) >> 32U);
    try {
      if (!ids_.contains(id)) {
        add(composed(std::move(draft), id));
        draft = pool_.back().draft;
      }
    } catch (const mixwell::InputError& refusal) {
      ++result_.refused[reason(refusal.what())];
      return false;
    }
    return std::all_of(wanted.begin(), wanted.end(), [&](const Choice& c) {
      return c.kind == Kind::model || c.kind == Kind::recorder ||
             std::find(draft.choices.begin(), draft.choices.end(), c) != draft.choices.end();
    });
  }

  Candidate composed(Draft draft, const std::string& id) const {
    const auto composition =
        mixwell::parse_manifest(draft.text, settings_.folder + "/" + id + ".toml", registry_);
    const auto certificate = mixwell::compose(*composition.compositor).certificate;
    return {std::move(draft), id,
            certificate.now.label() + (certificate.after_warmup ? " after warm-up" : ""),
            std::string(to_string(certificate.now.rule))};
  }

  void add(Candidate candidate) {
    ids_.insert(candidate.id);
    ++result_.composed;
    present_.insert(candidate.draft.components.begin(), candidate.draft.components.end());
    for (const Choice& c : candidate.draft.choices) {
      works_with_[{c.kind, c.id}].insert(candidate.draft.model);
    }
    note(candidate);
    pool_.push_back(std::move(candidate));
  }

  /// Of two texts in any order, under a label.
  static std::uint64_t mark(const std::string& a, const std::string& b, const char* label = "") {
    return mixwell::hash_role(std::min(a, b) + "\n" + std::max(a, b) + "\n" + label);
  }

  /// What a row with this candidate shows: its components; its choices under its verdict; and
  /// where a test can confirm the verdict, its pairs of choices under that label. Of a biased
  /// composition only pairs with a component count: one fault is enough for it.
  void note(const Candidate& candidate) {
    const std::vector<Choice>& choices = candidate.draft.choices;
    const std::string label = candidate.certificate.substr(0, candidate.certificate.find(' '));
    const bool right = label == "exact" || label == "asymptotic";
    const bool tested = (right || label == "biased") && has_exact_draws(candidate.draft.model);
    const std::string verdict = candidate.certificate + ", rule " + candidate.rule;
    std::vector<std::uint64_t> shows;
    for (auto a = choices.begin(); a != choices.end(); ++a) {
      const std::string first = a->text();
      shows.push_back(mark(first, verdict));
      for (auto b = std::next(a); b != choices.end(); ++b) {
        const std::string second = b->text();
        together_.insert(mark(first, second));
        const bool counts = right || a->key.empty() || b->key.empty();
        if (tested && counts) shows.push_back(mark(first, second, label.c_str()));
      }
    }
    for (const std::string& component : candidate.draft.components)
      shows.push_back(mark("has", component));
    shown_by_.push_back(std::move(shows));
  }

  /// A component that random draws missed, such as one that wants a certain model.
  void seek_components() {
    for (const mixwell::Entry& entry : registry_.entries()) {
      const Choice wish{entry.kind, entry.description.id};
      const std::string name = wish.text();
      if (entry.kind == Kind::model && !present_.contains(name)) attempt(plainest_of(wish.id));
      const auto models = static_cast<std::int64_t>(models_.all.size());
      for (std::int64_t k = 0; !present_.contains(name) && k < 50 * models; ++k) {
        attempt({wish, {Kind::model, models_.all[static_cast<std::size_t>(k % models)]}});
      }
    }
  }

  void seek_pairs(const std::vector<Choice>& choices) {
    for (auto a = choices.begin(); a != choices.end(); ++a) {
      for (auto b = std::next(a); b != choices.end(); ++b) {
        if (excludes(*a, *b) || together_.contains(mark(a->text(), b->text()))) continue;
        if (!seek(*a, *b)) ++result_.never_together;
      }
    }
  }

  /// Two components of a kind, or two values of a key.
  static bool excludes(const Choice& a, const Choice& b) {
    if (a.kind != b.kind) return false;
    return a.id != b.id || a.key == b.key || a.key.empty() || b.key.empty();
  }

  bool seek(const Choice& a, const Choice& b) {
    std::vector<Choice> wanted{a, b};
    want_model(a, wanted);
    if (wanted.size() == 2) want_model(b, wanted);
    for (std::int64_t k = 0; k < settings_.attempts; ++k) {
      if (attempt(wanted)) return true;
    }
    return false;
  }

  /// A model that a component was seen to work with, if the usual one does not do; one with exact
  /// draws if there is one.
  void want_model(const Choice& choice, std::vector<Choice>& wanted) const {
    const auto seen = works_with_.find({choice.kind, choice.id});
    if (seen == works_with_.end() || seen->second.contains(models_.usual)) return;
    const auto exact = std::find_if(seen->second.begin(), seen->second.end(),
                                    [&](const std::string& id) { return has_exact_draws(id); });
    wanted.push_back({Kind::model, exact == seen->second.end() ? *seen->second.begin() : *exact});
  }

  bool has_exact_draws(const std::string& model) const {
    return std::find(models_.exact.begin(), models_.exact.end(), model) != models_.exact.end();
  }

  void note_missing() {
    for (const mixwell::Entry& entry : registry_.entries()) {
      const std::string name = Choice{entry.kind, entry.description.id}.text();
      if (!present_.contains(name)) result_.missing.push_back(name);
    }
  }

  const Registry& registry_;
  const EnumerationSettings& settings_;
  Models models_;
  Enumeration result_;
  std::vector<Candidate> pool_;
  std::vector<std::vector<std::uint64_t>> shown_by_;
  std::unordered_set<std::uint64_t> together_;  ///< pairs of choices
  std::unordered_set<std::string> ids_;
  std::set<std::string> present_;
  std::map<std::pair<Kind, std::string>, std::set<std::string>> works_with_;
};

}  // namespace

Enumeration enumerate(const Registry& registry, const EnumerationSettings& settings) {
  return Enumerator(registry, settings).run();
}

std::vector<std::size_t> cover(const std::vector<std::vector<std::uint64_t>>& shown_by) {
  std::vector<std::size_t> chosen;
  std::unordered_set<std::uint64_t> shown;
  const auto gain = [&](std::size_t k) {
    return std::count_if(shown_by[k].begin(), shown_by[k].end(),
                         [&](std::uint64_t what) { return !shown.contains(what); });
  };
  // A gain only shrinks: an old one bounds it.
  std::priority_queue<std::pair<std::int64_t, std::int64_t>> queue;
  for (std::size_t k = 0; k < shown_by.size(); ++k)
    queue.emplace(shown_by[k].size(), -static_cast<std::int64_t>(k));
  while (!queue.empty()) {
    const std::int64_t minus = queue.top().second;
    queue.pop();
    const auto k = static_cast<std::size_t>(-minus);
    const std::int64_t now = gain(k);
    if (now == 0) continue;
    if (!queue.empty() && now < queue.top().first) {
      queue.emplace(now, minus);
      continue;
    }
    shown.insert(shown_by[k].begin(), shown_by[k].end());
    chosen.push_back(k);
  }
  return chosen;
}

}  // namespace compositions
