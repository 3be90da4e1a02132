// Functions that an embedding program offers to manifests by name.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/callback.h>

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace {

struct OfferedFunction {
  std::optional<std::string> version;
  mixwell_callback code = nullptr;
  void* user_data = nullptr;
};

/// Callers must hold the lock. Never destroyed, because threads may use it while the process ends.
struct OfferedFunctions {
  std::mutex lock;
  std::map<std::string, OfferedFunction> all;

  static OfferedFunctions& of_process() {
    static auto* const functions = new OfferedFunctions;
    return *functions;
  }
};

}  // namespace

int mixwell_offer_function(const char* name, const char* version, mixwell_callback function,
                           void* user_data) {
  if (name == nullptr || *name == '\0') return 1;
  OfferedFunctions& offered = OfferedFunctions::of_process();
  const std::scoped_lock guard(offered.lock);
  if (function == nullptr) {
    offered.all.erase(name);
    return 0;
  }
  std::optional<std::string> of_version;
  if (version != nullptr) of_version = version;
  offered.all.insert_or_assign(name, OfferedFunction{of_version, function, user_data});
  return 0;
}

int mixwell_find_function(const char* name, const char** version, mixwell_callback* function,
                          void** user_data) {
  thread_local std::optional<std::string> found_version;
  OfferedFunctions& offered = OfferedFunctions::of_process();
  const std::scoped_lock guard(offered.lock);
  const auto found = offered.all.find(name);
  if (found == offered.all.end()) return 1;
  found_version = found->second.version;
  *version = found_version ? found_version->c_str() : nullptr;
  *function = found->second.code;
  *user_data = found->second.user_data;
  return 0;
}
