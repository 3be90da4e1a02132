// Former name of <mixwell/contracts/sampler.hpp>, kept for one version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/sampler.hpp>

namespace mixwell {
namespace laws = contracts;
}
