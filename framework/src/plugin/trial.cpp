// Tests in a separate process whether a library can be loaded safely.
// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"
#include "files/descriptor.hpp"
#include "plugin/abi_tag.hpp"
#include "plugin/library.hpp"
#include "system/system.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace mixwell {
namespace {

constexpr int trial_seconds = 10;

/// The result of a system call. Throws if the result is negative.
int checked(int result) {
  if (result < 0)
    throw RunError(fmt::format(
        "Mixwell cannot test a plugin in a separate process: {}. Free some memory or end "
        "other processes",
        std::strerror(errno)));
  return result;
}

/// In the child: resets signal handlers and limits, so that the library's code does not use what
/// the child inherited.
void come_of_age(const Descriptor& words) {
  end_with_parent();
  constexpr rlimit no_core{0, 0};
  constexpr rlimit few_words{1 << 20, 1 << 20};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_FSIZE, &few_words);
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTERM, SIGINT})
    std::signal(signal, SIG_DFL);  // sanitizers' handlers too
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(words.get(), standard);
  // Registered last, so it runs before all exit functions of the parent.
  call_at_exit([](int code, void*) { ::_exit(code); });
}

/// In the child. If the library throws, the parent reports the reason.
[[noreturn]] void load_for_trial(const std::string& path, const Descriptor& answer,
                                 const Descriptor& words) {
  come_of_age(words);
  try {
    for (const Entry& entry : registered_by(path)) check_entry(entry);
  } catch (...) {
  }
  const ssize_t written = ::write(answer.get(), "!", 1);
  ::_exit(written == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/// Whether the child reported success in time. Ends the child if it did not.
bool hears(const Descriptor& answer, pid_t child) {
  const auto began = Clock::now();
  pollfd end{answer.get(), POLLIN, 0};
  int ready = -1;
  for (double left = trial_seconds; ready <= 0 && left > 0;
       left = trial_seconds - seconds_since(began)) {
    ready = ::poll(&end, 1, static_cast<int>(std::ceil(1000 * left)));
    if (ready < 0 && errno != EINTR) break;
  }
  char heard = 0;
  const bool answered = ready > 0 && ::read(answer.get(), &heard, 1) == 1;
  if (ready <= 0) ::kill(child, SIGKILL);
  return answered;
}

/// The end of the child's output, on one line.
std::string last_words(const Descriptor& words) {
  constexpr off_t shown = 400;
  std::array<char, shown> text{};
  const off_t size = ::lseek(words.get(), 0, SEEK_END);
  const ssize_t n =
      ::pread(words.get(), text.data(), text.size(), std::max<off_t>(size - shown, 0));
  std::string line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line.empty() ? "" : ". The last lines that the process printed are: " + line;
}

std::string death_text(int status) {
  if (WIFEXITED(status))
    return fmt::format("the library ends the process that loads it, with exit code {}",
                       WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == SIGKILL)
    return fmt::format("the library did not load within {} seconds", trial_seconds);
  return "the process that loads the library crashes: " + signal_text(signal);
}

/// Empty if the library does not harm its process.
std::string fault_of_loading(const std::string& path) {
  std::array<int, 2> ends{};
  checked(open_pipe(ends));
  const Descriptor answer(ends[0]);
  Descriptor theirs(ends[1]);
  const Descriptor words(checked(open_nameless_file("mixwell trial")));
  const pid_t child = checked(::fork());
  if (child == 0) load_for_trial(path, theirs, words);
  theirs.reset();
  const bool is_harmless = hears(answer, child);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return is_harmless ? "" : death_text(status) + last_words(words);
}

}  // namespace

void try_to_load(const std::string& path) {
  check_abi_tag(path);
  const std::string fault = fault_of_loading(path);
  if (fault.empty()) return;
  throw InputError(
      fmt::format("{}: {}. Correct the plugin, or remove it from the plugin folders", path, fault));
}

}  // namespace mixwell
