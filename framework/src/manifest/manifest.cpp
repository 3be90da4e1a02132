// From a manifest file to components wired together.
// SPDX-License-Identifier: Apache-2.0
#include "files/toml_file.hpp"
#include "manifest/resolve.hpp"
#include "manifest/text.hpp"

#include <mixwell/lab/manifest.hpp>

#include <filesystem>

namespace mixwell {

std::shared_ptr<const Model> Composition::model() const {
  return {compositor, &compositor->model()};
}

Composition load_manifest(const std::string& path, const Registry& registry,
                          const std::vector<Override>& overrides) {
  return parse_manifest(read_toml_text(path, "manifest"), path, registry, overrides);
}

Composition parse_manifest(const std::string& text, const std::string& path,
                           const Registry& registry, const std::vector<Override>& overrides) {
  const ManifestText manifest(text, path, overrides);
  Composition composition = resolve(manifest, registry);
  composition.name = std::filesystem::path(path).stem().string();
  return composition;
}

}  // namespace mixwell
