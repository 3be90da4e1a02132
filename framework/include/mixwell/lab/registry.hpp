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
  /// Loads the libraries (*.so) of each folder, in the order of `folders`. Within a folder,
  /// libraries are sorted by file name. A library that cannot be used is listed in `broken()` and
  /// affects no other library. If an id is already taken, the later library counts as broken.
  /// Throws InputError if a folder does not exist. Libraries that are not in Mixwell's own folder
  /// are first loaded in a separate process. A library that ends that separate process, or blocks
  /// it for more than 10 seconds, counts as broken and is not loaded.
  static Registry load(const std::vector<std::string>& folders);
  /// The folder of Mixwell's own plugins next to libmixwell, then the folders in
  /// MIXWELL_PLUGIN_PATH (separated by `:`).
  static std::vector<std::string> default_folders();

  /// Adds the components of the library at `path`, which may be in any folder. Unlike load(), this
  /// function does not first load the library in a separate process. Throws InputError, and adds no
  /// component, if the library is not a plugin for this build of Mixwell or one of its ids is
  /// taken.
  void add_library(const std::string& path);

  /// Adds a component of the program itself, or of a library that is linked with the program. T is
  /// a class as in Registrar::add. Entry::library is the file that contains the code of T. Throws
  /// InputError if the id is taken or the declaration is invalid.
  template <class T>
  void add(const Description& description) {
    ProgramRegistrar registrar(*this, reinterpret_cast<const void*>(&BlueprintOf<T>::fresh));
    static_cast<Registrar&>(registrar).template add<T>(description);
  }
  void add(Entry entry);

  /// Returns the entry of the component `id` of kind `kind`. If there is none, throws InputError
  /// with the nearest id as a suggestion.
  const Entry& find(Kind kind, const std::string& id) const;
  bool has(Kind kind, const std::string& id) const noexcept;
  std::vector<std::string> ids(Kind kind) const;
  /// All components, sorted by kind and then by id.
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
