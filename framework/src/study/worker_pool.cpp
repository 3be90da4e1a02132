// The worker pool of a study starts workers when needed, reuses them, and replaces dead workers.
// SPDX-License-Identifier: Apache-2.0
#include "study/worker_pool.hpp"

#include "files/descriptor.hpp"
#include "study/task.hpp"
#include "system/system.hpp"

#include <mixwell/base/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace mixwell::study {
namespace {

constexpr int tick_ms = 50;
constexpr std::size_t kept_words = 4000;
constexpr std::size_t shown_words = 400;
constexpr int lowest_own_descriptor = 10;  // above all descriptors that workers get

[[noreturn]] void fail(const std::string& what) {
  throw RunError(
      fmt::format("worker processes: {}: {}. Check the program and the limits on processes and "
                  "open files (ulimit -a).",
                  what, std::strerror(errno)));
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Descriptor moved_up(int number) {
  const Descriptor low(number);
  const int high = ::fcntl(number, F_DUPFD_CLOEXEC, lowest_own_descriptor);
  if (high < 0) fail("fcntl failed");
  return Descriptor(high);
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (open_pipe(ends) != 0) fail("pipe failed");
  return {moved_up(ends[0]), moved_up(ends[1])};
}

void set_nonblocking(const Descriptor& end) { ::fcntl(end.get(), F_SETFL, O_NONBLOCK); }

/// Descriptors for a new process: the number in this process, and the number in the new process.
using GivenDescriptors = std::vector<std::pair<int, int>>;

pid_t start(std::vector<std::string> words, const GivenDescriptors& given) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  for (const auto& [from, to] : given) posix_spawn_file_actions_adddup2(&actions, from, to);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = -1;
  errno = ::posix_spawn(&process, words.front().c_str(), &actions, nullptr, arguments.data(),
                        environment());
  posix_spawn_file_actions_destroy(&actions);
  if (errno != 0) fail("cannot start " + words.front());
  return process;
}

std::string death_text(int status) {
  if (WIFEXITED(status))
    return fmt::format("the worker process exited with code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return "the worker process was terminated by signal " + signal_text(signal) +
         (signal == SIGKILL ? ", which the system sends when memory runs out" : "");
}

/// The end of the standard error output of a process, on one line.
std::string last_words(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.empty()) return "";
  if (text.size() > shown_words) text.replace(0, text.size() - shown_words, "...");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return "; its last output: " + text;
}

class KnownTasks final : public Work {
 public:
  KnownTasks(std::vector<WorkItem> tasks, std::function<void(std::size_t, WorkerAnswer)> answered,
             std::function<void(std::size_t)> tick)
      : tasks_(std::move(tasks)), answered_(std::move(answered)), tick_(std::move(tick)) {}

  std::optional<WorkItem> next() override {
    return waits() ? std::optional(std::move(tasks_[next_++])) : std::nullopt;
  }
  bool waits() override { return next_ < tasks_.size(); }
  void answered(std::size_t id, WorkerAnswer answer) override { answered_(id, std::move(answer)); }
  void tick(std::size_t running) override { tick_(running); }

 private:
  std::vector<WorkItem> tasks_;
  std::size_t next_ = 0;
  std::function<void(std::size_t, WorkerAnswer)> answered_;
  std::function<void(std::size_t)> tick_;
};

}  // namespace

Work::~Work() = default;

struct WorkerPool::WorkerProcess {
  pid_t process = -1;
  Descriptor requests;
  Descriptor answers;
  Descriptor errors;
  std::string heard;
  std::string words;
  std::optional<std::size_t> task;
  Clock::time_point began;
  bool ready = false;
  std::string killed_because;
  bool given_up = false;

  /// Sends a task to the worker. Returns false if the worker is dead.
  bool ask(const WorkItem& what) {
    task = what.id;
    words.clear();
    began = Clock::now();
    return write_line(requests.get(), line_of(what.request));
  }

  /// Reads everything that is available. Returns false at the end of the stream.
  static bool drain(const Descriptor& from, std::string& to) {
    std::array<char, 1 << 16> bytes;
    for (;;) {
      const ssize_t n = ::read(from.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno == EAGAIN;
      if (n == 0) return false;
      to.append(bytes.data(), static_cast<std::size_t>(n));
    }
  }

  void hear_errors() {
    if (errors.get() < 0) return;
    if (!drain(errors, words)) errors.reset();
    if (words.size() > kept_words) words.erase(0, words.size() - kept_words);
  }

  /// Reads the first line of a worker. The line reports that the plugins are loaded, so the time of
  /// the first task starts now.
  void hear_greeting() {
    const std::size_t end = heard.find('\n');
    if (ready || end == std::string::npos) return;
    ready = true;
    began = Clock::now();
    heard.erase(0, end + 1);
  }

  void kill(int signal) const { ::kill(process, signal); }
};

WorkerPool::WorkerPool(PoolSettings settings) : settings_(std::move(settings)) {
  std::signal(SIGPIPE, SIG_IGN);  // listen() detects a dead worker by the end of the answer stream
}

WorkerPool::~WorkerPool() {
  for (const auto& worker : workers_) worker->kill(SIGKILL);
  for (const auto& worker : workers_) ::waitpid(worker->process, nullptr, 0);
}

std::size_t WorkerPool::running() const {
  return static_cast<std::size_t>(
      std::count_if(workers_.begin(), workers_.end(),
                    [](const auto& worker) { return worker->task.has_value(); }));
}

void WorkerPool::run(std::vector<WorkItem> tasks,
                     std::function<void(std::size_t, WorkerAnswer)> answered,
                     std::function<void(std::size_t)> tick) {
  KnownTasks work(std::move(tasks), std::move(answered), std::move(tick));
  run(work);
}

void WorkerPool::run(Work& work) {
  for (;;) {
    if (stopped()) {
      suspend_all();
    } else {
      feed(work);
    }
    if (running() == 0 && (stopped() || !work.waits())) return;
    listen();
    if (!stopped()) feed(work);
    // Give the workers their next tasks before handling the answers.
    for (auto& [id, answer] : std::exchange(answers_, {})) work.answered(id, std::move(answer));
    check_time();
    end_given_up(work);
    work.tick(running());
  }
}

void WorkerPool::feed(Work& work) {
  while (running() < static_cast<std::size_t>(settings_.jobs)) {
    const std::optional<WorkItem> task = work.next();
    if (!task) return;
    // If the worker died between two tasks, listen() reports the task as failed.
    idle_worker()->ask(*task);
  }
}

WorkerPool::WorkerProcess* WorkerPool::idle_worker() {
  for (const auto& worker : workers_) {
    if (!worker->task) return worker.get();
  }
  workers_.push_back(spawn());
  return workers_.back().get();
}

std::unique_ptr<WorkerPool::WorkerProcess> WorkerPool::spawn() const {
  Pipe requests = make_pipe();
  Pipe answers = make_pipe();
  Pipe errors = make_pipe();
  GivenDescriptors given = {{requests.read.get(), STDIN_FILENO},
                            {errors.write.get(), STDERR_FILENO},
                            {answers.write.get(), answer_descriptor}};
  if (settings_.lock >= 0) given.emplace_back(settings_.lock, answer_descriptor + 1);
  std::vector<std::string> words = {settings_.program, "worker"};
  if (settings_.memory) words.push_back(fmt::format("--memory={}", *settings_.memory));
  auto worker = std::make_unique<WorkerProcess>();
  worker->process = start(std::move(words), given);
  worker->requests = std::move(requests.write);
  worker->answers = std::move(answers.read);
  worker->errors = std::move(errors.read);
  set_nonblocking(worker->answers);
  set_nonblocking(worker->errors);
  return worker;
}

void WorkerPool::listen() {
  std::vector<pollfd> ends;
  for (const auto& worker : workers_) {
    ends.push_back({worker->answers.get(), POLLIN, 0});
    ends.push_back({worker->errors.get(), POLLIN, 0});
  }
  const int ready = ::poll(ends.data(), ends.size(), tick_ms);
  if (ready < 0 && errno != EINTR) fail("poll failed");
  std::vector<WorkerProcess*> dead;
  for (std::size_t k = 0; ready > 0 && k < workers_.size(); ++k) {
    WorkerProcess& worker = *workers_[k];
    if (ends[2 * k + 1].revents != 0) worker.hear_errors();
    if (ends[2 * k].revents == 0) continue;
    const bool alive = WorkerProcess::drain(worker.answers, worker.heard);
    worker.hear_greeting();
    const std::size_t end = worker.heard.find('\n');
    if (end != std::string::npos && worker.task) {
      answers_.emplace_back(*worker.task, answer_from(worker.heard.substr(0, end)));
      worker.heard.erase(0, end + 1);
      worker.task.reset();
    }
    if (!alive) dead.push_back(&worker);
  }
  for (WorkerProcess* const worker : dead) bury(*worker);
}

void WorkerPool::check_time() {
  if (!settings_.seconds) return;
  for (const auto& worker : workers_) {
    if (!worker->task || !worker->ready || !worker->killed_because.empty() ||
        seconds_since(worker->began) < *settings_.seconds)
      continue;
    worker->killed_because = fmt::format(
        "the task took longer than cell_seconds = {}, so Mixwell ended the task. Raise "
        "cell_seconds",
        *settings_.seconds);
    worker->kill(SIGKILL);
  }
}

void WorkerPool::end_given_up(Work& work) {
  for (const auto& worker : workers_) {
    if (!worker->task || worker->given_up || !work.gives_up(*worker->task)) continue;
    worker->given_up = true;
    worker->kill(SIGKILL);
  }
}

void WorkerPool::suspend_all() {
  if (suspending_) return;
  suspending_ = true;
  for (const auto& worker : workers_) {
    if (worker->task) worker->kill(SIGTERM);
  }
}

void WorkerPool::bury(WorkerProcess& worker) {
  int status = 0;
  ::waitpid(worker.process, &status, 0);
  worker.hear_errors();
  const std::optional<std::size_t> task = worker.task;
  const bool worker_given_up = worker.given_up;
  const std::string reason = worker.killed_because.empty()
                                 ? death_text(status) + last_words(worker.words)
                                 : worker.killed_because;
  std::erase_if(workers_, [&](const auto& one) { return one.get() == &worker; });
  if (!task) return;
  const bool asked_to_stop =
      worker_given_up || (suspending_ && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  const WorkerStatus ended = asked_to_stop ? WorkerStatus::suspended : WorkerStatus::failed;
  answers_.emplace_back(*task, WorkerAnswer{ended, reason, {}});
}

}  // namespace mixwell::study
