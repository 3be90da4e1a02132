// A library to preload (LD_PRELOAD) that counts what a program does to the files of one folder, and
// kills it, fails it or wrongs it at one of these events. torture.py sets its environment.
// SPDX-License-Identifier: Apache-2.0
//
// MIXWELL_TORTURE_FOLDER  real path; only what lies in it counts
// MIXWELL_TORTURE_EVENTS  a file to which each event adds a line `KIND PATH`; the processes that
//                         share it count together
// MIXWELL_TORTURE_AT      number of the event, from 1; 0 = none
// MIXWELL_TORTURE_ACTION  one of these words, or nothing:
//   kill  SIGKILL to the process group, before the event
//   die   SIGKILL to the process alone, before the event
//   full  from that event on the disk is full (only removing works)
//   eio   that event fails with EIO
//   flip  from that event on, long writes of draws have a bit turned
//   drop  from that event on, renames to run.json are said to be done, and are not
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

enum class Event { write, make, rename, sync, remove };
enum class Action { none, kill, die, full, eio, flip, drop };

std::string_view name_of(Event event) {
  constexpr std::array<std::string_view, 5> names = {"write", "make", "rename", "sync", "remove"};
  return names[static_cast<std::size_t>(event)];
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Action action_of(const std::string& word) {
  constexpr std::array<std::string_view, 7> words = {"",    "kill", "die", "full",
                                                     "eio", "flip", "drop"};
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == word) return static_cast<Action>(k);
  }
  std::abort();
}

struct Settings {
  std::string folder = variable("MIXWELL_TORTURE_FOLDER");
  std::string events = variable("MIXWELL_TORTURE_EVENTS");
  long at = std::atol(variable("MIXWELL_TORTURE_AT").c_str());
  Action action = action_of(variable("MIXWELL_TORTURE_ACTION"));
};

const Settings& settings() {
  static const Settings from_environment;
  return from_environment;
}

bool in_folder(std::string_view path) {
  const std::string& folder = settings().folder;
  return !folder.empty() && path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string path_of(int file) {
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  std::array<char, PATH_MAX> path{};
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(size < 0 ? 0 : size)};
}

std::string path_of(int folder, const char* name) {
  if (name[0] == '/') return name;
  std::array<char, PATH_MAX> here{};
  const bool at_hand = folder == AT_FDCWD && ::getcwd(here.data(), here.size()) != nullptr;
  return (at_hand ? std::string(here.data()) : path_of(folder)) + "/" + name;
}

/// Adds a line to the common file and returns its number. Every line has the same length, so that
/// the place at which the system put it is its number: no process waits for another.
long number_of(Event event, const std::string& path) {
  constexpr std::size_t length = 160;
  const std::string shown = path.substr(settings().folder.size());
  std::string line(name_of(event));
  line += " " + shown.substr(0, length - line.size() - 2);
  line.resize(length - 1, ' ');
  line += '\n';
  const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, settings().events.c_str(),
                                             O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (file < 0 || syscall(SYS_write, file, line.data(), line.size()) != long{length}) std::abort();
  const long end = syscall(SYS_lseek, file, 0L, SEEK_CUR);
  syscall(SYS_close, file);
  return end / long{length};
}

/// What to do with an event: go on, say that it failed (errno is set), or do it wrong.
enum class Course { on, failed, wrong };

Course course_at(long number, Event event) {
  const long at = settings().at;
  if (at == 0 || number < at) return Course::on;
  switch (settings().action) {
    case Action::kill:
      if (number == at) syscall(SYS_kill, 0, SIGKILL);
      return Course::on;
    case Action::die:
      if (number == at) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
      return Course::on;
    case Action::full:
      errno = ENOSPC;
      return event == Event::remove ? Course::on : Course::failed;
    case Action::eio:
      errno = EIO;
      return number == at ? Course::failed : Course::on;
    case Action::flip:
      return event == Event::write ? Course::wrong : Course::on;
    case Action::drop:
      return event == Event::rename ? Course::wrong : Course::on;
    case Action::none:
      break;
  }
  return Course::on;
}

Course course_of(Event event, const std::string& path) {
  if (!in_folder(path)) return Course::on;
  const int before = errno;
  const long number = number_of(event, path);
  errno = before;
  return course_at(number, event);
}

/// Draws are long writes into a NetCDF file: the lowest bit of the last number is turned.
std::vector<char> flipped(const std::string& path, const void* bytes, std::size_t size) {
  const char* const begin = static_cast<const char*>(bytes);
  std::vector<char> copy(begin, begin + size);
  const bool has_numbers = path.find("draws.nc") != std::string::npos && size >= 256;
  if (has_numbers) copy[size - 8] = static_cast<char>(copy[size - 8] ^ 1);
  return copy;
}

template <class Write>
ssize_t write_to(int file, const void* bytes, std::size_t size, Write really) {
  const std::string path = path_of(file);
  const Course course = course_of(Event::write, path);
  if (course == Course::failed) return -1;
  if (course == Course::on) return really(bytes);
  return really(flipped(path, bytes, size).data());
}

template <class Call>
auto unless_failed(Event event, const std::string& path, Call call) {
  return course_of(event, path) == Course::failed ? decltype(call())(-1) : call();
}

int open_at(int folder, const char* name, int flags, mode_t mode) {
  const auto really = [&] {
    return static_cast<int>(syscall(SYS_openat, folder, name, flags, mode));
  };
  if ((flags & (O_CREAT | O_TRUNC)) == 0) return really();
  return unless_failed(Event::make, path_of(folder, name), really);
}

int rename_at(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  const std::string path = path_of(to_folder, to);
  const Course course = course_of(Event::rename, path);
  if (course == Course::failed) return -1;
  if (course == Course::wrong && path.ends_with("/run.json")) return 0;
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int unlink_at(int folder, const char* name, int flags) {
  return unless_failed(Event::remove, path_of(folder, name), [&] {
    return static_cast<int>(syscall(SYS_unlinkat, folder, name, flags));
  });
}

int truncate_to(int file, off_t size) {
  return unless_failed(Event::write, path_of(file),
                       [&] { return static_cast<int>(syscall(SYS_ftruncate, file, size)); });
}

int sync_by(long call, int file) {
  return unless_failed(Event::sync, path_of(file),
                       [&] { return static_cast<int>(syscall(call, file)); });
}

mode_t mode_in(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

using Open = FILE* (*)(const char*, const char*);

FILE* open_stream(const char* function, const char* name, const char* mode) {
  const auto really = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, function));
  const bool makes = std::strpbrk(mode, "wa") != nullptr;
  const bool fails = makes && course_of(Event::make, path_of(AT_FDCWD, name)) == Course::failed;
  return fails ? nullptr : really(name, mode);
}

}  // namespace

// The C library's functions. Its headers would check the arguments of those defined here.
#define SHOWN __attribute__((visibility("default")))
extern "C" {
SHOWN ssize_t write(int file, const void* bytes, std::size_t size) {
  return write_to(file, bytes, size,
                  [&](const void* from) { return syscall(SYS_write, file, from, size); });
}
SHOWN ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t place) {
  return write_to(file, bytes, size,
                  [&](const void* from) { return syscall(SYS_pwrite64, file, from, size, place); });
}
SHOWN ssize_t pwrite64(int file, const void* bytes, std::size_t size, off_t place) {
  return pwrite(file, bytes, size, place);
}
SHOWN ssize_t writev(int file, const iovec* parts, int count) {
  return unless_failed(Event::write, path_of(file),
                       [&] { return syscall(SYS_writev, file, parts, count); });
}
SHOWN ssize_t sendfile(int to, int from, off_t* offset, std::size_t size) {
  return unless_failed(Event::write, path_of(to),
                       [&] { return syscall(SYS_sendfile, to, from, offset, size); });
}
SHOWN ssize_t sendfile64(int to, int from, off_t* offset, std::size_t size) {
  return sendfile(to, from, offset, size);
}
SHOWN int ftruncate(int file, off_t size) noexcept { return truncate_to(file, size); }
SHOWN int ftruncate64(int file, off_t size) noexcept { return truncate_to(file, size); }
SHOWN int fsync(int file) { return sync_by(SYS_fsync, file); }
SHOWN int fdatasync(int file) { return sync_by(SYS_fdatasync, file); }

SHOWN int open(const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return open_at(AT_FDCWD, name, flags, mode);
}
SHOWN int open64(const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return open_at(AT_FDCWD, name, flags, mode);
}
SHOWN int openat(int folder, const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return open_at(folder, name, flags, mode);
}
SHOWN int openat64(int folder, const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return open_at(folder, name, flags, mode);
}
SHOWN int creat(const char* name, mode_t mode) {
  return open_at(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
SHOWN FILE* fopen(const char* name, const char* mode) { return open_stream("fopen", name, mode); }
SHOWN FILE* fopen64(const char* name, const char* mode) {
  return open_stream("fopen64", name, mode);
}

SHOWN int rename(const char* from, const char* to) noexcept {
  return rename_at(AT_FDCWD, from, AT_FDCWD, to, 0);
}
SHOWN int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return rename_at(from_folder, from, to_folder, to, 0);
}
SHOWN int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                    unsigned flags) noexcept {
  return rename_at(from_folder, from, to_folder, to, flags);
}

SHOWN int unlink(const char* name) noexcept { return unlink_at(AT_FDCWD, name, 0); }
SHOWN int unlinkat(int folder, const char* name, int flags) noexcept {
  return unlink_at(folder, name, flags);
}
SHOWN int rmdir(const char* name) noexcept { return unlink_at(AT_FDCWD, name, AT_REMOVEDIR); }
SHOWN int remove(const char* name) noexcept {
  const int done = unlink_at(AT_FDCWD, name, 0);
  return done == 0 || errno != EISDIR ? done : unlink_at(AT_FDCWD, name, AT_REMOVEDIR);
}

SHOWN int mkdir(const char* name, mode_t mode) noexcept {
  return unless_failed(Event::make, path_of(AT_FDCWD, name), [&] {
    return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, name, mode));
  });
}
}
