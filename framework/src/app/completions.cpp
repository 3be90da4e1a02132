// What may stand as the value of an argument, for a shell to offer.
// SPDX-License-Identifier: Apache-2.0
#include "app/completions.hpp"

#include "base/split.hpp"

#include <algorithm>

namespace mixwell::app {
namespace {

bool is_small(char letter) { return letter >= 'a' && letter <= 'z'; }

void add_kind_of_value(Completions& completions, std::string_view word) {
  const std::size_t point = word.find('.');
  if (word == "DIR") {
    completions.has_folders = true;
  } else if (word == "FILE") {
    completions.has_files = true;
  } else if (word == "KIND/ID") {
    completions.has_components = true;
  } else if (std::all_of(word.begin(), word.end(), is_small)) {
    completions.words.emplace_back(word);
  } else if (point != word.npos && word.find('[') == word.npos) {
    completions.endings.emplace_back(word.substr(point + 1));
  }
}

}  // namespace

Completions completions_of(const Argument& argument) {
  Completions completions;
  completions.words = argument.choices;
  completions.words.insert(completions.words.end(), argument.words.begin(), argument.words.end());
  if (argument.type.empty()) return completions;
  for (const std::string_view word : split(argument.type, '|'))
    add_kind_of_value(completions, word);
  return completions;
}

}  // namespace mixwell::app
