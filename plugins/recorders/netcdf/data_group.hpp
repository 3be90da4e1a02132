// Groups of data: what the draws are compared with, and what else the model was given.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"

#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace mixwell::netcdf {

/// The group of that name ("observed_data", "constant_data") with its arrays; none where `data` is
/// empty.
void define_data_group(const NcFile& file, const std::string& name,
                       const std::vector<NamedValues>& data, const std::vector<Labels>& labels);

}  // namespace mixwell::netcdf
