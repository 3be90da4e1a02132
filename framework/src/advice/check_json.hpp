// What `mixwell check` finds, as JSON that goes into a larger document.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/check.hpp>

#include <nlohmann/json_fwd.hpp>

namespace mixwell {

/// check_json() before it is text.
MIXWELL_INTERNAL nlohmann::ordered_json json_of(const Checked& found);

}  // namespace mixwell
