// The smallest manifest that still shows what another one showed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace compositions {

/// Takes away as much as `shows` lets it.
std::string shrunk(std::string manifest, const std::function<bool(const std::string&)>& shows);

}  // namespace compositions
