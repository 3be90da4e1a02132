// Checks that all ranks have the same program, options, manifest, plugins and data.
// SPDX-License-Identifier: Apache-2.0
#include "base/host.hpp"
#include "files/json.hpp"
#include "run/checkpoint.hpp"
#include "run/joint.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <vector>

namespace mixwell {
namespace {

/// The message that a rank sends about itself.
struct Letter {
  std::string sender;  ///< process and host
  std::string options;
  Origin origin;
};

std::vector<char> written(const Letter& letter) {
  const std::string text = json_text(
      {{"sender", letter.sender}, {"options", letter.options}, {"origin", letter.origin}});
  return {text.begin(), text.end()};
}

Letter read(const std::vector<char>& bytes) {
  const auto json = parse_json({bytes.begin(), bytes.end()});
  return {json.at("sender"), json.at("options"), json.at("origin").get<Origin>()};
}

/// "" if there is no difference.
std::string difference_of(const Letter& first, const Letter& other) {
  if (first.options != other.options) {
    return fmt::format("the options are `{}` instead of `{}`", other.options, first.options);
  }
  const std::string found = difference(first.origin, other.origin);
  return found;
}

}  // namespace

/// All ranks send their origins to rank 0, which compares them.
void check_same_run(Ranks& ranks, const Composition& composition, const std::string& options) {
  const Letter mine{process_on(::getpid(), host_name()), options, origin_of(composition)};
  const std::vector<char> sent = written(mine);
  agree(ranks);
  const std::vector<std::vector<char>> all = ranks.collect(sent);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    const Letter letter = read(all[rank]);
    const std::string found = difference_of(mine, letter);
    if (found.empty()) continue;
    throw InputError(
        fmt::format("rank {} ({}) does not compute the same run as rank 0 ({}): {}. Start the "
                    "same program with the same manifest, plugins and data on every machine.",
                    rank, letter.sender, mine.sender, found));
  }
}

}  // namespace mixwell
