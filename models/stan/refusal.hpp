// Why an engine makes no model of a program and its data, told where the cause is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"
#include "instance.hpp"
#include "text.hpp"

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>

namespace mixwell::stan {

namespace detail {

/// What a program has that the interpreting engine lacks, by its message: a word of the program, or
/// "" where the message names none. Nothing where it is about something else. What stanli says
/// before it looks at data is always about itself, as Stan's compiler has taken the program.
inline std::optional<std::string> lacking_in(const std::string& message) {
  static const std::regex function(
      "unsupported (?:statement )?function ([A-Za-z0-9_]+)|^stanli compile: ([a-z0-9_]+): ");
  std::smatch found;
  if (std::regex_search(message, found, function)) return found[1].str() + found[2].str();
  for (const auto& [words, type] : {std::pair("SComplex", "complex"), std::pair("STuple", "tuple"),
                                    std::pair("malformed sized declaration", "tuple")})
    if (message.find(words) != std::string::npos) return type;
  if (message.starts_with("stanli compile: ") || message.starts_with("mir: ")) return "";
  if (message.find("unsupported") != std::string::npos) return "";
  return std::nullopt;
}

/// Where a program has a word: a function, a type that begins with it, or a law whose density it
/// is. The file only, where it has none.
inline Location first_use(const Program& program, const ProgramText& text,
                          const std::string& word) {
  const bool is_density = word.ends_with("_lpdf") || word.ends_with("_lpmf");
  const std::string law = is_density ? word.substr(0, word.size() - 5) : word;
  for (const Token& token : text.tokens())
    if (!word.empty() && (token.text == word || token.text == law ||
                          (token.is_word() && token.text.starts_with(word + "_"))))
      return token.where;
  return {program.path, 0, 0};
}

/// The block whose fault it is: "data" or another; "" where that is not known.
inline std::string failing_block(const Prepared& prepared, unsigned seed,
                                 const std::string& message) {
  const Program& program = *prepared.program;
  const ProgramText& text = *prepared.text;
  const Location place = place_in(program, message);
  if (place.line > 0) return text.block_at(place);
  if (text.block("transformed data").empty()) return text.block("data").empty() ? "" : "data";
  if (prepared.made.engine != "interpret" || text.block("data").empty()) return "transformed data";
  const std::string alone = text.only({"functions", "data"});
  const Stanli stanli(prepared.made.library);
  return stanli.refusal(program, alone, prepared.plain_data, seed).empty() ? "transformed data"
                                                                           : "data";
}

}  // namespace detail

/// Throws ParameterError where the data are at fault, InputError with the place in the program
/// where that is.
[[noreturn]] inline void refuse_model(const Prepared& prepared, unsigned seed,
                                      const std::string& message) {
  const auto lacking = detail::lacking_in(message);
  if (prepared.made.engine == "interpret" && lacking)
    throw InputError(detail::first_use(*prepared.program, *prepared.text, *lacking),
                     "engine `interpret` cannot do " +
                         (lacking->empty() ? "a part of this program" : "`" + *lacking + "`") +
                         " (stanli says: " + message +
                         "). Use `engine = \"compile\"`, which takes all of the language.");
  const std::string block = prepared.text ? detail::failing_block(prepared, seed, message) : "data";
  if (block == "data") throw ParameterError("data", "Stan refuses these data: " + message);
  Location where = place_in(*prepared.program, message);
  const Tokens tokens = prepared.text->block(block);
  if (where.line == 0 && !tokens.empty()) where = tokens.front().where;
  throw InputError(where, "the program fails before sampling" +
                              (block.empty() ? "" : ", in its block `" + block + "`") +
                              ". Stan says: " + message);
}

/// `data`: those of the prepared ones that the model is made of. Throws as refuse_model does.
inline std::shared_ptr<const Instance> instance_of(const Prepared& prepared,
                                                   const std::string& data, std::int64_t seed) {
  const auto word = static_cast<unsigned>(seed);
  try {
    return std::make_shared<const Instance>(prepared.key, prepared.made.library, data, word);
  } catch (const NoModel& failure) {
    refuse_model(prepared, word, failure.what());
  }
}

}  // namespace mixwell::stan
