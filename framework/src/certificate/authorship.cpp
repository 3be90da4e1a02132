// Decides whether a trait is declared by built-in code or by a plugin.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"
#include "files/own_files.hpp"

#include <mixwell/component/component.hpp>
#include <mixwell/law/capabilities.hpp>

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

/// The table of an object's virtual functions is in the library whose code the object runs.
bool runs_our_code(const void* object) {
  const void* const table = *static_cast<const void* const*>(object);
  Dl_info info{};
  if (dladdr(table, &info) == 0 || info.dli_fname == nullptr) return false;
  thread_local std::map<const void*, bool>
      known;  // whether a library is built in; a cache, because every operation asks
  const auto [it, is_new] = known.try_emplace(info.dli_fbase, false);
  if (is_new) it->second = is_ours(info.dli_fname);
  return it->second;
}

/// A model's own law is judged as the model.
bool is_our_function(const Function& function) {
  const auto* const potential = dynamic_cast<const Potential*>(&function);
  const Model* const model = potential == nullptr ? nullptr : potential->as_model();
  if (model == nullptr) return runs_our_code(&function);
  return runs_our_code(model) && !calls_foreign_code(*model);
}

bool is_our_body(const Body& body) {
  const auto* const acting = dynamic_cast<const ActsFor*>(&body);
  return runs_our_code(&body) && (acting == nullptr || runs_our_code(&acting->acts_for()));
}

}  // namespace

bool is_built_in(const KernelGraph& graph, const OperationInfo& operation) {
  const auto writes_ours = [&](Value v) {
    return !graph[v].function || is_our_function(*graph[v].function);
  };
  return (!operation.body || is_our_body(*operation.body)) &&
         std::ranges::all_of(operation.outputs, writes_ours);
}

bool is_built_in(const KernelGraph& graph, Value function) {
  const ValueInfo& info = graph[function];
  if (info.function && !is_our_function(*info.function)) return false;
  const OperationInfo* const by = maker(graph, function);
  return by == nullptr || is_built_in(graph, *by);
}

}  // namespace mixwell
