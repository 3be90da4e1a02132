// The table [run].
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/effective.hpp"
#include "manifest/values.hpp"

#include <mixwell/component/fields.hpp>
#include <mixwell/lab/manifest.hpp>

namespace mixwell {

/// All keys of [run] but `init`, whose value is a union.
Fields run_fields(RunSettings& settings);

inline constexpr const char* init_help =
    "where chains start: \"model\", \"exact\", \"prior\", { uniform = HALF-WIDTH }, "
    "{ file = \"CSV or JSON\" }, { file = [JSON, ...] } or { value = [...] }";

/// Reads and checks [run]; the result also goes into `effective`.
RunSettings read_run_settings(const ValueSource& source, EffectiveTable& effective);

/// Columns of a block when [run] does not say: a function of only the problem, never of the
/// threads. About 512 numbers a block, so that small models fill the vector units, at most 64
/// columns, and at least 8 blocks where there are 64 replicates or more.
std::int64_t default_block_width(std::int64_t dimension, std::int64_t replicates);

}  // namespace mixwell
