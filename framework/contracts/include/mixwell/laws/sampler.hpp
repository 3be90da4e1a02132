// The former name of <mixwell/contracts/sampler.hpp>, for one version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/sampler.hpp>

namespace mixwell {
namespace laws = contracts;
}
