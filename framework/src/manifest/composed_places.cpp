// The places of a manifest, with the cures that only the registry knows.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/composed_places.hpp"

#include "component/toml_text.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

/// The compositor whose memory kernels that call others pass on.
constexpr std::string_view default_ensemble = "ensemble-chain";

/// The manifest's places, with what only the registry knows.
class ComposedPlaces final : public Places {
 public:
  ComposedPlaces(std::shared_ptr<const Places> manifest, std::string memory_cure)
      : manifest_(std::move(manifest)), memory_cure_(std::move(memory_cure)) {}

  Named find(const std::string& dotted) const override { return manifest_->find(dotted); }
  bool has(const std::string& dotted) const override { return manifest_->has(dotted); }
  std::string memory_cure(const WithoutMemory& kernel) const override {
    const std::vector<std::string> kernels = kernels_in(kernel.path);
    if (kernels.size() > 1)
      return fmt::format(
          "Kernel `{}` passes on a memory of current points only. Use [compositor.NAME] with use = "
          "{}, memory = \"others\", freeze_after_warmup = false",
          kernels.front(), toml_text(default_ensemble));
    if (kernel.with_history.empty()) return memory_cure_;
    return fmt::format(
        "{}. Where the memory is a history, as for a single chain, kernel `{}` also needs {}",
        memory_cure_, kernel.path, kernel.with_history);
  }

 private:
  /// Of the manifest, from the one that the compositor calls to the one that the others call.
  std::vector<std::string> kernels_in(const std::string& path) const {
    std::vector<std::string> found;
    std::istringstream in(path);
    for (std::string part; std::getline(in, part, '/');)
      if (manifest_->has("kernel." + part)) found.push_back(part);
    return found;
  }

  std::shared_ptr<const Places> manifest_;
  std::string memory_cure_;
};

/// Which compositors lend a memory, and the keys that do so for a single chain.
std::string memory_cure(const Registry& registry) {
  std::vector<std::string> ids;
  std::string of_one;
  for (const Entry& entry : registry.entries()) {
    const Description& about = entry.description;
    if (entry.kind != Kind::compositor || !about.lends_memory) continue;
    ids.push_back(toml_text(about.id));
    if (!about.memory_of_one_chain.empty())
      of_one +=
          fmt::format("; for a single chain: use = {}, {}", ids.back(), about.memory_of_one_chain);
  }
  return fmt::format("Use a compositor that lends a memory: [compositor.NAME] with use = {}{}",
                     fmt::join(ids, " or "), of_one);
}

}  // namespace

std::shared_ptr<const Places> composed_places(std::shared_ptr<const Places> manifest,
                                              const Registry& registry) {
  return std::make_shared<ComposedPlaces>(std::move(manifest), memory_cure(registry));
}

}  // namespace mixwell
