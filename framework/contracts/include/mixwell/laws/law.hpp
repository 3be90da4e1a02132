// Former name of <mixwell/contracts/finding.hpp>, kept for one version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>

namespace mixwell {
namespace laws = contracts;
}
