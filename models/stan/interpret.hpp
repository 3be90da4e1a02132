// Engine `interpret`: the package stanli, a library that evaluates any program without a compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"
#include "data.hpp"
#include "program.hpp"

#include <mixwell/plugin.hpp>

#include <dlfcn.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::stan {

/// stanli's library: BridgeStan's C interface, where the data carry the program, and a compiler
/// from the Stan language to the form that it takes.
class Stanli {
 public:
  static constexpr const char* cure = "python3 -m pip install stanli";

  /// The library named by MIXWELL_STANLI, or in the package folder that it names, or else in the
  /// package of the first python3 on PATH; "" where there is none. Throws InputError where
  /// MIXWELL_STANLI names something else.
  static std::string find() {
    const char* const named = std::getenv("MIXWELL_STANLI");
    if (named == nullptr || *named == '\0') {
      const std::string folder = folder_of_package("stanli");
      return folder.empty() ? "" : existing(folder + inside_package);
    }
    const std::string path = std::filesystem::is_directory(named)
                                 ? existing(named + std::string(inside_package))
                                 : existing(named);
    if (path.empty())
      throw InputError({"MIXWELL_STANLI", 0, 0},
                       std::string("\"") + named +
                           "\" is neither libstanli.so nor the folder of the package stanli");
    return path;
  }

  /// Throws InputError where it is no stanli that is known here.
  explicit Stanli(std::string path) : path_(std::move(path)) {
    handle_ = ::dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      const char* const why = ::dlerror();
      throw InputError({path_, 0, 0},
                       std::string("cannot be loaded: ") + (why == nullptr ? "" : why));
    }
    find("stanli_stan_to_mir_with_opts", compile_);
    find("stanli_string_free", free_);
    find("stanli_build_id", build_id_);
  }

  /// Throws InputError with Stan's words where the program does not compile.
  Made make(const Program& program, const std::string& data) const {
    Made made{.library = path_,
              .data = with_program(data, compiled(program), program.name()),
              .engine = "interpret",
              .remark = std::string("interpreted by stanli, build ") + build_id_() + ", " + path_};
    add_included(program, program.text, made.files);
    return made;
  }

 private:
  static constexpr const char* inside_package = "/_bin/libstanli.so";

  static std::string existing(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored)
               ? std::filesystem::absolute(path).string()
               : "";
  }

  template <class Function>
  void find(const char* symbol, Function& function) {
    void* const found = ::dlsym(handle_, symbol);
    if (found == nullptr)
      throw InputError({path_, 0, 0}, std::string("lacks the symbol ") + symbol +
                                          ": Mixwell uses the interface of stanli 0.24; `" + cure +
                                          "==0.24.0` installs it");
    function = reinterpret_cast<Function>(found);
  }

  std::string compiled(const Program& program) const {
    std::vector<const char*> folders;
    for (const std::string& folder : program.include_paths) folders.push_back(folder.c_str());
    std::array<char, 16384> error{};
    char* const text = compile_(program.text.c_str(), folders.data(), folders.size(), 0,
                                error.data(), error.size());
    if (text == nullptr) refuse_program(program, named(program, error.data()));
    std::string kept = text;
    free_(text);
    return kept;
  }

  /// stanli is given a text and calls it 'string'.
  static std::string named(const Program& program, std::string message) {
    const std::string anonymous = "'string'";
    for (std::size_t at = message.find(anonymous); at != std::string::npos;
         at = message.find(anonymous, at))
      message.replace(at, anonymous.size(), "'" + program.told_name() + "'");
    return message;
  }

  /// Of JSON that was looked through, NaN and Infinity with their sign in quotes.
  static std::string quoted(const std::string& json) {
    std::string text;
    bool in_text = false;
    for (std::size_t at = 0; at < json.size();) {
      const std::size_t length = in_text ? 0 : number_word(json, at);
      if (length > 0) {
        text += '"' + json.substr(at, length) + '"';
        at += length;
        continue;
      }
      const std::size_t pair = in_text && json[at] == '\\' ? 2 : 1;
      if (json[at] == '"') in_text = !in_text;
      text += json.substr(at, pair);
      at += pair;
    }
    return text;
  }

  /// How long the word for a number is that begins here, or 0.
  static std::size_t number_word(const std::string& json, std::size_t at) {
    const std::size_t sign = json[at] == '-' ? 1 : 0;
    for (const std::string_view word : {"NaN", "Infinity"})
      if (json.compare(at + sign, word.size(), word) == 0) return sign + word.size();
    return 0;
  }

  /// The data with one member more, and with NaN and Infinity in quotes, as stanli takes them. They
  /// are JSON that was looked through, or nothing.
  std::string with_program(const std::string& data, const std::string& compiled,
                           const std::string& name) const {
    const nlohmann::json member = {{"build_id", build_id_()}, {"mir", compiled}, {"name", name}};
    std::string all = data.empty() ? "{}" : quoted(data);
    const std::size_t end = all.rfind('}');
    const bool is_empty = all[all.find_last_not_of(" \t\r\n", end - 1)] == '{';
    return all.insert(end, (is_empty ? "" : ", ") + std::string("\"__stanli\": ") + member.dump());
  }

  std::string path_;
  void* handle_ = nullptr;
  char* (*compile_)(const char* text, const char* const* folders, std::size_t count, int fast_math,
                    char* error, std::size_t size) = nullptr;
  void (*free_)(void*) = nullptr;
  const char* (*build_id_)() = nullptr;
};

}  // namespace mixwell::stan
