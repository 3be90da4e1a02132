// From the keys of a manifest to a library and its data, and why an engine makes no model of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile.hpp"
#include "data.hpp"
#include "instance.hpp"
#include "interpret.hpp"
#include "program.hpp"
#include "shapes.hpp"
#include "text.hpp"

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::stan {

struct Source {
  std::optional<std::string> library;
  std::optional<std::string> program;
  std::optional<std::string> data;
  std::string engine = "auto";
  std::vector<std::string> include_paths;
};

inline void declare_source(Fields& fields, Source& source) {
  fields.text("program", source.program).file().help("in the Stan language");
  fields.text("library", source.library)
      .file()
      .instead_of("program")
      .help("a shared library with BridgeStan's C interface 2.x, instead of `program`");
  fields.text("data", source.data)
      .file()
      .help("JSON as CmdStan reads it; none for a program without data");
  fields.text("engine", source.engine)
      .one_of({"auto", "compile", "interpret"})
      .only_with("program")
      .help(
          "interpret by the package stanli; compile by the package httpstan; auto compiles where "
          "that can be done");
  fields.texts("include_paths", source.include_paths)
      .only_with("program")
      .help("folders for #include of `program`, relative to its own, which comes last");
}

/// What a model is made of.
struct Prepared {
  std::string key;           ///< of the manifest: where the library comes from, for messages
  Made made{};               ///< the library, with data as it wants them
  std::string plain_data{};  ///< JSON of the program's variables, or "" for none
  std::optional<Program> program{};  ///< that the library was made of
  std::shared_ptr<const ProgramText> text{};
  Data variables{};                  ///< what they hold
  std::vector<std::string> files{};  ///< Model::files
};

namespace detail {

/// Relative folders are looked up from the program's own.
inline Program read_program(const Source& source) {
  namespace fs = std::filesystem;
  Program program{.path = fs::absolute(*source.program).string(),
                  .text = text_of_file("program", *source.program),
                  .include_paths = {}};
  const fs::path own = fs::path(program.path).parent_path();
  for (const std::string& folder : source.include_paths) {
    const fs::path path = (own / folder).lexically_normal();
    if (!fs::is_directory(path))
      throw ParameterError("include_paths", "there is no folder " + path.string());
    program.include_paths.push_back(path.string());
  }
  program.include_paths.push_back(own.string());
  return program;
}

/// Throws InputError where the variable names a checkout, by which earlier versions compiled.
inline void refuse_checkout() {
  const char* const named = std::getenv("BRIDGESTAN");
  if (named == nullptr || *named == '\0') return;
  throw InputError(
      {"BRIDGESTAN", 0, 0},
      "Mixwell no longer compiles by a checkout of BridgeStan, which this variable names (\"" +
          std::string(named) +
          "\"). Compile the model with BridgeStan and give the path of the library: `library = "
          "\"NAME_model.so\"` instead of `program`. Or unset the variable: `engine = \"compile\"` "
          "uses the package httpstan, and `engine = \"interpret\"` the package stanli.");
}

inline Made make(const std::string& engine, const Program& program, const ProgramText& text,
                 const std::string& data, unsigned seed) {
  if (engine != "interpret") {
    refuse_checkout();
    const std::string package = Package::find();
    if (!package.empty() && (engine == "compile" || Package::has_compiler()))
      return Package(package).make(program, data);
    if (engine == "compile")
      throw ParameterError(
          "engine", std::string("there is nothing to compile with: the python3 on PATH has no "
                                "package httpstan. `") +
                        Package::cure +
                        "` installs it. Or compile the model with BridgeStan and give the path of "
                        "the library: `library = \"NAME_model.so\"` instead of `program`.");
  }
  const std::string path = Stanli::find();
  if (!path.empty()) return Stanli(path).make(program, text, data, seed);
  throw ParameterError(
      "engine", std::string("there is nothing that reads programs in the Stan language: the "
                            "python3 on PATH has no package stanli, and MIXWELL_STANLI names "
                            "none; `") +
                    Stanli::cure + "` installs it");
}

}  // namespace detail

/// The keys of a model with the same density by the other engine; nothing where that is not there,
/// or the library was not made of a program. `engine`: that made it.
inline std::optional<Source> other_engine(Source source, const std::string& engine) {
  source.engine = engine == "compile" ? "interpret" : "compile";
  const bool is_there = engine == "compile" ? !Stanli::find().empty()
                                            : engine == "interpret" && !Package::find().empty() &&
                                                  Package::has_compiler();
  return is_there ? std::optional(std::move(source)) : std::nullopt;
}

namespace detail {

/// Reads the data where there are any.
inline Prepared with_data(const Source& source, const std::set<std::string>& wanted) {
  Prepared all;
  if (!source.data) return all;
  all.plain_data = text_of_file("data", *source.data);
  all.variables = read_data(*source.data, all.plain_data, wanted);
  return all;
}

/// An engine that compares only counts may not guess at shapes that Mixwell does not know.
inline void require_known_shapes(const Checked& checked, const std::string& engine) {
  if (engine == "interpret" && checked.unknown)
    throw InputError(
        checked.unknown->first,
        "has " + checked.unknown->second +
            ", so that nothing tells whether the data have the shapes that the program "
            "declares. Use `engine = \"compile\"`, which looks itself.");
}

inline Prepared of_program(const Source& source, std::set<std::string> wanted, unsigned seed) {
  const Program program = read_program(source);
  const auto text = std::make_shared<const ProgramText>(program);
  const Declarations declared = declarations_in(*text, "data");
  for (const Declared& one : declared.variables) add_names(one.type, &Type::sizes, wanted);
  for (const Declared& one : declarations_in(*text, "parameters").variables)
    add_names(one.type, &Type::constraint, wanted);
  Prepared all = with_data(source, wanted);
  const Checked checked = check_data(program, declared, all.variables, source.data.value_or(""));
  for (const std::string& name : checked.left_out)
    all.plain_data = with_members(all.plain_data, '"' + name + "\": []");
  all.key = "program";
  all.made = make(source.engine, program, *text, all.plain_data, seed);
  require_known_shapes(checked, all.made.engine);
  all.program = program;
  all.text = text;
  all.files = text->files();
  all.files.push_back(all.made.library);
  return all;
}

}  // namespace detail

/// `wanted`: variables of the data whose numbers are asked for; `seed`: of the random numbers in
/// transformed data. Throws InputError for data or a program that are none, or that do not fit each
/// other, ParameterError where an engine is missing.
inline Prepared prepare(const Source& source, const std::set<std::string>& wanted, unsigned seed) {
  if (source.program) return detail::of_program(source, wanted, seed);
  Prepared all = detail::with_data(source, wanted);
  if (!source.library)
    throw ParameterError("program", "give a program, or a library instead of it");
  all.key = "library";
  all.made.library = std::filesystem::absolute(*source.library).string();
  all.made.data = all.plain_data;
  return all;
}

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
