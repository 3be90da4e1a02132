// A component made from its bound keys, and what is checked of it before anybody uses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "component/places.hpp"
#include "manifest/instance.hpp"

#include <functional>
#include <memory>

namespace mixwell {

/// What stands in for a component that was made, or null.
using PartOf = std::function<std::shared_ptr<Component>(const std::shared_ptr<Component>&)>;

/// `places`: what the component says of its keys later. Throws InputError and RunError that name
/// the table.
std::shared_ptr<const Component> make_component(const Instance& instance,
                                                const ManifestText& manifest,
                                                const std::shared_ptr<const Places>& places,
                                                const PartOf& part_of);

}  // namespace mixwell
