// The parsed text of a manifest: its tables, its overrides, and the location of each key.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "component/locations.hpp"

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

/// Every manifest has the line `mixwell = 1`.
inline constexpr std::int64_t manifest_format = 1;

/// The table `[kind.name]` of a manifest. The ManifestText owns `table`.
struct Declaration {
  Kind kind = Kind::model;
  std::string name;
  const toml::table* table = nullptr;

  /// "kernel.hmc"
  std::string path() const;
};

/// The constructors check syntax, format version and the names of top-level tables. They do not
/// check the contents of the tables.
class MIXWELL_INTERNAL ManifestText final : public Locations {
 public:
  ManifestText(const std::string& text, std::string path, const std::vector<Override>& overrides);
  /// A manifest made in code: locations have no line numbers, even if the manifest was parsed from
  /// text.
  ManifestText(toml::table root, std::string path);
  ManifestText(const ManifestText&) = delete;
  ManifestText& operator=(const ManifestText&) = delete;

  const std::string& path() const noexcept { return path_; }
  const std::vector<Declaration>& declarations() const noexcept { return declarations_; }
  const toml::table& root() const noexcept { return root_; }
  /// `[run]`, empty if there is none.
  const toml::table& run() const noexcept { return *run_; }
  /// The location of a dotted key: in the file, or the override that set it.
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

/// A value as it is written in the manifest, shortened by shortened().
MIXWELL_INTERNAL std::string shown(const toml::node& node);

/// The type of a value for error messages: "an integer", "a string", ...
MIXWELL_INTERNAL std::string type_name(const toml::node& node);

}  // namespace mixwell
