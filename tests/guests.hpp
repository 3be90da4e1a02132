// Where the plugins of papers/ are. Tests run on them as on the built-in ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/registry.hpp>

#include <string>
#include <vector>

namespace guests {

/// The folders of the built-in plugins, of MIXWELL_PLUGIN_PATH, and of those that come with papers.
inline std::vector<std::string> with_default_folders() {
  auto folders = mixwell::Registry::default_folders();
  folders.push_back(std::string(MIXWELL_BUILD_DIR) + "/papers");
  return folders;
}

}  // namespace guests
