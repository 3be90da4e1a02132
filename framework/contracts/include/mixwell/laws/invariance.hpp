// Former name of <mixwell/contracts/invariance.hpp>, kept for one version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/invariance.hpp>

namespace mixwell {
namespace laws = contracts;
}
