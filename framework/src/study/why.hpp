// Why a cell is what it is: its ingredients beside those of another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell::study {

/// A line for each of plugins, data files and libmixwell that differs between two
/// Identity::ingredients, and one for the manifest, of which they have only a hash.
std::string ingredient_differences(const std::string& before, const std::string& now);

}  // namespace mixwell::study
