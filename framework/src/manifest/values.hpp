// One value of a manifest into the parameter it is for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/file_finder.hpp"
#include "manifest/instance.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/component/fields.hpp>

#include <string>
#include <vector>

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

/// Throws InputError for a field that must be there and is not.
[[noreturn]] void refuse_missing(const KeyTable& keys, const Field& field,
                                 const ManifestText& manifest);

/// Assigns what the table gives for the field, unless that is a reference or a list of tables.
void bind_value(KeyTable& keys, const Field& field, const ValueSource& source);

/// The same for all fields, after check_keys(). Throws InputError for a key beside the one that it
/// replaces, too.
void bind_values(KeyTable& keys, const Fields& fields, const ValueSource& source,
                 const std::vector<std::string>& also);

/// Throws InputError for the first field that has no effect with the values of the others
/// (Fields::why_idle), of those with another value than their default. An effective manifest gives
/// every key, idle ones with their defaults.
void refuse_idle(const KeyTable& keys, const Fields& fields, const ManifestText& manifest);

/// Throws InputError "key = value: rule", placed at the node.
[[noreturn]] void reject(const toml::node& node, const std::string& dotted, const std::string& rule,
                         const ManifestText& manifest);

}  // namespace mixwell
