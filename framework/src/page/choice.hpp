// Which of a run's variables and chains get figures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/draws.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mixwell::page {

using Json = nlohmann::ordered_json;

/// One scalar of draws.nc.
struct Element {
  Column column;
  Index element = 0;
  std::string name;
  std::string label;  ///< the name with labels instead of numbers
};

/// At most `most` names of `variables` (of summary.json), in turn that of the smallest ess_bulk and
/// that of the largest rhat among those that are left. Of both, one that could not be judged comes
/// first. Constants, which have neither, come last.
std::vector<std::string> worst_first(const Json& variables, std::size_t most);

/// Where the names stand in the file. Throws InputError for a name that is not there, and says that
/// `folder` holds results of different runs.
std::vector<Element> find_elements(const DrawsFile& draws, const std::vector<std::string>& names,
                                   const std::string& folder);

/// At most `most` of the chains, evenly spaced, the first among them.
std::vector<Index> chosen_chains(Index chains, Index most);

}  // namespace mixwell::page
