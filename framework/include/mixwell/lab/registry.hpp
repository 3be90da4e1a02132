// Finds, checks and loads plugins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/field_target.hpp>
#include <mixwell/plugin.hpp>

#include <map>
#include <string>
#include <vector>

namespace mixwell {

/// A library that was found but not used, and the reason.
struct BrokenLibrary {
  std::string library;
  std::string reason;  ///< the fault, the expected and found values, and the fix
};

/// All available components. Libraries stay loaded until the process ends.
class MIXWELL_EXPORT Registry {
 public:
  /// Loads the libraries (*.so) of each folder in order. Within a folder, libraries are sorted by
  /// file name. A library that cannot be used is listed in `broken()` and affects no other. If an
  /// id is already taken, the later library is broken. Throws InputError if a folder does not
  /// exist. Libraries outside of the first of default_folders() are first loaded in a separate
  /// process. A library that would end this process, or block it for more than 10 seconds, is
  /// broken and is not loaded.
  static Registry load(const std::vector<std::string>& folders);
  /// The folder of Mixwell's own plugins next to libmixwell, then those of MIXWELL_PLUGIN_PATH
  /// (separated by `:`).
  static std::vector<std::string> default_folders();

  /// Adds the components of the library at `path`, in any folder. Unlike load(), it does not try
  /// the library in a separate process. Throws InputError if the library is not a plugin for this
  /// Mixwell or one of its ids is taken. Nothing is then added.
  void add_library(const std::string& path);

  /// Adds a component of the program itself, or of a library that the program is linked with. T is
  /// a class as in Registrar::add. Its library is the file that contains its code. Throws
  /// InputError if its id is taken or its declaration is invalid.
  template <class T>
  void add(const Description& description) {
    ProgramRegistrar registrar(*this, reinterpret_cast<const void*>(&BlueprintOf<T>::fresh));
    static_cast<Registrar&>(registrar).template add<T>(description);
  }
  void add(Entry entry);

  /// Throws InputError with the nearest id.
  const Entry& find(Kind kind, const std::string& id) const;
  bool has(Kind kind, const std::string& id) const noexcept;
  std::vector<std::string> ids(Kind kind) const;
  /// All components, by kind, then id.
  const std::vector<Entry>& entries() const noexcept { return entries_; }
  const std::vector<BrokenLibrary>& broken() const noexcept { return broken_; }

 private:
  class MIXWELL_EXPORT ProgramRegistrar final : public Registrar {
   public:
    /// `code` is the address of the component's code.
    ProgramRegistrar(Registry& registry, const void* code) : registry_(registry), code_(code) {}
    void add(Entry entry) override;

   private:
    Registry& registry_;
    const void* code_;
  };

  /// Libraries that are not Mixwell's own are first loaded in a separate process.
  void load_library(const std::string& path, bool is_own);
  std::vector<Entry> entries_;
  std::vector<BrokenLibrary> broken_;
};

/// Reads the ABI tag of the library at `path` without loading it. Throws InputError if the file is
/// not a library or has no tag.
MIXWELL_EXPORT std::string read_abi_tag(const std::string& path);

}  // namespace mixwell
