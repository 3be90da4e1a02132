// Reads languages of wirings from words.
// SPDX-License-Identifier: Apache-2.0
#include "language.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <utility>

namespace mixwell::testing {
namespace {

struct VerbWord {
  const char* word;
  Verb verb;
  const char* help;
};
constexpr std::array<VerbWord, 14> verbs{{
    {"walk", Verb::walk, "a move that its noise reverses, and a decision"},
    {"flip", Verb::flip, "a move that is an involution, and a decision"},
    {"leap", Verb::leap, "a momentum is drawn, a move that reverses it, and a decision"},
    {"opaque", Verb::opaque, "one move that declares `invariant`"},
    {"keep", Verb::keep, "a history remembers a value"},
    {"exchange", Verb::exchange, "the first two slots are exchanged, or not"},
    {"mirror", Verb::mirror, "an asymmetric proposal, with its law at both ends"},
    {"draw", Verb::draw, "a slot is drawn from its law"},
    {"noise", Verb::noise, "a draw that other statements may use"},
    {"compute", Verb::compute, "a number is made from another number"},
    {"drift", Verb::drift, "one small step of order 1 without a decision"},
    {"pseudo", Verb::pseudo, "a decision by an estimate of the density"},
    {"redraw", Verb::redraw, "a momentum is drawn again"},
    {"stages", Verb::stages, "delayed acceptance by one or two stages"},
}};

struct Switch {
  const char* word;
  bool Language::*member;
  bool to;
  const char* help;
};
constexpr std::array<Switch, 11> switches{{
    {"parts", &Language::parts, true, "the slots together hold one position"},
    {"collapses", &Language::collapses, true, "the law of a part may leave out other parts"},
    {"first", &Language::records_first, true, "only the first slot is recorded"},
    {"chains", &Language::chains, true, "a second move may follow the first in one proposal"},
    {"old", &Language::old_states, true, "an update may start from a replaced version"},
    {"beside", &Language::bystanders, true, "an update may read a state that it does not write"},
    {"noisy", &Language::noisy_laws, true, "a gradient may depend on a number"},
    {"estimates", &Language::estimates, true,
     "the first slot's density is known only by an estimate"},
    {"no-guards", &Language::guards, false, "no statement belongs to a branch"},
    {"no-momenta", &Language::reads_momenta, false, "no parameter is a momentum"},
    {"no-drops", &Language::drops_momenta, false, "every decision writes its carried momentum"},
}};

struct Count {
  const char* word;
  int Language::*member;
  const char* help;
};
constexpr std::array<Count, 4> counts{{
    {"slots", &Language::slots, "how many slots there are"},
    {"noises", &Language::noises, "draws at the start of the sweep that statements may use"},
    {"statements", &Language::statements, "statements of a wiring"},
    {"options", &Language::options, "choices that may differ from the plainest one"},
}};

constexpr std::array<std::pair<const char*, Forgets>, 4> memories{
    {{"window", Forgets::window},
     {"persistent", Forgets::persistent},
     {"diminishing", Forgets::diminishing},
     {"unknown", Forgets::unknown}}};

template <class Table>
auto find(const Table& table, const std::string& word) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& row) { return row.word == word; });
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> all;
  std::istringstream in(list);
  for (std::string one; std::getline(in, one, ',');) all.push_back(one);
  return all;
}

[[noreturn]] void refuse(const std::string& word) {
  throw InputError("the languages of wirings have no word `" + word + "`; choose from these:\n" +
                   language_words());
}

void add_register(Language& language, const std::string& word) {
  for (const auto& [name, forgets] : memories) {
    if (word == name) return language.registers.push_back(forgets);
  }
  refuse("registers=" + word);
}

void add_verb(Language& language, const std::string& word) {
  const auto found = find(verbs, word);
  if (found == verbs.end()) refuse(word);
  language.verbs.push_back(found->verb);
}

int whole_number(const std::string& word, const std::string& value) {
  int number = 0;
  const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (fault != std::errc{} || end != value.data() + value.size() || number < 0) refuse(word);
  return number;
}

void add_word(Language& language, const std::string& word) {
  const auto equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  const auto flag = find(switches, word);
  const auto count = find(counts, key);
  if (flag != switches.end()) {
    language.*flag->member = flag->to;
  } else if (count != counts.end()) {
    language.*count->member = whole_number(word, value);
  } else if (key == "registers") {
    for (const std::string& one : split(value)) add_register(language, one);
  } else {
    for (const std::string& one : split(key == "verbs" ? value : word)) add_verb(language, one);
  }
}

}  // namespace

Language language_from(const std::vector<std::string>& words) {
  Language language;
  for (const std::string& word : words) add_word(language, word);
  if (language.verbs.empty())
    throw InputError("a language needs statements, such as `walk,keep`; choose from these:\n" +
                     language_words());
  return language;
}

std::string language_words() {
  std::string text = "statements, separated by commas:\n";
  for (const auto& row : verbs) text += fmt::format("  {:16}{}\n", row.word, row.help);
  text += "words:\n";
  for (const auto& row : counts)
    text += fmt::format("  {:16}{}\n", std::string(row.word) + "=N", row.help);
  text += "  registers=LIST  window, persistent, diminishing, unknown: one history each\n";
  for (const auto& row : switches) text += fmt::format("  {:16}{}\n", row.word, row.help);
  return text;
}

}  // namespace mixwell::testing
