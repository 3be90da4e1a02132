// Where the interfaces between host and plugin have their type information.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace mixwell {

Blueprint::~Blueprint() = default;
Registrar::~Registrar() = default;

}  // namespace mixwell
