// Finding, checking and loading plugins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
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

  /// What the library at `path` offers, in whichever folder it is; unlike those of load(), it is
  /// loaded without a trial. Throws InputError when it is no plugin of this Mixwell or an id of it
  /// is taken; then nothing of it is added.
  void add_library(const std::string& path);

  /// A component of the program itself, or of a library that it is linked with: a class as plugins
  /// register it (Registrar::add). Its library is the file that holds its code. Throws InputError
  /// when its id is taken or its declaration is unsound.
  template <class T>
  void add(const Description& description) {
    ProgramRegistrar registrar(*this, reinterpret_cast<const void*>(&BlueprintOf<T>::fresh));
    static_cast<Registrar&>(registrar).template add<T>(description);
  }
  void add(Entry entry);

  /// Throws InputError naming the nearest id.
  const Entry& find(Kind kind, const std::string& id) const;
  bool has(Kind kind, const std::string& id) const noexcept;
  std::vector<std::string> ids(Kind kind) const;
  /// By kind, then id.
  const std::vector<Entry>& entries() const noexcept { return entries_; }
  const std::vector<BrokenLibrary>& broken() const noexcept { return broken_; }

 private:
  class MIXWELL_EXPORT ProgramRegistrar final : public Registrar {
   public:
    /// `code`: of the component.
    ProgramRegistrar(Registry& registry, const void* code) : registry_(registry), code_(code) {}
    void add(Entry entry) override;

   private:
    Registry& registry_;
    const void* code_;
  };

  /// What is not Mixwell's own is loaded for trial first.
  void load_library(const std::string& path, bool is_own);
  std::vector<Entry> entries_;
  std::vector<BrokenLibrary> broken_;
};

/// The ABI tag of the library at `path`, read from the file without loading it; throws InputError
/// when the file is no library or has no tag.
MIXWELL_EXPORT std::string read_abi_tag(const std::string& path);

}  // namespace mixwell
