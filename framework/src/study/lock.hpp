// One process at a time works on a study.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/folder_lock.hpp"

namespace mixwell::study {

/// Workers of a parent that was killed hold the lock until they are gone, too.
inline LockTerms study_lock() {
  return {"study.lock", "Mixwell study", "this study",
          " (`--table` shows how far it is, `--worker` works with it)", std::chrono::seconds(3)};
}

}  // namespace mixwell::study
