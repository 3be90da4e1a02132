// From a manifest file to components wired together.
// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mixwell/manifest.hpp>

#include "manifest_text.hpp"
#include "resolve.hpp"

namespace mixwell {
namespace {

[[noreturn]] void unreadable(const std::string& path, const char* why) {
  throw InputError(path + ": the manifest cannot be read: " + why);
}

}  // namespace

std::shared_ptr<const Model> Composition::model() const {
  return {compositor, &compositor->model()};
}

std::string read_manifest_text(const std::string& path) {
  if (std::filesystem::is_directory(path)) unreadable(path, "it is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in) unreadable(path, std::strerror(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

Composition load_manifest(const std::string& path, const Registry& registry,
                          const std::vector<Override>& overrides) {
  return parse_manifest(read_manifest_text(path), path, registry, overrides);
}

Composition parse_manifest(const std::string& text, const std::string& path,
                           const Registry& registry, const std::vector<Override>& overrides) {
  const ManifestText manifest(text, path, overrides);
  Composition composition = resolve(manifest, registry);
  composition.name = std::filesystem::path(path).stem().string();
  return composition;
}

}  // namespace mixwell
