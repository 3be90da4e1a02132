// The group observed_data: what the draws are compared with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"

#include <mixwell/plugin.hpp>

#include <vector>

namespace mixwell::netcdf {

/// Defines and writes it; dimensions as those of variables, NAME_dim_0, ...
void define_observed(const NcFile& file, const std::vector<NamedValues>& data);

}  // namespace mixwell::netcdf
