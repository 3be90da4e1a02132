// Runs external programs: compilers, which build libraries, and Python, which finds packages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell::stan {

/// A program's exit status, and everything that it wrote to standard output and standard error.
struct Finished {
  int status = -1;  ///< 0 = success, 127 = not found on PATH
  std::string output;
};

namespace detail {

/// Quotes a word so that a shell passes it on unchanged.
inline std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

}  // namespace detail

/// Runs a program on PATH and waits for it. `words` are the program and its arguments; the shell
/// does not interpret them.
inline Finished run_command(const std::vector<std::string>& words) {
  std::string line = "exec";
  for (const std::string& word : words) line += " " + detail::quoted(word);
  std::FILE* const pipe = ::popen((line + " </dev/null 2>&1").c_str(), "re");
  if (pipe == nullptr) throw RunError(words.front() + " cannot be run: " + std::strerror(errno));
  Finished finished;
  std::array<char, 4096> piece{};
  while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), pipe))
    finished.output.append(piece.data(), n);
  const int status = ::pclose(pipe);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

/// The folder where the first Python on PATH has a package, or "". Finds the package without
/// importing it, so the package's own dependencies may be missing.
inline std::string folder_of_package(const std::string& package) {
  const Finished found = run_command(
      {"python3", "-c",
       "import importlib.util, sys\nspec = importlib.util.find_spec(sys.argv[1])\n"
       "print('\\n' + (list(spec.submodule_search_locations or [''])[0] if spec else ''))",
       package});
  if (found.status != 0) return {};
  const std::string_view text(found.output.data(), found.output.find_last_not_of('\n') + 1);
  const std::size_t last = text.rfind('\n') + 1;  // npos + 1 = 0
  return text.find('/', last) == last ? std::string(text.substr(last)) : "";
}

}  // namespace mixwell::stan
