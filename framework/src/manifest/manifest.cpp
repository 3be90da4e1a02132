// Turns a manifest file into components that are connected to each other.
// SPDX-License-Identifier: Apache-2.0
#include "files/toml_file.hpp"
#include "manifest/resolve.hpp"
#include "manifest/text.hpp"

#include <mixwell/lab/manifest.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace mixwell {

std::shared_ptr<const Model> Composition::model() const {
  return {compositor, &compositor->model()};
}

std::vector<RecordGroup> recorded_cases(const RunSettings& settings) {
  const auto is_wanted = [&](RecordGroup group) {
    if (settings.prior && group == RecordGroup::log_likelihood) return false;
    return settings.predictive == "all" || settings.predictive == "auto" ||
           settings.predictive == to_string(group);
  };
  std::vector<RecordGroup> groups;
  for (const RecordGroup group : {RecordGroup::log_likelihood, RecordGroup::posterior_predictive})
    if (is_wanted(group)) groups.push_back(group);
  return groups;
}

std::vector<std::string> Composition::remarks_of_models() const {
  std::vector<std::string> texts;
  for (const auto& component : components) {
    const auto* const one = dynamic_cast<const Model*>(component.get());
    if (one == nullptr) continue;
    for (const std::string& remark : one->remarks())
      texts.push_back(fmt::format("model.{}: {}", one->name(), remark));
  }
  return texts;
}

Composition resolve(std::shared_ptr<const ManifestText> manifest, const Registry& registry,
                    Ranks* ranks) {
  return settle(wire(bind_keys(std::move(manifest), registry), ranks));
}

Composition load_manifest(const std::string& path, const Registry& registry,
                          const std::vector<Override>& overrides, Ranks* ranks) {
  return parse_manifest(read_toml_text(path, "manifest"), path, registry, overrides, ranks);
}

Composition parse_manifest(const std::string& text, const std::string& path,
                           const Registry& registry, const std::vector<Override>& overrides,
                           Ranks* ranks) {
  Composition composition =
      resolve(std::make_shared<const ManifestText>(text, path, overrides), registry, ranks);
  composition.name = std::filesystem::path(path).stem().string();
  return composition;
}

}  // namespace mixwell
