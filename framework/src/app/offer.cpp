// What may stand as the value of an argument, for a shell to offer.
// SPDX-License-Identifier: Apache-2.0
#include "app/offer.hpp"

#include "base/split.hpp"

#include <algorithm>

namespace mixwell::app {
namespace {

bool is_small(char letter) { return letter >= 'a' && letter <= 'z'; }

void add_kind_of_value(Offer& offer, std::string_view word) {
  const std::size_t point = word.find('.');
  if (word == "DIR") {
    offer.has_folders = true;
  } else if (word == "FILE") {
    offer.has_files = true;
  } else if (word == "KIND/ID") {
    offer.has_components = true;
  } else if (std::all_of(word.begin(), word.end(), is_small)) {
    offer.words.emplace_back(word);
  } else if (point != word.npos && word.find('[') == word.npos) {
    offer.endings.emplace_back(word.substr(point + 1));
  }
}

}  // namespace

Offer offer_of(const Argument& argument) {
  Offer offer;
  offer.words = argument.choices;
  offer.words.insert(offer.words.end(), argument.words.begin(), argument.words.end());
  if (argument.type.empty()) return offer;
  for (const std::string_view word : split(argument.type, '|')) add_kind_of_value(offer, word);
  return offer;
}

}  // namespace mixwell::app
