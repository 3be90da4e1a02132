// Reads the table [run] of a manifest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/effective.hpp"
#include "manifest/values.hpp"

#include <mixwell/component/fields.hpp>
#include <mixwell/lab/manifest.hpp>

namespace mixwell {

/// All keys of [run] except `init`, whose value may have several types.
Fields run_fields(RunSettings& settings);

inline constexpr const char* init_help =
    "where chains start: \"model\", \"exact\", \"prior\" or a table with the key `uniform`, "
    "`file` or `value`";
/// The rule for `init` in error messages.
inline constexpr const char* init_rule =
    "must be \"model\", \"exact\", \"prior\", { uniform = HALF-WIDTH }, { file = \"CSV or JSON\" "
    "}, { file = [JSON, ...] } or { value = [...] }";

/// Reads and checks [run]. Also writes the result into `effective`.
RunSettings read_run_settings(const ValueSource& source, EffectiveTable& effective);

/// The number of columns in a block if [run] does not set it. It depends only on the problem and
/// never on the number of threads. A block holds about 512 numbers, so that small models fill the
/// vector units. It has at most 64 columns. With 64 replicates or more there are at least 8 blocks.
std::int64_t default_block_width(std::int64_t dimension, std::int64_t replicates);

}  // namespace mixwell
