// The code of a library: trying it, loading it, and what it registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Loads a library that has the right ABI tag for trial, in a process of its own, which is ended
/// after 10 seconds. Throws InputError for another tag, and where that process ended before it had
/// made the parameters of the components. Exceptions that a process survives are no matter of a
/// trial.
void try_to_load(const std::string& path);

/// Loads the library at `path` for as long as the process lives, and collects what it registers.
/// Throws InputError naming the path. What else its code may do to the process, it does.
std::vector<Entry> registered_by(const std::string& path);

/// Makes a blueprint once: its declaration must hold before anybody relies on it. Throws
/// InputError.
void check_entry(const Entry& entry);

/// `kind "id"`, for messages.
std::string label(Kind kind, const std::string& id);

}  // namespace mixwell
