// Programs that help to make a library: compilers, and a Python that says where a package is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

// NOLINTNEXTLINE(readability-redundant-declaration): POSIX asks for it
extern char** environ;

namespace mixwell::stan {

/// How a program ended, and all that it wrote, to standard output and error alike.
struct Finished {
  bool found = false;  ///< it is on PATH
  int status = -1;     ///< 0 = well
  std::string output;
};

namespace detail {

/// A pipe whose ends close when it goes.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw RunError(std::string("no pipe can be made: ") + std::strerror(errno));
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int end(std::size_t k) const { return ends_[k]; }
  void close(std::size_t k) {
    if (ends_[k] >= 0) ::close(ends_[k]);
    ends_[k] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

inline std::string all_of(int descriptor) {
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t n = ::read(descriptor, piece.data(), piece.size());
    if (n == 0 || (n < 0 && errno != EINTR)) return text;
    if (n > 0) text.append(piece.data(), static_cast<std::size_t>(n));
  }
}

inline int status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace detail

/// Runs a program of PATH, without a shell, and waits for it. `words`: the program and its
/// arguments.
inline Finished run_command(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  detail::Pipe pipe;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe.end(1), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, pipe.end(1), STDERR_FILENO);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return {};
  pipe.close(1);
  Finished finished{.found = true, .status = -1, .output = detail::all_of(pipe.end(0))};
  finished.status = detail::status_of(child);
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
