// The smallest manifest that still shows what another one showed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace adversary {

/// Manifests with a little less in them: without a table, a key, a kernel, a statement of a program
/// or a word of one; under a plain chain. In an order that takes away much first.
std::vector<std::string> smaller(const std::string& manifest);

/// `first_that_shows`: the number of the first of these manifests that shows it, or their count.
std::string shrunk(
    std::string manifest,
    const std::function<std::size_t(const std::vector<std::string>&)>& first_that_shows);

}  // namespace adversary
