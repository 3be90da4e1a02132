// Engine `interpret`: the package stanli, a library that evaluates programs without a C++ compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../library/open.hpp"
#include "command.hpp"
#include "data.hpp"
#include "program.hpp"
#include "statements.hpp"
#include "text.hpp"

#include <mixwell/plugin.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::stan {

/// stanli's library: BridgeStan's C interface with the program inside the data, and a compiler from
/// the Stan language to the form that stanli reads.
class Stanli {
 public:
  static constexpr const char* cure = "python3 -m pip install stanli";

  /// The path of the library, or "" if there is none. MIXWELL_STANLI may name the library or the
  /// folder of its package. If MIXWELL_STANLI is not set, the package of the first python3 on PATH
  /// is used. Throws InputError if MIXWELL_STANLI names something else.
  static std::string find() {
    const char* const given = std::getenv("MIXWELL_STANLI");
    const std::string named = given == nullptr ? "" : given;
    const std::string place = named.empty() ? folder_of_package("stanli") : named;
    const std::string path =
        existing(std::filesystem::is_directory(place) ? place + inside_package : place);
    if (path.empty() && !named.empty())
      throw InputError({"MIXWELL_STANLI", 0, 0},
                       "\"" + named +
                           "\" is neither libstanli.so nor the folder of the package stanli. Set "
                           "MIXWELL_STANLI to one of the two, or unset it.");
    return path;
  }

  /// Throws ParameterError if this is not a known version of stanli.
  explicit Stanli(std::string path)
      : path_(std::move(path)),
        handle_(library::open("engine", path_,
                              std::string("Install stanli again with `") + cure + "`.")) {
    find("stanli_stan_to_mir_with_opts", compile_);
    find("stanli_string_free", free_);
    find("stanli_build_id", build_id_);
  }

  /// `text`: the text of the program. A program with generated quantities needs two models. stanli
  /// computes all blocks in each call, so with one model a failure in the generated quantities
  /// would also lose the parameters. Throws InputError with Stan's message if the program does not
  /// compile, or if stanli would compute another density.
  Made make(const Program& program, const ProgramText& text, const std::string& data,
            unsigned seed) const {
    Made made{.library = path_,
              .data = {},
              .engine = "interpret",
              .remarks = {std::string("the program is interpreted by stanli, build ") +
                          build_id_() + ", " + path_}};
    std::string whole = compiled(program, program.text);
    refuse_wrong_density(text);
    if (mentions(text.tokens(), {"fatal_error"})) whole = compiled_without(program, text, {});
    const Tokens generated = text.block("generated quantities");
    const std::string rest =
        generated.empty() ? whole : compiled_without(program, text, {generated});
    made.data = with_program(data, rest, program.name());
    if (!generated.empty()) {
      Generating found = generating(program, text, with_quoted_words(data), seed, whole);
      if (!found.compiled.empty())
        made.generating = with_program(data, found.compiled, program.name());
      if (!found.remark.empty()) made.remarks.push_back(std::move(found.remark));
    }
    return made;
  }

  /// The reason why stanli rejects a program of this text with these data; "" if stanli accepts the
  /// program or gives no reason.
  std::string refusal(const Program& program, const std::string& text, const std::string& data,
                      unsigned seed) const {
    return trial(compiled(program, text), with_quoted_words(data), seed).refusal;
  }

 private:
  /// The program with its generated quantities, in the form that stanli reads; "" if stanli can
  /// compute none of them.
  struct Generating {
    std::string compiled;
    std::string remark{};  ///< which generated quantities are left out
  };
  /// stanli's messages about a program with its data.
  struct Trial {
    std::string refusal{};     ///< not empty: stanli makes no model
    std::string incapacity{};  ///< not empty: stanli's model has no generated quantities
    std::string words() const { return refusal.empty() ? incapacity : refusal; }
  };
  struct Options {
    std::uint32_t seed = 0;
    int threads = 0;
    int fast_math = 0;
  };
  static constexpr const char* inside_package = "/_bin/libstanli.so";

  static std::string existing(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored)
               ? std::filesystem::absolute(path).string()
               : "";
  }

  template <class Function>
  void find(const char* name, Function& function) const {
    library::find("engine", handle_, name, function,
                  path_ + " is not stanli 0.24. Install that version with `" + cure + "==0.24.0`.");
  }
  template <class Function>
  Function symbol(const char* name) const {
    Function function = nullptr;
    find(name, function);
    return function;
  }

  std::string compiled(const Program& program, const std::string& source) const {
    std::vector<const char*> folders;
    for (const std::string& folder : program.include_paths) folders.push_back(folder.c_str());
    std::array<char, 16384> error{};
    char* const text =
        compile_(source.c_str(), folders.data(), folders.size(), 0, error.data(), error.size());
    if (text == nullptr) refuse_program(program, named(program, error.data()));
    std::string kept = text;
    free_(text);
    return kept;
  }

  /// stanli lacks `fatal_error`. Mixwell treats it like `reject`: both refuse the point, the draw
  /// or the data.
  std::string compiled_without(const Program& program, const ProgramText& text,
                               const std::vector<Tokens>& parts) const {
    std::string source = text.without(parts);
    for (const Token& token : text.tokens())
      if (token.text == "fatal_error" && source.compare(token.begin, 11, "fatal_error") == 0)
        source.replace(token.begin, 11, "reject     ");
    return compiled(program, source);
  }

  /// Functions with a `return` in a `while` loop. stanli 0.24 ignores this `return` and continues
  /// after the loop.
  static std::set<std::string> wrong_functions(const ProgramText& text) {
    return functions_with(text, returns_from_while);
  }
  /// stanli handles such a `return` correctly only in the block `transformed data`.
  static void refuse_wrong_density(const ProgramText& text) {
    const std::set<std::string> wrong = wrong_functions(text);
    for (const char* const block : {"transformed parameters", "model"})
      for (const Token& token : text.block(block))
        if (wrong.contains(token.text))
          throw InputError(token.where,
                           "engine `interpret` computes wrong values for this program: " +
                               return_in(token.text) +
                               ". Use `engine = \"compile\"`. Or leave the loop with "
                               "`break`, and write `return` after the loop.");
  }
  static std::string return_in(const std::string& function) {
    return "`" + function +
           "`, or a function that it calls, has a `return` inside a `while` loop. stanli ignores "
           "this `return` and continues after the loop";
  }

  /// Makes a model and checks it. `data`: JSON of numbers, or of quoted numbers.
  Trial trial(const std::string& compiled, const std::string& data, unsigned seed) const {
    const auto make =
        symbol<void* (*)(const char*, const char*, const Options*, char*, std::size_t)>(
            "stanli_model_new_with_opts");
    const auto warnings = symbol<const char* (*)(void*)>("stanli_warnings");
    const auto outputs = symbol<std::int64_t (*)(void*)>("stanli_wa_n_columns");
    Options options;
    symbol<void (*)(Options*)>("stanli_model_opts_init")(&options);
    options.seed = seed;
    std::array<char, 16384> error{};
    const std::unique_ptr<void, void (*)(void*)> model(
        make(compiled.c_str(), data.empty() ? "{}" : data.c_str(), &options, error.data(),
             error.size()),
        symbol<void (*)(void*)>("stanli_model_free"));
    if (model == nullptr) return {.refusal = error.data()};
    const std::string said = warnings(model.get());
    return {.incapacity = outputs(model.get()) == 0 ? said : ""};
  }

  /// If stanli cannot compute some of the generated quantities, it leaves out all of them. This
  /// function leaves out only the statements that stanli rejects, and the statements that use their
  /// results. It removes a loop or a branch as a whole, so no loop loses the statement that ends
  /// it.
  Generating generating(const Program& program, const ProgramText& text, const std::string& data,
                        unsigned seed, const std::string& whole) const {
    const std::set<std::string> wrong = wrong_functions(text);
    if (!mentions(text.block("generated quantities"), wrong) &&
        trial(whole, data, seed).words().empty())
      return {.compiled = whole};
    LeftOut left_out(text);
    for (std::size_t k = 0; k < left_out.statements().size(); ++k) {
      if (left_out.has(k)) continue;
      std::string why = wrong_words(left_out.statements()[k], wrong);
      if (why.empty()) {
        const std::string first = compiled_without(program, text, left_out.parts(k + 1));
        why = incapacity_in(trial(first, data, seed).words());
      }
      if (!why.empty()) left_out.add(k, why);
    }
    return {.compiled = compiled_without(program, text, left_out.parts()),
            .remark = left_out.remark()};
  }

  static std::string wrong_words(const Statement& one, const std::set<std::string>& wrong) {
    for (const std::string& word : one.words)
      if (wrong.contains(word)) return return_in(word);
    return {};
  }

  /// "... (stanli compile: WHAT) ..."
  static std::string incapacity_in(const std::string& words) {
    const std::string before = "(stanli compile: ";
    const std::size_t at = words.find(before);
    if (at == std::string::npos) return words;
    const std::size_t from = at + before.size();
    return words.substr(from, words.find_first_of("()|", from) - from);
  }

  /// stanli receives a text and calls it 'string'.
  static std::string named(const Program& program, std::string message) {
    const std::string anonymous = "'string'";
    for (std::size_t at = message.find(anonymous); at != std::string::npos;
         at = message.find(anonymous, at))
      message.replace(at, anonymous.size(), "'" + program.told_name() + "'");
    return message;
  }

  /// The data with one more member, and with NaN and Infinity in quotes, which stanli needs.
  std::string with_program(const std::string& data, const std::string& compiled,
                           const std::string& name) const {
    constexpr auto replace = nlohmann::json::error_handler_t::replace;  // names of files are bytes
    const nlohmann::json member = {{"build_id", build_id_()}, {"mir", compiled}, {"name", name}};
    return with_members(with_quoted_words(data),
                        "\"__stanli\": " + member.dump(-1, ' ', false, replace));
  }

  std::string path_;
  void* handle_ = nullptr;
  char* (*compile_)(const char* text, const char* const* folders, std::size_t count, int fast_math,
                    char* error, std::size_t size) = nullptr;
  void (*free_)(void*) = nullptr;
  const char* (*build_id_)() = nullptr;
};

}  // namespace mixwell::stan
