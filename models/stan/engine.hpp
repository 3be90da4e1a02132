// Prepares the library and the data that a model's keys name. If an engine fails, explains why.
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
  fields.text("program", source.program).file().help("path of a program in the Stan language");
  fields.text("library", source.library)
      .file()
      .instead_of("program")
      .help("shared library with BridgeStan's C interface 2.x, instead of `program`");
  fields.text("data", source.data)
      .file()
      .help("JSON file with the data in CmdStan's format (not needed if the program has no data)");
  fields.text("engine", source.engine)
      .one_of({"auto", "compile", "interpret"})
      .only_with("program")
      .help(
          "compile: use httpstan; interpret: use stanli; auto: compile if possible, else "
          "interpret");
  fields.texts("include_paths", source.include_paths)
      .only_with("program")
      .help(
          "folders to search for #include files (relative to the program's folder, which is "
          "searched last)");
}

/// Everything that a model is made from.
struct Prepared {
  std::string key;           ///< the manifest key that messages name: the source of the library
  Made made{};               ///< the library, with data in the form that it needs
  std::string plain_data{};  ///< JSON of the program's variables, or "" for none
  std::optional<Program> program{};  ///< source of the library; none if `library` is given
  std::shared_ptr<const ProgramText> text{};
  Data variables{};                  ///< the variables in the data
  std::vector<std::string> files{};  ///< Model::files
};

namespace detail {

/// Relative folders start from the program's own folder.
inline Program read_program(const Source& source) {
  namespace fs = std::filesystem;
  Program program{.path = fs::absolute(*source.program).string(),
                  .text = text_of_file("program", *source.program),
                  .include_paths = {}};
  const fs::path own = fs::path(program.path).parent_path();
  for (const std::string& folder : source.include_paths) {
    const fs::path path = (own / folder).lexically_normal();
    if (!fs::is_directory(path))
      throw ParameterError("include_paths", "there is no folder " + path.string() +
                                                ". Create it, or correct the path.");
    program.include_paths.push_back(path.string());
  }
  program.include_paths.push_back(own.string());
  return program;
}

/// Throws InputError if the environment variable BRIDGESTAN is set. Earlier versions of Mixwell
/// compiled programs with the checkout that it names.
inline void refuse_checkout() {
  const char* const named = std::getenv("BRIDGESTAN");
  if (named == nullptr || *named == '\0') return;
  throw InputError(
      {"BRIDGESTAN", 0, 0},
      "Mixwell no longer compiles programs with a checkout of BridgeStan, but this variable names "
      "one (\"" +
          std::string(named) +
          "\"). Compile the model with BridgeStan and give the path of the library: `library = "
          "\"NAME_model.so\"` instead of `program`. Or unset the variable. Then `engine = "
          "\"compile\"` uses the package httpstan, and `engine = \"interpret\"` uses the package "
          "stanli.");
}

inline Made make(const std::string& engine, const Program& program, const ProgramText& text,
                 const std::string& data, unsigned seed) {
  if (engine != "interpret") {
    refuse_checkout();
    const std::string package = Package::find();
    if (!package.empty() && (engine == "compile" || Package::has_compiler()))
      return Package(package).make(program, data);
    if (engine == "compile")
      throw ParameterError("engine",
                           std::string("Mixwell cannot compile the program, because the python3 on "
                                       "PATH has no package httpstan. Install it with `") +
                               Package::cure +
                               "`. Or compile the model with BridgeStan and give the path of the "
                               "library: `library = \"NAME_model.so\"` instead of `program`.");
  }
  const std::string path = Stanli::find();
  if (!path.empty()) return Stanli(path).make(program, text, data, seed);
  throw ParameterError(
      "engine",
      std::string(
          "Mixwell cannot read programs in the Stan language without the package stanli. The "
          "python3 on PATH does not have this package, and MIXWELL_STANLI does not give its path. "
          "Install it with `") +
          Stanli::cure + "`.");
}

}  // namespace detail

/// The keys of a model with the same density, made by the other engine. Nothing if the other engine
/// is missing, or if the library was not made from a program. `engine` is the engine of this model.
inline std::optional<Source> other_engine(Source source, const std::string& engine) {
  source.engine = engine == "compile" ? "interpret" : "compile";
  const bool is_there = engine == "compile" ? !Stanli::find().empty()
                                            : engine == "interpret" && !Package::find().empty() &&
                                                  Package::has_compiler();
  return is_there ? std::optional(std::move(source)) : std::nullopt;
}

namespace detail {

/// Reads the data if there are any.
inline Prepared with_data(const Source& source, const std::set<std::string>& wanted) {
  Prepared all;
  if (!source.data) return all;
  all.plain_data = text_of_file("data", *source.data);
  all.variables = read_data(*source.data, all.plain_data, wanted);
  return all;
}

/// Engine `interpret` compares only counts, so it cannot check shapes that Mixwell does not know.
inline void require_known_shapes(const Checked& checked, const std::string& engine) {
  if (engine == "interpret" && checked.unknown)
    throw InputError(
        checked.unknown->first,
        "this program has " + checked.unknown->second +
            ", so Mixwell cannot check whether the data have the shapes that the program declares. "
            "Use `engine = \"compile\"`, which checks the shapes itself.");
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

/// `wanted`: variables of the data whose numbers are kept; `seed`: for the random numbers in
/// transformed data. Throws InputError if the data or the program are invalid or do not match, and
/// ParameterError if an engine is missing.
inline Prepared prepare(const Source& source, const std::set<std::string>& wanted, unsigned seed) {
  if (source.program) return detail::of_program(source, wanted, seed);
  Prepared all = detail::with_data(source, wanted);
  if (!source.library)
    throw ParameterError(
        "program",
        "this key is missing. Give the path of a Stan program, or give `library` instead.");
  all.key = "library";
  all.made.library = std::filesystem::absolute(*source.library).string();
  all.made.data = all.plain_data;
  return all;
}

namespace detail {

/// The missing feature that a message of engine `interpret` reports: a word of the program, or ""
/// if the message names no word. Nothing if the message is about something else. Messages that
/// stanli writes before it reads data are always about stanli itself, because Stan's compiler has
/// accepted the program.
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

/// The first use of a word in a program: as a function, as the beginning of a type, or as the
/// density of a distribution. Returns only the file if the program does not use the word.
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

/// The block that caused the failure: "data" or another; "" if it is not known.
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

/// Throws ParameterError if the data are at fault, and InputError with the place if the program is.
[[noreturn]] inline void refuse_model(const Prepared& prepared, unsigned seed,
                                      const std::string& message) {
  const auto lacking = detail::lacking_in(message);
  if (prepared.made.engine == "interpret" && lacking)
    throw InputError(detail::first_use(*prepared.program, *prepared.text, *lacking),
                     "engine `interpret` cannot compute " +
                         (lacking->empty() ? "a part of this program" : "`" + *lacking + "`") +
                         " (stanli says: " + message +
                         "). Use `engine = \"compile\"`, which supports the whole language.");
  const std::string block = prepared.text ? detail::failing_block(prepared, seed, message) : "data";
  if (block == "data")
    throw ParameterError("data",
                         "Stan rejects these data. Correct the data. Stan says: " + message);
  Location where = place_in(*prepared.program, message);
  const Tokens tokens = prepared.text->block(block);
  if (where.line == 0 && !tokens.empty()) where = tokens.front().where;
  throw InputError(where, "the program fails before sampling" +
                              (block.empty() ? "" : ", in its block `" + block + "`") +
                              ". Correct the program. Stan says: " + message);
}

/// `data`: the part of the prepared data that the model is made from. Throws the errors of
/// refuse_model.
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
