// The former name of <mixwell/contracts/recorder.hpp>, for one version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/recorder.hpp>

namespace mixwell {
namespace laws = contracts;
}
