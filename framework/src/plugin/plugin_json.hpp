// Descriptions of components, as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/registry.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// The default of a key in words: "0.8", "required", "the only component of this kind, or exact".
MIXWELL_INTERNAL std::string default_text(const Field& field);

/// Calls `visit(field, key)`. The key includes the keys of the lists around it, as "update.kernel".
template <class Visit>
void each_field(const Fields& fields, const std::string& prefix, const Visit& visit) {
  for (const Field& field : fields.all()) {
    visit(field, prefix + field.key());
    const auto* const tables = std::get_if<TableList>(&field.target());
    if (tables == nullptr) continue;
    Fields inner;
    tables->append(inner);
    each_field(inner, prefix + field.key() + ".", visit);
  }
}

/// `{"plugins": [{"id", "kind", "summary", "library"}...], "broken": [{"library", "reason"}...]}`.
MIXWELL_INTERNAL nlohmann::ordered_json list_json(const Registry& registry,
                                                  const std::vector<Entry>& entries);

/// Everything that a component declares: `{"id", "kind", "summary", "details", "parameters":
/// [{"key", "type", "unit", "range", "required", "default", "help"}...], "traits", "sources",
/// "library"}`.
MIXWELL_INTERNAL nlohmann::ordered_json entry_json(const Entry& entry);

}  // namespace mixwell
