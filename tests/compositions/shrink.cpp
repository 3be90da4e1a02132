// The smallest manifest that still shows what another one showed.
// SPDX-License-Identifier: Apache-2.0
#include "shrink.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace compositions {
namespace {

/// What an array or a table has at an index or a key.
struct Place {
  std::vector<std::string> tables;  ///< keys from the root to it
  std::string key;
  std::ptrdiff_t index = -1;  ///< of the array at `key`; -1: the key itself
  std::size_t depth() const { return tables.size() + (index < 0 ? 0 : 1); }
};

toml::table& table_of(toml::table& root, const Place& place) {
  toml::table* table = &root;
  for (const std::string& key : place.tables) table = (*table)[key].as_table();
  return *table;
}

void erase(toml::table& root, const Place& place) {
  toml::table& table = table_of(root, place);
  if (place.index < 0)
    table.erase(place.key);
  else
    table[place.key].as_array()->erase(table[place.key].as_array()->begin() + place.index);
}

/// A line without one of its words but the first, the verb of a statement.
std::vector<std::string> without_a_word(const std::string& line) {
  std::vector<std::string> found;
  for (std::size_t at = line.find(' '); at != std::string::npos; at = line.find(' ', at + 1)) {
    const std::size_t end = std::min(line.find(' ', at + 1), line.size());
    found.push_back(line.substr(0, at) + line.substr(end));
  }
  return found;
}

class Smaller {
 public:
  explicit Smaller(const std::string& manifest) : root_(toml::parse(manifest)) {}

  /// Without a table, a key, an item of a list or a word of one, or under a plain chain: what takes
  /// much away first.
  std::vector<std::string> all() {
    under_a_chain();
    collect(root_, {});
    std::stable_sort(places_.begin(), places_.end(),
                     [](const Place& a, const Place& b) { return a.depth() < b.depth(); });
    for (const Place& place : places_) edit([&](toml::table& root) { erase(root, place); });
    for (const Place& place : places_) shorten(place);
    if (root_["run"]["warmup"].value_or(0) > 0)
      edit([](toml::table& root) { root["run"].as_table()->insert_or_assign("warmup", 0); });
    return std::move(found_);
  }

 private:
  template <class Change>
  void edit(const Change& change) {
    toml::table copy = root_;
    change(copy);
    std::ostringstream text;
    text << copy << "\n";
    found_.push_back(text.str());
  }

  /// Each kernel under a plain chain.
  void under_a_chain() {
    const toml::table* const kernels = root_["kernel"].as_table();
    const toml::table* const compositors = root_["compositor"].as_table();
    if (kernels == nullptr || compositors == nullptr || compositors->empty()) return;
    const toml::table& compositor = *compositors->begin()->second.as_table();
    if (compositor["use"].value_or(std::string_view()) == "chain") return;
    for (auto&& [key, node] : *kernels) {
      const toml::table chain{{"use", "chain"}, {"kernel", std::string(std::string_view(key))}};
      edit([&](toml::table& root) {
        root.insert_or_assign("compositor", toml::table{{"c", chain}});
      });
    }
  }

  /// All but what every manifest has, and keys of models, whose defaults may be larger.
  void collect(const toml::table& table, const std::vector<std::string>& tables) {
    for (auto&& [key, node] : table) {
      const std::string name{std::string_view(key)};
      const bool is_head = tables.empty() && (name == "mixwell" || name == "run");
      const bool is_of_model = !tables.empty() && tables.front() == "model";
      if (is_head || name == "use" || (is_of_model && tables.size() > 1)) continue;
      places_.push_back({tables, name});
      const toml::array* const array = node.as_array();
      for (std::size_t k = 0; array != nullptr && k < array->size(); ++k)
        places_.push_back({tables, name, static_cast<std::ptrdiff_t>(k)});
      std::vector<std::string> inner = tables;
      inner.push_back(name);
      if (const toml::table* const below = node.as_table()) collect(*below, inner);
    }
  }

  void shorten(const Place& place) {
    if (place.index < 0) return;
    const auto at = static_cast<std::size_t>(place.index);
    const auto line = table_of(root_, place)[place.key][at].value<std::string>();
    if (!line) return;
    for (const std::string& shorter : without_a_word(*line)) {
      edit([&](toml::table& root) {
        toml::array& lines = *table_of(root, place)[place.key].as_array();
        lines.replace(lines.begin() + place.index, shorter);
      });
    }
  }

  toml::table root_;
  std::vector<Place> places_;
  std::vector<std::string> found_;
};

}  // namespace

std::string shrunk(std::string manifest, const std::function<bool(const std::string&)>& shows) {
  // What could not be taken away stays, mostly: the next try is the one after what could.
  for (std::size_t next = 0;;) {
    std::vector<std::string> tries = Smaller(manifest).all();
    if (tries.empty()) return manifest;
    next %= tries.size();
    std::rotate(tries.begin(), tries.begin() + static_cast<std::ptrdiff_t>(next), tries.end());
    const auto found = std::find_if(tries.begin(), tries.end(), shows);
    if (found == tries.end()) return manifest;
    manifest = *found;
    next += static_cast<std::size_t>(found - tries.begin());
  }
}

}  // namespace compositions
