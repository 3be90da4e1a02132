// Fuzz target: manifests and --set, down to components wired together. An input is a manifest;
// lines before it that begin with "--set " are what the command line would set.
// SPDX-License-Identifier: Apache-2.0
#include "fuzzing.hpp"

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>

#include <vector>

namespace {

using mixwell::Override;

constexpr std::string_view setting = "--set ";

const mixwell::Registry& registry() {
  static const mixwell::Registry own =
      mixwell::Registry::load({mixwell::Registry::default_folders().front()});
  return own;
}

std::vector<Override> take_settings(std::string_view& rest) {
  std::vector<Override> all;
  while (rest.starts_with(setting)) {
    const auto [line, after] = fuzzing::split(rest.substr(setting.size()), "\n");
    const auto [key, value] = fuzzing::split(line, "=");
    all.push_back({std::string(key), std::string(value)});
    rest = after;
  }
  return all;
}

/// What a run would write beside its results must give the same composition.
void check_effective(const mixwell::Composition& composition, const std::string& path) {
  const std::string& text = composition.effective_manifest;
  if (mixwell::parse_manifest(text, path, registry()).effective_manifest != text) std::abort();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string cases = fuzzing::folder().file("cases.csv", "a,b,y\n1,2,0\n3,1,1\n");
  static const std::string path = fuzzing::folder().path() + "/m.toml";
  std::string_view text = fuzzing::text_of(data, size);
  const std::vector<Override> settings = take_settings(text);
  fuzzing::accepts([&] {
    const auto composition = mixwell::parse_manifest(std::string(text), path, registry(), settings);
    mixwell::compose(*composition.compositor);
    check_effective(composition, path);
  });
  return 0;
}
