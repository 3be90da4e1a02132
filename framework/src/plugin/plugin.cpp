// Where the interfaces between host and plugin have their type information.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace mixwell {

Blueprint::~Blueprint() = default;
Registrar::~Registrar() = default;

void Registrar::add(Kind kind, const Description& description,
                    std::unique_ptr<Blueprint> (*blueprint)(), const Traits* declared) {
  Entry entry;
  entry.kind = kind;
  entry.description = description;
  entry.blueprint = blueprint;
  if (declared != nullptr) entry.traits = describe(*declared);
  add(std::move(entry));
}

std::shared_ptr<Component> detail::owned(Component* made) {
  return std::shared_ptr<Component>(made);
}

}  // namespace mixwell
