// The checkpoint of a run: saved state, manifest, and hashes of all files that the run uses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/sha256.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/manifest.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell {

/// Everything that determines the bits of a run. Made once per run, before the first sweep, because
/// files may change during the run.
struct Origin {
  /// The prefix of a data file's path in `files`.
  static constexpr std::string_view data_file = "the data file ";

  std::string name;
  std::string manifest;  ///< the effective manifest
  std::string version;   ///< the version of Mixwell and the tag that plugins are checked against
  /// For each file: its name in error messages, and its SHA-256.
  std::vector<std::pair<std::string, std::string>> files;
};

MIXWELL_INTERNAL Origin origin_of(const Composition& composition);

void to_json(nlohmann::ordered_json& json, const Origin& origin);
/// Throws nlohmann's exceptions.
void from_json(const nlohmann::ordered_json& json, Origin& origin);

/// The first bytes of a file that a recorder has written so far.
struct SavedPart {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;
};

struct Checkpoint {
  Origin origin;
  std::string created_at;  ///< when the run began
  /// Absolute path of the results when the checkpoint was saved; "" in a checkpoint of an earlier
  /// version.
  std::string folder;
  std::vector<SavedPart> parts;  ///< the draws that were written when the state was saved
  std::vector<char> state;
};

/// The path of the file `checkpoint` in a folder.
MIXWELL_INTERNAL std::string checkpoint_file(const std::string& folder);

/// Replaces an existing checkpoint atomically. If the process is killed at any time, either the old
/// or the new checkpoint exists and is complete. Throws RunError.
void save_checkpoint(const std::string& folder, const Checkpoint& checkpoint);

/// Returns nothing if there is no checkpoint. Throws InputError if any byte of it has changed.
std::optional<Checkpoint> read_checkpoint(const std::string& folder);

/// A clause about the first difference: "the version of Mixwell is ... instead of ...". "" if there
/// is no difference.
std::string difference(const Origin& saved, const Origin& now);

/// Throws InputError that names the first difference: Mixwell, a line of the manifest, a library,
/// or a data file.
void check_same_origin(const Origin& saved, const Origin& now, const std::string& file);

/// Hashes of the files in a folder whose names contain `.partial`. After a recorder has saved its
/// state, it only appends to its files. So PartHashes reads and hashes each byte only once, while
/// the byte is still in the page cache.
class PartHashes {
 public:
  explicit PartHashes(std::string folder) : folder_(std::move(folder)) {}
  /// The present sizes and hashes of all files. Throws RunError if a file cannot be read.
  std::vector<SavedPart> now();
  /// Throws InputError that names the first missing or changed file.
  void check(const std::vector<SavedPart>& parts);

  /// Whether all files exist and are long enough. Does not check their hashes.
  static bool have_sizes(const std::string& folder, const std::vector<SavedPart>& parts);

 private:
  struct Hashed {
    Sha256 hash;
    std::uint64_t bytes = 0;
  };
  bool read_up_to(const std::string& name, std::uint64_t bytes);

  std::string folder_;
  std::map<std::string, Hashed> hashed_;
};

/// The origin of a run whose results are now in `folder`, with the present paths of its data files.
/// If a data file is not at its old path, Mixwell looks at the same path relative to the results,
/// then for the name of the file in the folders of MIXWELL_DATA. Mixwell accepts a file only if the
/// contents are unchanged. Throws InputError that names `file`, the checkpoint, and all paths that
/// were tried.
MIXWELL_INTERNAL Origin origin_moved_to(const std::string& folder, const Checkpoint& checkpoint,
                                        const std::string& file);

}  // namespace mixwell
