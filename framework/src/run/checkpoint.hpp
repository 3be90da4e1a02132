// What a run leaves so that it can go on: its state, and what that state belongs to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/saved_parts.hpp"

#include <mixwell/export.hpp>
#include <mixwell/lab/manifest.hpp>

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

}  // namespace mixwell
