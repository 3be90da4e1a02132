// A manifest that a program wrote, and no person has a file of.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/written_text.hpp"

#include "files/toml_file.hpp"
#include "manifest/resolve.hpp"
#include "manifest/text.hpp"

#include <memory>

namespace mixwell {
namespace {

toml::table without_places(const toml::table& table);

/// As without_places() of the list, and of what is in it.
toml::array without_places(const toml::array& list) {
  toml::array bare;
  for (const toml::node& node : list) {
    node.visit([&bare](const auto& one) {
      if constexpr (toml::is_value<decltype(one)>) {
        bare.push_back(one.get());
      } else {
        bare.push_back(without_places(one));
      }
    });
  }
  return bare;
}

/// The same keys and values, none of which knows where it stood in a text.
toml::table without_places(const toml::table& table) {
  toml::table bare;
  for (const auto& [key, node] : table) {
    node.visit([&bare, name = key.str()](const auto& one) {
      if constexpr (toml::is_value<decltype(one)>) {
        bare.insert(name, one.get());
      } else {
        bare.insert(name, without_places(one));
      }
    });
  }
  return bare;
}

}  // namespace

std::string place_of_written(const std::string& name) { return "composition " + name; }

Composition compose_written(const std::string& toml, const std::string& name,
                            const Registry& registry) {
  const toml::table parsed = parse_toml(toml, place_of_written(name));
  Composition composition =
      resolve(std::make_shared<const ManifestText>(without_places(parsed), place_of_written(name)),
              registry);
  composition.name = name;
  return composition;
}

}  // namespace mixwell
