// Tests the certificates of real compositions on finite worlds.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "certificate/without_rule.hpp"
#include "wiring.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

namespace mixwell::testing {

ManifestCase judged_manifest(const std::string& path, const Registry& registry,
                             const Effort& effort) try {
  const Program program = compose(*load_manifest(path, registry).compositor);
  const Verdict verdict = effort.without_rule
                              ? certify_without(program.sampling, *effort.without_rule)
                              : program.certificate.now;
  return {judged(program.sampling, verdict, effort), listed(program.sampling)};
} catch (const Error& error) {
  return {{}, {}, error.what()};
}

bool judge_manifests(const std::vector<std::string>& paths, bool graph, const Effort& effort) {
  const Registry registry = Registry::load(Registry::default_folders());
  bool holes = false;
  for (const std::string& path : paths) {
    const ManifestCase one = judged_manifest(path, registry, effort);
    const Case& found = one.found;
    holes = holes || found.judgement == Judgement::hole;
    fmt::print("{}: {}; {} (rule {})", std::filesystem::path(path).stem().string(),
               in_words(found.judgement), found.verdict.label(), to_string(found.verdict.rule));
    if (const auto& off = found.finite.departure)
      fmt::print("; world {}, sweep {}, off by {:.2g}", off->world, off->sweep, off->size);
    fmt::print("{}{}\n", found.finite.unread.empty() ? "" : "; " + found.finite.unread,
               one.trouble.empty() ? "" : "; " + one.trouble.substr(0, one.trouble.find('\n')));
    if (graph) fmt::print("{}", one.graph);
  }
  return holes;
}

}  // namespace mixwell::testing
