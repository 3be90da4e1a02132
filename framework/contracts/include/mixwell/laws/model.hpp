// Former name of <mixwell/contracts/model.hpp>, kept for one version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/model.hpp>

namespace mixwell {
namespace laws = contracts;
}
