// Finding, checking and loading plugins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/field_target.hpp>
#include <mixwell/plugin.hpp>

#include <map>
#include <string>
#include <vector>

namespace mixwell {

/// A library that was found but not used, and why.
struct BrokenLibrary {
  std::string library;
  std::string reason;  ///< what is wrong, wanted, found and the cure
};

class LibraryScan;

/// All components at hand. Libraries stay loaded until the process ends.
class MIXWELL_EXPORT Registry {
 public:
  /// Libraries (*.so) of each folder in order, sorted by file name within a folder. A broken one
  /// is listed in `broken()` and harms nobody. An id that is already taken makes the later library
  /// broken. A folder that does not exist is an InputError. Libraries outside the first of
  /// default_folders() are loaded in a process of their own first: one that would end this process,
  /// or keep it for more than 10 seconds, is broken and is not loaded here.
  static Registry load(const std::vector<std::string>& folders);
  /// The folder beside libmixwell, then those of MIXWELL_PLUGIN_PATH (separated by `:`).
  static std::vector<std::string> default_folders();

  /// A component that is part of the program itself. Throws InputError when its id is taken or its
  /// declaration is unsound.
  void add(Entry entry);

  /// Throws InputError naming the nearest id.
  const Entry& find(Kind kind, const std::string& id) const;
  bool has(Kind kind, const std::string& id) const noexcept;
  std::vector<std::string> ids(Kind kind) const;
  /// By kind, then id.
  const std::vector<Entry>& entries() const noexcept { return entries_; }
  const std::vector<BrokenLibrary>& broken() const noexcept { return broken_; }

 private:
  /// `scan` null: without a trial.
  void load_library(const std::string& path, LibraryScan* scan);
  std::vector<Entry> entries_;
  std::vector<BrokenLibrary> broken_;
};

/// The ABI tag of the library at `path`, read from the file without loading it; throws InputError
/// when the file is no library or has no tag.
MIXWELL_EXPORT std::string read_abi_tag(const std::string& path);

}  // namespace mixwell
