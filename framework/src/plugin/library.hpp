// Tests and loads a library, and collects the components that the library registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Loads a library with the right ABI tag in a separate process, which is ended after 10 seconds.
/// Throws InputError for a different ABI tag, or if the process ended before it had made the
/// parameters of the components. Does not report exceptions that the process survives.
void try_to_load(const std::string& path);

/// Loads the library at `path` for as long as the process lives, and collects what it registers.
/// Throws InputError with the path. Nothing protects the process from other effects of the
/// library's code.
std::vector<Entry> registered_by(const std::string& path);

/// Makes a blueprint once, to check its declaration before anything uses the blueprint. Throws
/// InputError.
void check_entry(const Entry& entry);

/// `kind "id"`, for messages.
std::string label(Kind kind, const std::string& id);

}  // namespace mixwell
