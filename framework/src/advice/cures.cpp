// Changes of one key that give a composition a better certificate.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/made_in_code.hpp"
#include "manifest/text.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/advice.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>

namespace mixwell {
namespace {

constexpr std::size_t most_cures = 3;
/// Kinds whose keys change how a chain samples. Kinds that define a memory come first.
constexpr std::array kinds = {Kind::compositor, Kind::kernel, Kind::estimator, Kind::oracle};

/// Smaller is better.
int rank(const Certificate& certificate) {
  constexpr std::array order = {CertificateClass::exact, CertificateClass::adaptive,
                                CertificateClass::asymptotic, CertificateClass::approximate};
  const auto found = std::find(order.begin(), order.end(), certificate.now.certificate_class());
  return static_cast<int>(found - order.begin());
}

struct Change {
  std::string kind, name, key;
  bool is_text = true;
  std::string word;

  std::string text() const {
    return fmt::format("{}.{}.{} = {}", kind, name, key,
                       is_text ? fmt::format("\"{}\"", word) : word);
  }
};

/// Adds other values for every key of one component whose values can be listed. `table`: the
/// present values.
void add_changes(const std::string& kind, const std::string& name, const Fields& fields,
                 const toml::table& table, std::vector<Change>& all) {
  for (const Field& field : fields.all()) {
    if (!field.choices().empty()) {
      const auto now = table[field.key()].value<std::string>();
      for (const std::string& word : field.choices()) {
        if (now != word) all.push_back({kind, name, field.key(), true, word});
      }
    } else if (field.type() == "boolean") {
      const bool now = table[field.key()].value_or(field.value_text() == "true");
      all.push_back({kind, name, field.key(), false, now ? "false" : "true"});
    }
  }
}

/// Changes of components that are in use and that the manifest contains. Keys of other components
/// cannot be set. `effective`: the manifest with the values of all keys.
std::vector<Change> changes_of(const toml::table& effective, const toml::table& given,
                               const Registry& registry) {
  std::vector<Change> all;
  for (const Kind kind : kinds) {
    const std::string word(to_string(kind));
    const toml::table* const tables = effective[word].as_table();
    if (tables == nullptr) continue;
    for (const auto& [name, node] : *tables) {
      const toml::table* const table = node.as_table();
      const auto id = table == nullptr ? std::nullopt : (*table)["use"].value<std::string>();
      const bool is_written = given[word][name.str()].is_table();
      if (!id || !is_written || !registry.has(kind, *id)) continue;
      const auto blueprint = registry.find(kind, *id).blueprint();
      add_changes(word, std::string(name.str()), blueprint->fields(), *table, all);
    }
  }
  return all;
}

/// "x3/nuts/tree: invariant" -> "nuts/tree: invariant", so traits of different slots are equal.
std::set<std::string> traits_in(const std::vector<Assumption>& all) {
  std::set<std::string> found;
  for (const Assumption& one : all) found.insert(fold_slots({one.in_words()}).front());
  return found;
}

/// The name and kind of each operation, and the values that it reads and writes. Traits and bodies
/// are left out.
std::vector<std::string> structure(const KernelGraph& graph) {
  std::vector<std::string> all;
  for (const OperationInfo& o : graph.operations()) {
    std::string line = fmt::format("{} {}", o.name, static_cast<int>(o.kind));
    for (const Input& i : o.inputs)
      line += fmt::format(" {} {}", to_string(i.role), graph[i.value].name);
    for (const Value v : o.outputs) line += fmt::format(" -> {}", graph[v].name);
    all.push_back(std::move(line));
  }
  return all;
}

bool writes_slot(const KernelGraph& graph, const OperationInfo& o) {
  return std::any_of(o.outputs.begin(), o.outputs.end(), [&](Value v) {
    return graph[v].kind == ValueKind::version &&
           graph[graph[v].variable].kind == VariableKind::slot;
  });
}

/// Whether a trait is declared for a whole update: an opaque move leaves its target density
/// invariant, or a slot is drawn from its law.
bool vouches_for_update(const KernelGraph& graph, const Assumption& word) {
  if (word.trait == "invariant") return true;
  const auto& all = graph.operations();
  return word.trait == "keeps_law" && std::any_of(all.begin(), all.end(), [&](const auto& o) {
           return o.name == word.operation && writes_slot(graph, o);
         });
}

/// Whether the better verdict relies on a declaration where the previous verdict followed from
/// edges.
bool only_declares_more(const Program& before, const Program& after) {
  const std::set<std::string> known = traits_in(before.certificate.now.declared);
  const std::vector<Assumption>& declared = after.certificate.now.declared;
  const bool same = structure(before.sampling) == structure(after.sampling);
  return std::any_of(declared.begin(), declared.end(), [&](const Assumption& one) {
    const bool is_new = !known.contains(*traits_in({one}).begin());
    return is_new && (same || vouches_for_update(after.sampling, one));
  });
}

toml::table changed(toml::table root, const Change& change) {
  toml::table& table = *root[change.kind][change.name].as_table();
  if (change.is_text) {
    table.insert_or_assign(change.key, change.word);
  } else {
    table.insert_or_assign(change.key, change.word == "true");
  }
  return root;
}

}  // namespace

std::string Cure::in_words() const {
  return evidence == Evidence::declared ? label + ", declared" : label;
}

std::vector<Cure> cures(const Composition& composition, const Certificate& certificate,
                        const Registry& registry) {
  const int now = rank(certificate);
  if (now == 0) return {};
  const Program program = compose(*composition.compositor);
  // The model is not const because compose_on() sets its name, here to its present value.
  const auto model = std::const_pointer_cast<Model>(composition.model());
  const toml::table effective = toml::parse(composition.effective_manifest);
  const ManifestText& given = *composition.given;
  std::vector<std::pair<int, Cure>> found;
  for (const Change& change : changes_of(effective, given.root(), registry)) {
    try {
      const Composition other =
          compose_on(model, model->name(), changed(given.root(), change), given.path(), registry);
      const Program changed_one = compose(*other.compositor);
      const Certificate& better = changed_one.certificate;
      const int then = rank(better);
      if (then >= now || only_declares_more(program, changed_one)) continue;
      probe_wiring(other.compositor);
      found.push_back({then, {change.text(), better.label(), better.now.evidence()}});
    } catch (const Error&) {
      continue;  // these two keys cannot be combined
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Cure> best;
  for (auto& [then, cure] : found) {
    if (then == found.front().first && best.size() < most_cures) best.push_back(std::move(cure));
  }
  return best;
}

}  // namespace mixwell
