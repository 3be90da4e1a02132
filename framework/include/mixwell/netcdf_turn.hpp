// One use of libnetcdf at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

namespace mixwell {

/// libnetcdf and the HDF5 below it bear one thread at a time in a whole process, also on different
/// files. Whoever calls them holds a turn meanwhile; a thread may hold several.
class MIXWELL_EXPORT NetcdfTurn {
 public:
  NetcdfTurn();
  ~NetcdfTurn();
  NetcdfTurn(const NetcdfTurn&) = delete;
  NetcdfTurn& operator=(const NetcdfTurn&) = delete;
};

}  // namespace mixwell
