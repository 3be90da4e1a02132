// What a run leaves so that it can go on: its state, and what that state belongs to.
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

/// What fixes the bits of a run. Made once per run, before its first sweep, as files may change
/// while it goes on.
struct Origin {
  /// Comes before the path of a data file in `files`.
  static constexpr std::string_view data_file = "the data file ";

  std::string name;
  std::string manifest;  ///< effective
  std::string version;   ///< Mixwell and the tag that plugins are checked against
  /// What each is, by which an error names it, and its SHA-256.
  std::vector<std::pair<std::string, std::string>> files;
};

MIXWELL_INTERNAL Origin origin_of(const Composition& composition);

void to_json(nlohmann::ordered_json& json, const Origin& origin);
/// Throws nlohmann's exceptions.
void from_json(const nlohmann::ordered_json& json, Origin& origin);

/// The first bytes of a file that a recorder left.
struct SavedPart {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;
};

struct Checkpoint {
  Origin origin;
  std::string created_at;  ///< of the run
  /// Absolute path of the run's results when it was saved; "" in a checkpoint of an earlier
  /// version.
  std::string folder;
  std::vector<SavedPart> parts;  ///< the draws that the state speaks of
  std::vector<char> state;
};

/// `checkpoint` in a folder.
MIXWELL_INTERNAL std::string checkpoint_file(const std::string& folder);

/// Replaces the one that is there, if any, at once: whenever the process is killed, one of the two
/// is there and whole. Throws RunError.
void save_checkpoint(const std::string& folder, const Checkpoint& checkpoint);

/// Throws InputError where a byte of it is not as it was; nothing where there is none.
std::optional<Checkpoint> read_checkpoint(const std::string& folder);

/// The first thing that is not as it was, in words: "Mixwell was ... and is ..."; "" where all is.
std::string difference(const Origin& saved, const Origin& now);

/// Throws InputError that names the first thing that is not as it was: Mixwell, a line of the
/// manifest, a library, a data file.
void check_same_origin(const Origin& saved, const Origin& now, const std::string& file);

/// Hashes of the files of a folder whose names hold `.partial`. A recorder that has saved its state
/// only adds to its files, so that each byte is read once and hashed once, while it is in memory
/// still.
class PartHashes {
 public:
  explicit PartHashes(std::string folder) : folder_(std::move(folder)) {}
  /// Of all files as they are. Throws RunError where one cannot be read.
  std::vector<SavedPart> now();
  /// Throws InputError that names the first file that is not there or not as it was.
  void check(const std::vector<SavedPart>& parts);

  /// Whether all are there and long enough, whatever their hashes.
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

/// The origin of a run whose results are in `folder` now, with the paths that its data have now. A
/// data file that is no longer where it was is looked for at the same place relative to the
/// results, then by its name in the folders of MIXWELL_DATA, and counts where its contents are
/// those that it had. Throws InputError that names `file`, the checkpoint, and where a data file
/// was looked for.
MIXWELL_INTERNAL Origin origin_moved_to(const std::string& folder, const Checkpoint& checkpoint,
                                        const std::string& file);

}  // namespace mixwell
