// Where this code is on disk.
// SPDX-License-Identifier: Apache-2.0
#define BOOST_DLL_USE_STD_FS
#include "files/own_library.hpp"

#include <boost/dll/runtime_symbol_info.hpp>

#include <filesystem>

namespace mixwell {

std::string own_library() {
  return std::filesystem::canonical(boost::dll::symbol_location(own_library)).string();
}

}  // namespace mixwell
