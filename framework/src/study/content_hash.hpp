// The identity of a cell: a SHA-256 hash of everything that the results of the cell depend on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/sha256.hpp"
#include "study/task.hpp"

#include <mixwell/base/export.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mixwell::study {

/// Stores texts under keys. A key names everything that its text depends on.
class MIXWELL_EXPORT Remembered {
 public:
  /// Starts with the texts that are kept in the folder of a study. If `folder` is "", keeps texts
  /// only in this process.
  explicit Remembered(std::string folder);

  /// "" if unknown.
  std::string text(const std::string& key) const;
  void know(const std::string& key, const std::string& text);
  /// Writes the texts into the study's folder if there are new ones. Throws WriteError.
  void keep();

 private:
  std::string folder_;
  std::map<std::string, std::string> texts_;
  bool is_new_ = false;
};

/// Hashes of files. Reads a file again only if its stamp has changed.
class MIXWELL_EXPORT FileHashes {
 public:
  explicit FileHashes(Remembered& remembered) : remembered_(remembered) {}

  /// Throws InputError.
  std::string of(const std::string& path);
  /// Paths that were passed to `of` and whose files have changed since.
  std::vector<std::string> changed() const;

 private:
  struct Known {
    FileStamp stamp;
    std::string sha256;
  };

  Remembered& remembered_;
  std::map<std::string, Known> known_;
};

/// Hash of the libraries that compute the results of cells: libmixwell and libmixwell_lab.
std::string framework_hash(FileHashes& hashes);

/// An effective manifest as sorted lines `kind.name.key = value`, without comments and without keys
/// that affect no result (run.checkpoint_seconds).
MIXWELL_EXPORT std::string normalised(const std::string& effective_manifest);

struct Identity {
  std::string sha256;
  /// JSON as in records: {"manifest", "mixwell", "plugins": {FILE: HASH}, "files": {FILE: HASH}}.
  std::string ingredients;
};

/// A text with one place for the seed of a cell.
class SeededText {
 public:
  /// The bytes [from, to) of `text` hold the present seed.
  SeededText(const std::string& text, std::size_t from, std::size_t to)
      : before_(text.substr(0, from)), after_(text.substr(to)) {}
  std::string with(std::int64_t seed) const { return before_ + std::to_string(seed) + after_; }

 private:
  std::string before_, after_;
};

/// An effective manifest, with a place for its run.seed.
MIXWELL_EXPORT SeededText seeded(const std::string& effective_manifest);

/// Everything that determines a group of cells, except the seed.
class MIXWELL_EXPORT Ingredients {
 public:
  /// `plan`: the plan of one cell of the group. `by_hash`: identify the framework by
  /// framework_hash() instead of its version. Files are identified by their contents, not by their
  /// paths.
  Ingredients(const CellPlan& plan, FileHashes& hashes, bool by_hash);

  Identity with_seed(std::int64_t seed) const;
  /// The effective manifest of the cell with this seed. Manifests of the group differ only in
  /// run.seed.
  std::string manifest(std::int64_t seed) const { return manifest_.with(seed); }

 private:
  SeededText manifest_;
  SeededText normalised_;
  std::string others_;
  std::string other_ingredients_;  ///< the part of Identity::ingredients after "manifest"
};

/// The differences between two Identity::ingredients ("" = nothing is known): one line for each
/// plugin and data file that differs, and one if libmixwell differs. `with_manifest`: also one line
/// if the hash of the manifest differs.
std::string ingredient_differences(const std::string& before, const std::string& now,
                                   bool with_manifest);

}  // namespace mixwell::study
