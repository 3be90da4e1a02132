// Programs that help to make a library: compilers, and a Python that says where a package is.
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

/// How a program ended, and all that it wrote, to standard output and error alike.
struct Finished {
  int status = -1;  ///< 0 = well, 127 = it is not on PATH
  std::string output;
};

namespace detail {

/// A word that a shell takes as it is, whatever is in it.
inline std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

}  // namespace detail

/// Runs a program of PATH and waits for it. `words`: the program and its arguments, which no shell
/// looks into.
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

/// Where the Python that is first on PATH has a package, or "". The package is looked for and not
/// imported: what it needs itself need not be there.
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
