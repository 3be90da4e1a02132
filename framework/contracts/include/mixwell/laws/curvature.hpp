// Former name of <mixwell/contracts/preconditioner.hpp>, kept for one version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/preconditioner.hpp>

namespace mixwell {
namespace laws = contracts;
}
