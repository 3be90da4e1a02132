// A manifest as parsed text: its tables, its overrides, and where each thing stands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "component/places.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>
#include <mixwell/component/component.hpp>
#include <mixwell/lab/manifest.hpp>

#include <toml++/toml.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// `mixwell = 1` stands in every manifest.
inline constexpr std::int64_t manifest_format = 1;

/// `[kind.name]` and the table under it, which the ManifestText owns.
struct Declaration {
  Kind kind = Kind::model;
  std::string name;
  const toml::table* table = nullptr;

  /// "kernel.hmc"
  std::string path() const;
};

/// Syntax, format version and the names of the top-level tables are checked; what stands in the
/// tables is not.
class MIXWELL_INTERNAL ManifestText final : public Places {
 public:
  ManifestText(const std::string& text, std::string path, const std::vector<Override>& overrides);
  /// Made in code: nothing in it has a line, whatever it was parsed from.
  ManifestText(toml::table root, std::string path);
  ManifestText(const ManifestText&) = delete;
  ManifestText& operator=(const ManifestText&) = delete;

  const std::string& path() const noexcept { return path_; }
  const std::vector<Declaration>& declarations() const noexcept { return declarations_; }
  const toml::table& root() const noexcept { return root_; }
  /// `[run]`, empty if there is none.
  const toml::table& run() const noexcept { return *run_; }
  /// Place of what has this dotted key: in the file, or the override that set it.
  Location at(const std::string& dotted, const toml::source_region& source) const;

  Named find(const std::string& dotted) const override;
  bool has(const std::string& dotted) const override;

 private:
  void read_tables();
  void apply(const Override& change);
  void check_format() const;
  void check_key(const toml::key& key) const;
  void declare(Kind kind, const toml::node& tables);

  std::string path_;
  bool has_lines_ = true;
  toml::table root_;
  toml::table no_run_;
  const toml::table* run_ = &no_run_;
  std::vector<Override> overrides_;
  std::vector<Declaration> declarations_;
};

/// A value as TOML text on one line that reads back as the same value.
MIXWELL_INTERNAL std::string value_text(const toml::node& node);

/// A value as it stands in the manifest, shortened().
MIXWELL_INTERNAL std::string shown(const toml::node& node);

/// "an integer", "a text", ...: what a value is, for messages about what it should be.
MIXWELL_INTERNAL std::string type_name(const toml::node& node);

}  // namespace mixwell
