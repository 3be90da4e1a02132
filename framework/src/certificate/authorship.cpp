// Whose word a trait is.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/authorship.hpp"

#include "files/own_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace mixwell {
namespace {

namespace fs = std::filesystem;

bool is_ours(const fs::path& library) {
  static const fs::path own = own_library();
  std::error_code failed;
  const fs::path found = fs::canonical(library, failed);
  if (failed) return false;
  return found == own || found.parent_path() == own.parent_path() / "mixwell" / "plugins";
}

/// An object's table of virtual functions lies in the library whose code it runs.
bool runs_our_code(const void* object) {
  const void* const table = *static_cast<const void* const*>(object);
  Dl_info info{};
  if (dladdr(table, &info) == 0 || info.dli_fname == nullptr) return false;
  thread_local std::map<const void*, bool> known;  // by library: asked for every operation
  const auto [it, is_new] = known.try_emplace(info.dli_fbase, false);
  if (is_new) it->second = is_ours(info.dli_fname);
  return it->second;
}

}  // namespace

bool is_built_in(const KernelGraph& graph, const OperationInfo& operation) {
  if (operation.body) return runs_our_code(operation.body.get());
  return std::all_of(operation.outputs.begin(), operation.outputs.end(), [&](Value v) {
    return !graph[v].function || runs_our_code(graph[v].function.get());
  });
}

}  // namespace mixwell
