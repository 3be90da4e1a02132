// From the keys of a manifest to a library, and the data that it is given.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile.hpp"
#include "data.hpp"
#include "interpret.hpp"
#include "program.hpp"
#include "shapes.hpp"
#include "text.hpp"

#include <mixwell/plugin.hpp>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
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
  std::vector<std::string> stanc_flags = default_stanc_flags();

  static std::vector<std::string> default_stanc_flags() { return {"--O1"}; }
  bool has_stanc_flags() const { return stanc_flags != default_stanc_flags(); }
};

inline void declare_source(Fields& fields, Source& source) {
  fields.text("program", source.program).file().help("in the Stan language");
  fields.text("library", source.library)
      .file()
      .instead_of("program")
      .help("a shared library with BridgeStan's C interface 2.x, in the place of `program`");
  fields.text("data", source.data)
      .file()
      .help("JSON as CmdStan reads it; none for a program without data");
  fields.text("engine", source.engine)
      .one_of({"auto", "compile", "interpret"})
      .help(
          "of `program`: interpret by the package stanli; compile by the checkout that BRIDGESTAN "
          "names, or by the package httpstan; auto compiles where that can be done");
  fields.texts("include_paths", source.include_paths)
      .help("folders for #include of `program`, relative to its own, which comes last");
  fields.texts("stanc_flags", source.stanc_flags)
      .one_of({"--O0", "--O1", "--Oexperimental"})
      .help("for Stan's compiler (engine compile)");
}

/// What a model is made of.
struct Prepared {
  std::string key;  ///< of the manifest: where the library comes from, for messages
  std::string library;
  std::string engine{};              ///< that made it of a program
  std::string data{};                ///< JSON for the library, or "" for none
  std::string generating{};          ///< Made::generating
  std::string plain_data{};          ///< JSON of the program's variables, or "" for none
  std::optional<Program> program{};  ///< that the library was made of
  std::shared_ptr<const ProgramText> text{};
  Data variables{};                    ///< what they hold
  std::vector<std::string> files{};    ///< Model::files
  std::vector<std::string> remarks{};  ///< Model::remarks
};

namespace detail {

/// Relative folders are looked up from the program's own.
inline Program read_program(const Source& source) {
  namespace fs = std::filesystem;
  Program program{.path = fs::absolute(*source.program).string(),
                  .text = text_of_file("program", *source.program),
                  .include_paths = {},
                  .stanc_flags = source.stanc_flags};
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

/// The folder that BRIDGESTAN names, or "".
inline std::string checkout_folder() {
  const char* const named = std::getenv("BRIDGESTAN");
  return named == nullptr ? "" : named;
}

/// Where there is something to compile with, or nothing. `may_fail`: a C++ compiler may be missing.
inline std::optional<Made> compiled(const Program& program, const std::string& data,
                                    bool may_fail) {
  const std::string checkout = checkout_folder();
  if (!checkout.empty()) return Checkout(checkout).make(program, data);
  const std::string folder = Package::find();
  if (folder.empty() || (may_fail && !Package::has_compiler())) return std::nullopt;
  return Package(folder).make(program, data);
}

inline std::optional<Made> interpreted(const Program& program, const ProgramText& text,
                                       const std::string& data, unsigned seed) {
  const std::string path = Stanli::find();
  if (path.empty()) return std::nullopt;
  return Stanli(path).make(program, text, data, seed);
}

inline Made make(const std::string& engine, const Program& program, const ProgramText& text,
                 const std::string& data, unsigned seed) {
  if (engine == "compile") {
    if (auto made = compiled(program, data, false)) return *std::move(made);
    throw ParameterError("engine", std::string("there is nothing to compile with: BRIDGESTAN names "
                                               "no checkout, and the python3 on PATH has no "
                                               "package httpstan; `") +
                                       Package::cure + "` installs it");
  }
  if (engine == "auto") {
    if (auto made = compiled(program, data, true)) return *std::move(made);
  }
  if (auto made = interpreted(program, text, data, seed)) return *std::move(made);
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
  if (engine == "compile" && !Stanli::find().empty()) {
    source.engine = "interpret";
    source.stanc_flags = Source::default_stanc_flags();
    return source;
  }
  const bool can_compile =
      !detail::checkout_folder().empty() || (!Package::find().empty() && Package::has_compiler());
  if (engine != "interpret" || !can_compile) return std::nullopt;
  source.engine = "compile";
  return source;
}

namespace detail {

/// Reads the data where there are any.
inline Prepared with_data(const Source& source, const std::set<std::string>& wanted) {
  Prepared all;
  if (!source.data) return all;
  all.plain_data = text_of_file("data", *source.data);
  all.variables = read_data(*source.data, all.plain_data, wanted);
  all.data = all.plain_data;
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
  if (source.engine == "interpret" && source.has_stanc_flags())
    throw ParameterError("stanc_flags", "goes with engine = \"compile\"; stanli has none");
  const Program program = read_program(source);
  const auto text = std::make_shared<const ProgramText>(program);
  const Declarations declared = declarations_in(*text, "data");
  for (const Declared& one : declared.variables) add_names_in_sizes(one.type, wanted);
  for (const Declared& one : declarations_in(*text, "parameters").variables)
    add_names_in_constraints(one.type, wanted);
  Prepared all = with_data(source, wanted);
  const Checked checked = check_data(program, declared, all.variables, source.data.value_or(""));
  for (const std::string& name : checked.left_out)
    all.plain_data = with_members(all.plain_data, '"' + name + "\": []");
  Made made = make(source.engine, program, *text, all.plain_data, seed);
  require_known_shapes(checked, made.engine);
  made.files.push_back(made.library);
  all.key = "program";
  all.library = std::move(made.library);
  all.engine = std::move(made.engine);
  all.data = std::move(made.data);
  all.generating = std::move(made.generating);
  all.program = program;
  all.text = text;
  all.files = std::move(made.files);
  all.remarks = std::move(made.remarks);
  return all;
}

}  // namespace detail

/// `wanted`: variables of the data whose numbers are asked for; `seed`: of the random numbers in
/// transformed data. Throws InputError for data or a program that are none, or that do not fit each
/// other, ParameterError where an engine is missing.
inline Prepared prepare(const Source& source, const std::set<std::string>& wanted, unsigned seed) {
  if (source.program) return detail::of_program(source, wanted, seed);
  Prepared all = detail::with_data(source, wanted);
  if (!source.library) throw ParameterError("program", "give a program, or a library in its place");
  for (const auto& [key, is_given] : {std::pair("engine", source.engine != "auto"),
                                      std::pair("include_paths", !source.include_paths.empty()),
                                      std::pair("stanc_flags", source.has_stanc_flags())})
    if (is_given) throw ParameterError(key, "goes with `program`; a library is as it is");
  all.key = "library";
  all.library = std::filesystem::absolute(*source.library).string();
  return all;
}

}  // namespace mixwell::stan
