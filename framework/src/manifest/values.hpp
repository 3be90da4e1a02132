// One value of a manifest into the parameter it is for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/file_finder.hpp"
#include "manifest/text.hpp"

#include <mixwell/export.hpp>
#include <mixwell/fields.hpp>

#include <set>
#include <string>

namespace mixwell {

/// What reading values needs to know about where they come from.
struct ValueSource {
  const ManifestText& manifest;
  const FileFinder& files;
};

/// Checks `node` against the field's type, range and choices, and writes its target; the key for
/// messages is `dotted`. Not for references. Returns the value as TOML text for an effective
/// manifest. Throws InputError.
MIXWELL_INTERNAL std::string assign(const Field& field, const toml::node& node,
                                    const std::string& dotted, const ValueSource& source);

/// Throws InputError for the first key of `table` that is neither among the fields nor in `also`;
/// `path` is the dotted key of the table.
MIXWELL_INTERNAL void check_keys(const toml::table& table, const Fields& fields,
                                 const std::string& path, const ManifestText& manifest,
                                 const std::vector<std::string>& also);

/// Throws InputError for the first field that has no effect with the values of the others
/// (Fields::why_idle), of those in `changed`: keys of `table` with another value than their
/// default. An effective manifest gives every key, idle ones with their defaults.
MIXWELL_INTERNAL void refuse_idle(const toml::table& table, const Fields& fields,
                                  const std::set<std::string>& changed, const std::string& path,
                                  const ManifestText& manifest);

/// Throws InputError "key = value: rule", placed at the node.
[[noreturn]] void reject(const toml::node& node, const std::string& dotted, const std::string& rule,
                         const ManifestText& manifest);

}  // namespace mixwell
