// Rows made by several processes, each in one of its own.
// SPDX-License-Identifier: Apache-2.0
#include "workers.hpp"

#include <mixwell/lab/sampler.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <map>
#include <string>
#include <system_error>

namespace compositions {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class Pool {
 public:
  Pool(const Work& work, const std::string& path)
      : work_(work), file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
    if (file_ < 0) fail(path);
  }
  ~Pool() { close(file_); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void run() {
    std::size_t next = 0;
    for (std::size_t done = 0; true; ++done) {
      while (may_start(next)) start(next++);
      if (running_.empty()) return;
      await();
      if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r{} of {} ", done + 1, work_.count);
    }
  }

 private:
  bool may_start(std::size_t next) const {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
    return next < work_.count && running_.size() < static_cast<std::size_t>(work_.jobs) &&
           (work_.seconds <= 0.0 || gone.count() < work_.seconds);
  }

  void start(std::size_t k) {
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
      limit();
      mixwell::with_threads(1, [&] { append(work_.line(k)); });
      _exit(0);
    }
    running_[child] = k;
  }

  /// SIGVTALRM ends the process: seconds of its own, however busy the machine is.
  void limit() const {
    const auto seconds = static_cast<time_t>(std::ceil(work_.cpu_seconds));
    const itimerval timer{{0, 0}, {seconds, 0}};
    if (setitimer(ITIMER_VIRTUAL, &timer, nullptr) != 0) fail("setitimer");
  }

  void await() {
    int status = 0;
    const pid_t child = wait(&status);
    if (child < 0) fail("wait");
    const std::size_t k = running_.at(child);
    running_.erase(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGVTALRM;
    append(work_.line_of_dead(k, late ? "stopped: it takes too long"
                                      : "its process died, status " + std::to_string(status)));
  }

  /// In one write, so that lines of several processes do not mix.
  void append(const std::string& text) const {
    if (write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) fail("write");
  }

  const Work& work_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int file_;
  std::map<pid_t, std::size_t> running_;
};

}  // namespace

void run(const Work& work, const std::string& path) { Pool(work, path).run(); }

}  // namespace compositions
