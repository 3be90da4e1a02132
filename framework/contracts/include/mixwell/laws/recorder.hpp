// Former name of <mixwell/contracts/recorder.hpp>, kept for one version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/recorder.hpp>

namespace mixwell {
namespace laws = contracts;
}
