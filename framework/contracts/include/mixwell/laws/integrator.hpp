// Former name of <mixwell/contracts/integrator.hpp>, kept for one version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/integrator.hpp>

namespace mixwell {
namespace laws = contracts;
}
