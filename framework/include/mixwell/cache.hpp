// Files and folders that take long to make, kept for the user between runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace mixwell {

/// Where a kept file or folder is: FOLDER is `$XDG_CACHE_HOME/mixwell` or `~/.cache/mixwell`, and
/// it is FOLDER/kind/HASH + suffix, HASH that of `ingredients`: all that decides what is in it.
/// Where it is not there, `make` writes it under another name in the same folder, and it is renamed
/// when whole: processes that do so at once do not disturb one another. What `make` throws passes
/// through, and leaves nothing. Throws RunError where the system refuses a folder or a name.
MIXWELL_EXPORT std::string cached(std::string_view kind, std::string_view ingredients,
                                  std::string_view suffix,
                                  const std::function<void(const std::string& path)>& make);

}  // namespace mixwell
