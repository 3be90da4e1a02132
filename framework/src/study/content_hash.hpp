// What a cell is: SHA-256 over everything its results depend on.
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

/// Texts by keys, which name all that a text depends on.
class MIXWELL_EXPORT Remembered {
 public:
  /// With what the study in this folder has kept; "" = of this process only.
  explicit Remembered(std::string folder);

  /// "" if not known.
  std::string text(const std::string& key) const;
  void know(const std::string& key, const std::string& text);
  /// Into the study's folder, where something is new. Throws WriteError.
  void keep();

 private:
  std::string folder_;
  std::map<std::string, std::string> texts_;
  bool is_new_ = false;
};

/// Hashes of files, each read once as long as its stamp stays, and remembered.
class MIXWELL_EXPORT FileHashes {
 public:
  explicit FileHashes(Remembered& remembered) : remembered_(remembered) {}

  /// Throws InputError.
  std::string of(const std::string& path);
  /// Paths that `of` was asked for and that are no longer what they were.
  std::vector<std::string> changed() const;

 private:
  struct Known {
    FileStamp stamp;
    std::string sha256;
  };

  Remembered& remembered_;
  std::map<std::string, Known> known_;
};

/// Of the libraries whose code makes the results of cells: libmixwell and libmixwell_lab.
std::string framework_hash(FileHashes& hashes);

/// An effective manifest as sorted lines `kind.name.key = value` without comments, and without what
/// no result depends on (run.checkpoint_seconds).
MIXWELL_EXPORT std::string normalised(const std::string& effective_manifest);

struct Identity {
  std::string sha256;
  /// As records keep them: {"manifest", "mixwell", "plugins": {FILE: HASH}, "files": {FILE:
  /// HASH}}.
  std::string ingredients;
};

/// A text in which the seed of a cell stands in one place.
class SeededText {
 public:
  /// It stands in the bytes [from, to) of `text` now.
  SeededText(const std::string& text, std::size_t from, std::size_t to)
      : before_(text.substr(0, from)), after_(text.substr(to)) {}
  std::string with(std::int64_t seed) const { return before_ + std::to_string(seed) + after_; }

 private:
  std::string before_, after_;
};

/// An effective manifest, with its run.seed as the place.
MIXWELL_EXPORT SeededText seeded(const std::string& effective_manifest);

/// What cells that differ only in the seed are made of.
class MIXWELL_EXPORT Ingredients {
 public:
  /// `plan`: of one of them. With `by_hash` the framework counts by framework_hash(), else by its
  /// version. Files count by their contents, not by where they are.
  Ingredients(const CellPlan& plan, FileHashes& hashes, bool by_hash);

  Identity with_seed(std::int64_t seed) const;
  /// The effective manifest of a cell: a seed moves nothing else in it.
  std::string manifest(std::int64_t seed) const { return manifest_.with(seed); }

 private:
  SeededText manifest_;
  SeededText normalised_;
  std::string others_;
  std::string other_ingredients_;  ///< Identity::ingredients behind "manifest"
};

/// A line for each of plugins, data files and libmixwell that differs between two
/// Identity::ingredients ("": nothing is known), and if asked for one for the manifest, of which
/// they have only a hash.
std::string ingredient_differences(const std::string& before, const std::string& now,
                                   bool with_manifest);

}  // namespace mixwell::study
