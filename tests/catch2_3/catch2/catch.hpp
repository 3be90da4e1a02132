// Catch2 version 3 under the header and the names of version 2, which the tests use. Only builds
// with version 3 have this folder on their include path.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch_all.hpp>

#include <string>

namespace Catch {

/// Matches a text that contains `part`. Version 3 calls it ContainsSubstring.
inline auto Contains(const std::string& part) { return Matchers::ContainsSubstring(part); }
using Matchers::StartsWith;

}  // namespace Catch

using Catch::Approx;
