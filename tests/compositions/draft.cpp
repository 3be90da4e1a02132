// Manifests drawn from the registry.
// SPDX-License-Identifier: Apache-2.0
#include "draft.hpp"

#include "chance.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/model.hpp>

#include <algorithm>
#include <map>

namespace compositions {
namespace {

using mixwell::ComponentReference;
using mixwell::Entry;
using mixwell::Field;
using mixwell::Fields;
using mixwell::Kind;
using mixwell::Registry;

/// How much of a component is drawn.
enum class Part {
  subject,    ///< everything, and it counts as a choice
  companion,  ///< a kernel beside the subject: its estimator, and defaults
  fixture     ///< a model or recorder: what it needs
};

const std::string head_table = R"(mixwell = 1

[run]
warmup = 30
draws = 100
allow = ["biased", "none"]
)";

/// A kernel that asks something of its model: one that offers it, the parameters that the kernel
/// moves, and those of its companion, of which some want a kernel of their own.
struct PartKernel {
  std::string model;
  std::string own;
  std::string others;
  std::string companion{};
};

const std::map<std::string, PartKernel>& part_kernels() {
  static const std::map<std::string, PartKernel> all = {
      {"conditional", {"changepoint", "[\"before\", \"after\"]", "[\"k\"]", "gibbs"}},
      {"gibbs", {"changepoint", "[\"k\"]", "[\"before\", \"after\"]"}},
      {"elliptical-slice", {"normal-groups", "[\"theta\"]", "[\"mu\", \"tau\"]"}},
      {"pcn", {"normal-groups", "[\"theta\"]", "[\"mu\", \"tau\"]"}},
      {"prior-metropolis",
       {"stable-factorisation", "[\"angle\", \"energy\"]",
        "[\"row_factors\", \"column_factors\"]"}},
  };
  return all;
}

class Drawing {
 public:
  Drawing(const Registry& registry, const Models& models, std::uint64_t seed,
          const std::vector<Choice>& wanted)
      : registry_(registry), models_(models), chance_(seed), wanted_(wanted) {}

  Draft draw() {
    add("main", pick(Kind::compositor, ""), Kind::compositor, Part::subject);
    if (chance_.one_in(8)) {
      const std::string id = pick_among(Kind::recorder, registry_.ids(Kind::recorder));
      add("recorder", id, Kind::recorder, Part::fixture);
    }
    draft_.text = head_table;
    for (const std::string& table : tables_) draft_.text += table;
    draft_.name = draft_name();
    return std::move(draft_);
  }

 private:
  std::string draft_name() const {
    std::string name;
    for (const Kind kind : {Kind::compositor, Kind::kernel, Kind::estimator, Kind::oracle}) {
      const auto found = std::find_if(draft_.choices.begin(), draft_.choices.end(),
                                      [&](const Choice& c) { return c.kind == kind; });
      if (found != draft_.choices.end()) name += (name.empty() ? "" : "-") + found->id;
    }
    return name;
  }

  std::string pick(Kind kind, const std::string& purpose) {
    return pick_among(kind, ids_for(registry_, kind, purpose));
  }

  std::string pick_among(Kind kind, const std::vector<std::string>& ids) {
    for (const Choice& choice : wanted_) {
      if (choice.kind == kind && std::find(ids.begin(), ids.end(), choice.id) != ids.end()) {
        return choice.id;
      }
    }
    return ids.at(chance_.below(ids.size()));
  }

  std::string pick_model() {
    for (const Choice& choice : wanted_) {
      if (choice.kind == Kind::model) return choice.id;
    }
    if (const PartKernel* const part = wanted_part()) return part->model;
    if (!chance_.one_in(4)) return models_.usual;
    const auto& ids = chance_.one_in(4) ? models_.all : models_.exact;
    return ids.at(chance_.below(ids.size()));
  }

  void add(const std::string& name, const std::string& id, Kind kind, Part part) {
    draft_.components.insert(std::string(to_string(kind)) + "/" + id);
    declared_[kind].push_back(name);
    if (part == Part::subject) draft_.choices.push_back({kind, id});
    const auto blueprint = registry_.find(kind, id).blueprint();
    std::string table =
        "\n[" + std::string(to_string(kind)) + "." + name + "]\nuse = \"" + id + "\"\n";
    const std::set<std::string> left_out = keys_left_out(blueprint->fields());
    for (const Field& field : blueprint->fields().all()) {
      if (left_out.contains(field.key())) continue;
      if (const auto* reference = std::get_if<ComponentReference>(&field.target())) {
        if (refers(*reference, part)) {
          table += field.key() + " = " + refer(*reference, field, name, kind, part) + "\n";
        }
      } else if (std::holds_alternative<mixwell::TableList>(field.target())) {
        table += kind == Kind::compositor ? updates(field) : halves(field, name);
      } else {
        table += line(kind, id, field, part);
      }
    }
    tables_.push_back(std::move(table));
  }

  /// Optional references to nothing, and the keys in whose place the others are.
  std::set<std::string> keys_left_out(const Fields& fields) {
    std::set<std::string> keys;
    for (const Field& field : fields.all()) {
      const auto* const reference = std::get_if<ComponentReference>(&field.target());
      if (reference == nullptr || !reference->optional) continue;
      const bool wanted = std::any_of(wanted_.begin(), wanted_.end(),
                                      [&](const Choice& c) { return c.kind == reference->kind; });
      keys.insert(wanted || chance_.one_in(6) ? field.replaced() : field.key());
    }
    return keys;
  }

  static bool refers(const ComponentReference& reference, Part part) {
    return part != Part::companion || reference.fallback.empty() ||
           reference.kind == Kind::estimator;
  }

  std::string line(Kind kind, const std::string& id, const Field& field, Part part) {
    const std::vector<Value> values = values_of(kind, id, field);
    if (values.empty()) return {};
    const Value value = part == Part::subject ? drawn(kind, id, field, values) : values.front();
    if (part == Part::companion && values.size() > 1) return {};
    if (part == Part::subject) note(kind, id, field, value, values.size());
    return value.toml.empty() || value.is_default ? "" : field.key() + " = " + value.toml + "\n";
  }

  /// Half of the time the first or default one, so that a draft departs from the usual in a few
  /// ways at a time.
  Value drawn(Kind kind, const std::string& id, const Field& field,
              const std::vector<Value>& values) {
    for (const Choice& choice : wanted_) {
      if (choice.kind != kind || choice.id != id || choice.key != field.key()) continue;
      for (const Value& value : values) {
        if (value.toml == choice.value) return value;
      }
    }
    const Value any = values[chance_.below(values.size())];
    if (chance_.one_in(2)) return any;
    const auto usual = std::find_if(values.begin(), values.end(),
                                    [](const Value& v) { return v.is_default || v.toml.empty(); });
    return usual == values.end() ? values.front() : *usual;
  }

  void note(Kind kind, const std::string& id, const Field& field, const Value& value,
            std::size_t of) {
    if (of == 1) return;
    draft_.choices.push_back({kind, id, field.key(), value.toml});
    if (value.is_default || value.toml.empty()) return;
    draft_.settings += (draft_.settings.empty() ? "" : " ") + field.key() + "=";
    for (const char c : value.toml) {
      if (c != '"' && c != ' ') draft_.settings += c;
    }
  }

  std::string refer(const ComponentReference& reference, const Field& field,
                    const std::string& parent, Kind kind, Part part) {
    if (reference.kind == Kind::model) return quoted(model(parent, kind));
    if (reference.kind == Kind::kernel && kind == Kind::kernel) return stage();
    if (reference.kind == Kind::kernel) return kernels(reference, field);
    const std::string shared = earlier(reference, kind);
    if (!shared.empty()) return quoted(shared);
    const std::string own = std::string(to_string(reference.kind));
    const std::string name = unused(reference.kind, part == Part::companion ? parent : own);
    add(name, pick(reference.kind, reference.purpose), reference.kind, part);
    return quoted(name);
  }

  static std::string quoted(const std::string& name) { return "\"" + name + "\""; }

  std::string unused(Kind kind, const std::string& wish) {
    const auto& taken = declared_[kind];
    std::string name = wish;
    for (int k = 2; std::find(taken.begin(), taken.end(), name) != taken.end(); ++k) {
      name = wish + "-" + std::to_string(k);
    }
    return name;
  }

  /// A compositor may have the kernel's component for its own, as lagged has its oracle.
  std::string earlier(const ComponentReference& reference, Kind parent) {
    const auto& names = declared_[reference.kind];
    const bool may = parent == Kind::compositor && reference.purpose.empty() && !names.empty();
    return may && chance_.one_in(2) ? names.back() : "";
  }

  /// One model for all; a model that wraps another takes any other one.
  std::string model(const std::string& parent, Kind kind) {
    if (kind == Kind::model) {
      std::vector<std::string> ids = registry_.ids(Kind::model);
      std::erase(ids, draft_.model);
      const std::string name = unused(Kind::model, parent + "-base");
      add(name, ids.at(chance_.below(ids.size())), Kind::model, Part::fixture);
      return name;
    }
    if (declared_[Kind::model].empty()) {
      draft_.model = pick_model();
      add("model", draft_.model, Kind::model, Part::fixture);
    }
    return "model";
  }

  /// `kernel` is the subject, and so is the last of a list.
  std::string kernels(const ComponentReference& reference, const Field& field) {
    if (reference.many) {
      const std::string other = companion("other");
      return "[" + quoted(other) + ", " + quoted(subject()) + "]";
    }
    return quoted(field.key() == "kernel" ? subject() : companion(field.key()));
  }

  /// Of a kernel whose proposals others make.
  std::string stage() { return "[" + quoted(companion("stage", "random-walk-metropolis")) + "]"; }

  /// What the wanted kernel asks for, if it does; null: nothing.
  const PartKernel* wanted_part() const {
    for (const Choice& choice : wanted_) {
      const auto found = part_kernels().find(choice.id);
      if (choice.kind == Kind::kernel && found != part_kernels().end()) return &found->second;
    }
    return nullptr;
  }

  /// Two blocks, a companion's and the subject's: of a model with a vector x, or of one that the
  /// subject asks for.
  std::string updates(const Field& field) {
    static const PartKernel halves{"", "[\"x[1:]\"]", "[\"x[0]\"]"};
    const PartKernel* const wanted = wanted_part();
    const PartKernel& part = wanted == nullptr ? halves : *wanted;
    const std::string other = companion("other", part.companion);
    return field.key() + " = [{ parameters = " + part.others + ", kernel = " + quoted(other) +
           " }, { parameters = " + part.own + ", kernel = " + quoted(subject()) + " }]\n";
  }

  /// Updates of a kernel that moves parts: its own kernels are companions.
  std::string halves(const Field& field, const std::string& name) {
    std::string rows;
    for (const char* const part : {"x[1:]", "x[0]"}) {
      const std::string kernel = companion(name + "-of-" + part[2]);
      rows += (rows.empty() ? "" : ", ") + std::string("{ parameters = [\"") + part +
              "\"], kernel = " + quoted(kernel) + " }";
    }
    return field.key() + " = [" + rows + "]\n";
  }

  std::string subject() {
    add("kernel", pick(Kind::kernel, ""), Kind::kernel, Part::subject);
    return "kernel";
  }

  /// `id`: of the kernel, "" for any.
  std::string companion(const std::string& name, const std::string& id = {}) {
    std::vector<std::string> ids = ids_for(registry_, Kind::kernel, "");
    std::erase_if(ids, [&](const std::string& kernel) { return has_tables(kernel); });
    add(name, id.empty() ? ids.at(chance_.below(ids.size())) : id, Kind::kernel, Part::companion);
    return name;
  }

  /// A kernel that is made of others.
  bool has_tables(const std::string& kernel) const {
    const auto blueprint = registry_.find(Kind::kernel, kernel).blueprint();
    const auto& fields = blueprint->fields().all();
    return std::any_of(fields.begin(), fields.end(), [](const Field& field) {
      return std::holds_alternative<mixwell::TableList>(field.target());
    });
  }

  const Registry& registry_;
  const Models& models_;
  Chance chance_;
  const std::vector<Choice>& wanted_;
  Draft draft_;
  std::vector<std::string> tables_;
  std::map<Kind, std::vector<std::string>> declared_;
};

}  // namespace

std::vector<Choice> plainest_of(const std::string& model) {
  return {{Kind::compositor, "chain"},
          {Kind::kernel, "random-walk-metropolis"},
          {Kind::oracle, "exact"},
          {Kind::estimator, "identity"},
          {Kind::model, model}};
}

Models models_of(const Registry& registry, const std::string& folder) {
  Models models{"quartic", {}, registry.ids(Kind::model)};
  for (const std::string& id : models.all) {
    try {
      const Draft draft = draw(registry, models, 1, plainest_of(id));
      const auto composition =
          mixwell::parse_manifest(draft.text, folder + "/" + id + ".toml", registry);
      if (composition.model()->offers<mixwell::ExactSampler>() != nullptr)
        models.exact.push_back(id);
    } catch (const mixwell::InputError&) {
      continue;  // drawn with a base that does not suit it
    }
  }
  return models;
}

Draft draw(const Registry& registry, const Models& models, std::uint64_t seed,
           const std::vector<Choice>& wanted) {
  return Drawing(registry, models, seed, wanted).draw();
}

}  // namespace compositions
