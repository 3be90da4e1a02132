// Lets one thread at a time use libnetcdf.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/files/files.hpp>

#include <mutex>

namespace mixwell {
namespace {

/// The mutex is never destroyed, because files are also closed when the process ends.
std::recursive_mutex& turns() {
  static auto* const all = new std::recursive_mutex;
  return *all;
}

}  // namespace

NetcdfTurn::NetcdfTurn() { turns().lock(); }
NetcdfTurn::~NetcdfTurn() { turns().unlock(); }

}  // namespace mixwell
