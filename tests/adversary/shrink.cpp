// The smallest manifest that still shows what another one showed.
// SPDX-License-Identifier: Apache-2.0
#include "shrink.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

namespace adversary {
namespace {

std::string text_of(const toml::table& root) {
  std::ostringstream text;
  text << root << "\n";
  return text.str();
}

std::vector<std::string> keys(const toml::table& table) {
  std::vector<std::string> all;
  for (auto&& [key, node] : table) all.emplace_back(std::string_view(key));
  return all;
}

class Smaller {
 public:
  explicit Smaller(const std::string& manifest) : root_(toml::parse(manifest)) {}

  std::vector<std::string> all() {
    under_a_chain();
    each_component([&](const std::string& kind, const std::string& name) {
      edit([&](toml::table& root) { root[kind].as_table()->erase(name); });
    });
    each_array([&](const std::string& kind, const std::string& name, const std::string& key,
                   std::size_t k) {
      edit([&](toml::table& root) {
        toml::array& array = *root[kind][name][key].as_array();
        array.erase(array.begin() + static_cast<std::ptrdiff_t>(k));
      });
    });
    each_key([&](const std::string& kind, const std::string& name, const std::string& key) {
      edit([&](toml::table& root) { root[kind][name].as_table()->erase(key); });
    });
    each_array([&](const std::string& kind, const std::string& name, const std::string& key,
                   std::size_t k) { without_words(kind, name, key, k); });
    without_warmup();
    return std::move(found_);
  }

 private:
  template <class Change>
  void edit(const Change& change) {
    toml::table copy = root_;
    change(copy);
    found_.push_back(text_of(copy));
  }

  bool is_chain() const {
    const toml::table* const compositors = root_["compositor"].as_table();
    if (compositors == nullptr || compositors->empty()) return true;
    return (*compositors->begin()->second.as_table())["use"].value_or(std::string()) == "chain";
  }

  /// Each kernel alone.
  void under_a_chain() {
    const toml::table* const kernels = root_["kernel"].as_table();
    if (kernels == nullptr || is_chain()) return;
    for (const std::string& kernel : keys(*kernels)) {
      edit([&](toml::table& root) {
        root.insert_or_assign(
            "compositor",
            toml::table{{{"c", toml::table{{{"use", "chain"}, {"kernel", kernel}}}}}});
      });
    }
  }

  void without_warmup() {
    if (root_["run"]["warmup"].value_or(0) == 0) return;
    edit([](toml::table& root) { root["run"].as_table()->insert_or_assign("warmup", 0); });
  }

  template <class Visit>
  void each_component(const Visit& visit) const {
    for (const std::string& kind : keys(root_)) {
      const toml::table* const components = root_[kind].as_table();
      if (components == nullptr || kind == "run") continue;
      for (const std::string& name : keys(*components)) {
        if ((*components)[name].is_table()) visit(kind, name);
      }
    }
  }

  template <class Visit>
  void each_key(const Visit& visit) const {
    each_component([&](const std::string& kind, const std::string& name) {
      for (const std::string& key : keys(*root_[kind][name].as_table())) {
        if (key != "use" && kind != "model") visit(kind, name, key);  // defaults may be larger
      }
    });
  }

  template <class Visit>
  void each_array(const Visit& visit) const {
    each_key([&](const std::string& kind, const std::string& name, const std::string& key) {
      const toml::array* const array = root_[kind][name][key].as_array();
      const std::size_t count = array == nullptr ? 0 : array->size();
      for (std::size_t k = 0; k < count; ++k) visit(kind, name, key, k);
    });
  }

  /// Statements of a program: a verb and words, each of which may be left out.
  void without_words(const std::string& kind, const std::string& name, const std::string& key,
                     std::size_t k) {
    const auto line = root_[kind][name][key][k].value<std::string>();
    if (!line) return;
    std::vector<std::string> words;
    std::istringstream in(*line);
    for (std::string word; in >> word;) words.push_back(word);
    for (std::size_t left_out = 1; left_out < words.size(); ++left_out) {
      std::string shorter = words.front();
      for (std::size_t w = 1; w < words.size(); ++w) {
        if (w != left_out) shorter += " " + words[w];
      }
      edit([&](toml::table& root) {
        root[kind][name][key].as_array()->replace(
            root[kind][name][key].as_array()->begin() + static_cast<std::ptrdiff_t>(k), shorter);
      });
    }
  }

  toml::table root_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> smaller(const std::string& manifest) { return Smaller(manifest).all(); }

std::string shrunk(
    std::string manifest,
    const std::function<std::size_t(const std::vector<std::string>&)>& first_that_shows) {
  // What could not be taken away stays, mostly: the next try is the one after what could.
  for (std::size_t next = 0;;) {
    std::vector<std::string> tries = smaller(manifest);
    if (tries.empty()) return manifest;
    next %= tries.size();
    std::rotate(tries.begin(), tries.begin() + static_cast<std::ptrdiff_t>(next), tries.end());
    const std::size_t k = first_that_shows(tries);
    if (k == tries.size()) return manifest;
    manifest = tries[k];
    next += k;
  }
}

}  // namespace adversary
