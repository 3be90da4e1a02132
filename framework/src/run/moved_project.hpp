// Data of an interrupted run whose project was moved.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/checkpoint.hpp"

#include <string>

namespace mixwell {

/// The origin of a run whose results are in `folder` now, with the paths that its data have now. A
/// data file that is no longer where it was is looked for at the same place relative to the
/// results, then by its name in the folders of MIXWELL_DATA, and counts where its contents are
/// those that it had. Throws InputError that names `file`, the checkpoint, and where a data file
/// was looked for.
MIXWELL_INTERNAL Origin origin_moved_to(const std::string& folder, const Checkpoint& checkpoint,
                                        const std::string& file);

}  // namespace mixwell
