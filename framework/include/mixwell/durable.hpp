// Whether files are forced to disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

namespace mixwell {

/// Whether what this process writes is to outlive a power cut (it is, unless somebody says
/// otherwise). A worker of a study that keeps only summaries says otherwise: it reads its files
/// itself, takes them away again, and 7 calls of fsync cost more than a small run.
MIXWELL_EXPORT void write_durably(bool wanted) noexcept;

/// fsync of an open file where files are to outlive a power cut. 0, or -1 with errno.
MIXWELL_EXPORT int force_to_disk(int descriptor) noexcept;

}  // namespace mixwell
