// The former name of <mixwell/contracts/curvature.hpp>, for one version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/curvature.hpp>

namespace mixwell {
namespace laws = contracts;
}
