// Checks the value of a manifest key, and stores it in the variable that this key sets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/file_finder.hpp"
#include "manifest/instance.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/component/fields.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// The origin of the values that are read.
struct ValueSource {
  const ManifestText& manifest;
  const FileFinder& files;
};

/// Checks `node` against the type, range and choices of the field, and writes the target of the
/// field. Not for references. `dotted` is the key in error messages. Returns the value as TOML text
/// for an effective manifest. Throws InputError.
MIXWELL_INTERNAL std::string assign(const Field& field, const toml::node& node,
                                    const std::string& dotted, const ValueSource& source);

/// Throws InputError for the first key of `table` that is neither among the fields nor in `also`;
/// `path` is the dotted key of the table.
MIXWELL_INTERNAL void check_keys(const toml::table& table, const Fields& fields,
                                 const std::string& path, const ManifestText& manifest,
                                 const std::vector<std::string>& also);

/// Throws InputError for a required field that is missing.
[[noreturn]] void refuse_missing(const KeyTable& keys, const Field& field,
                                 const ManifestText& manifest);

/// Assigns the value that the table gives for the field. Skips references and lists of tables.
void bind_value(KeyTable& keys, const Field& field, const ValueSource& source);

/// Binds all fields, after check_keys(). Also throws InputError if a key and the key that it
/// replaces are both given.
void bind_values(KeyTable& keys, const Fields& fields, const ValueSource& source,
                 const std::vector<std::string>& also);

/// Throws InputError for the first field that differs from its default but has no effect because of
/// the values of other fields (Fields::why_idle). A field with its default is accepted, because an
/// effective manifest gives every key.
void refuse_idle(const KeyTable& keys, const Fields& fields, const ManifestText& manifest);

/// Throws InputError "key = value: rule" with the location of the node.
[[noreturn]] void reject(const toml::node& node, const std::string& dotted, const std::string& rule,
                         const ManifestText& manifest);

}  // namespace mixwell
