// Text in ZIP archives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell::app::posteriordb {

/// The only file of an archive, at most 1 GiB. Throws InputError.
std::string unzipped(const std::string& path);

}  // namespace mixwell::app::posteriordb
