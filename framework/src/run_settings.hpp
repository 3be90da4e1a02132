// The table [run].
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/fields.hpp>
#include <mixwell/manifest.hpp>

#include "effective_manifest.hpp"
#include "values.hpp"

namespace mixwell {

/// All keys of [run] but `init`, whose value is a union.
Fields run_fields(RunSettings& settings);

inline constexpr const char* init_help =
    "where chains start: \"model\", \"exact\", \"prior\", { uniform = HALF-WIDTH }, "
    "{ file = \"CSV\" } or { value = [...] }";

/// Reads and checks [run]; the result also goes into `effective`.
RunSettings read_run_settings(const ValueSource& source, EffectiveTable& effective);

}  // namespace mixwell
