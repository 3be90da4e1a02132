// Memory, processes, descriptors and file times, where operating systems differ.
// SPDX-License-Identifier: Apache-2.0
#include "system/system.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <thread>

#ifdef __linux__
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <crt_externs.h>
#include <mach/mach.h>
#include <sys/sysctl.h>
#endif

#ifndef __APPLE__
extern char** environ;
#endif

namespace mixwell {

#ifdef __linux__
namespace {

/// The number after `key` in a file of the Linux kernel, or its first number if `key` is empty.
std::optional<double> number_in(const std::string& file, std::string_view key = {}) {
  std::ifstream in(file);
  for (std::string word; !key.empty() && word != key && in >> word;) continue;
  double number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

/// The free memory of a control group. Cached files count as free, because the system drops them
/// when memory is needed.
std::optional<double> room_in(const std::string& folder, const char* limit, const char* used,
                              const char* files) {
  const auto most = number_in(folder + limit);
  const auto now = number_in(folder + used);
  if (!most || !now) return std::nullopt;
  return *most - *now + number_in(folder + "/memory.stat", files).value_or(0);
}

/// For one line of /proc/self/cgroup, "4:memory:/a/b": the least free memory of this group and of
/// all groups that contain it.
double room_in_groups(const std::string& line) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (second == std::string::npos) return std::numeric_limits<double>::infinity();
  const std::string controllers = line.substr(first + 1, second - first - 1);
  const bool unified = controllers.empty();
  double least = std::numeric_limits<double>::infinity();
  if (!unified && controllers != "memory") return least;
  const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
  for (std::string group = line.substr(second + 1);; group.resize(group.rfind('/'))) {
    while (group.ends_with('/')) group.pop_back();
    const auto room = unified ? room_in(root + group, "/memory.max", "/memory.current", "file")
                              : room_in(root + group, "/memory.limit_in_bytes",
                                        "/memory.usage_in_bytes", "total_cache");
    least = std::min(least, room.value_or(least));
    if (group.empty()) return least;
  }
}

std::string text_in(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

FreeMemory free_memory() {
  constexpr double kibibyte = 1024;
  const auto available = number_in("/proc/meminfo", "MemAvailable:");
  FreeMemory free{available ? *available * kibibyte : std::numeric_limits<double>::infinity()};
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const double room = room_in_groups(line);
    if (room < free.bytes) free = {std::max(room, 0.0), true};
  }
  return free;
}

std::string this_machine() {
  std::string boot = text_in("/proc/sys/kernel/random/boot_id");
  while (!boot.empty() && boot.back() == '\n') boot.pop_back();
  std::error_code none;
  return boot + " " + std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
}

/// In clock ticks since boot (field 22 of /proc/PID/stat).
std::string birth_of(std::int64_t process) {
  const std::string state = text_in(fmt::format("/proc/{}/stat", process));
  const std::size_t name_end = state.rfind(')');
  if (name_end == std::string::npos) return {};
  std::size_t from = name_end + 1;
  for (int field = 3; field < 22; ++field) from = state.find(' ', from + 1);
  return from == std::string::npos ? ""
                                   : state.substr(from + 1, state.find(' ', from + 1) - from - 1);
}

void end_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

void end_now(int code) noexcept {
  ::syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

void call_at_exit(void (*handler)(int code, void*)) { ::on_exit(handler, nullptr); }

int open_nameless_file(const char* label) { return ::memfd_create(label, MFD_CLOEXEC); }

int open_pipe(std::array<int, 2>& ends) { return ::pipe2(ends.data(), O_CLOEXEC); }

/// The pipe only has an entry among the descriptors of this process, or a symbolic link to that
/// entry.
bool is_nameless_pipe(const std::string& path) {
  std::error_code error;
  const std::string target = std::filesystem::read_symlink(path, error).string();
  if (error || target.starts_with("pipe:")) return !error;
  return is_nameless_pipe((std::filesystem::path(path).parent_path() / target).string());
}

#else

void end_with_parent() {
  std::thread([parent = ::getppid()] {
    while (::getppid() == parent) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(::getpid(), SIGKILL);
  }).detach();
}

/// The system's own function, even if the program defines a function of the same name. Found here,
/// because a signal handler must not call dlsym().
static auto* const system_exit = reinterpret_cast<void (*)(int)>(::dlsym(RTLD_NEXT, "_exit"));

void end_now(int code) noexcept {
  system_exit(code);
  __builtin_unreachable();
}

void call_at_exit(void (*handler)(int code, void*)) {
  static void (*last)(int, void*) = nullptr;
  last = handler;
  std::atexit([] { last(EXIT_FAILURE, nullptr); });
}

int open_nameless_file(const char*) {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) return -1;
  const int copy = ::fcntl(::fileno(file), F_DUPFD_CLOEXEC, 0);
  std::fclose(file);
  return copy;
}

/// A process that another thread starts between pipe() and fcntl() inherits the ends.
int open_pipe(std::array<int, 2>& ends) {
  if (::pipe(ends.data()) != 0) return -1;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  return 0;
}

bool is_nameless_pipe(const std::string& path) {
  return path.starts_with("/dev/fd/") || path == "/dev/stdin";
}

#endif

#ifdef __APPLE__

/// Inactive pages count as free, because the system reuses them when memory is needed.
FreeMemory free_memory() {
  vm_statistics64_data_t pages = {};
  mach_msg_type_number_t size = HOST_VM_INFO64_COUNT;
  if (::host_statistics64(::mach_host_self(), HOST_VM_INFO64,
                          reinterpret_cast<host_info64_t>(&pages), &size) != KERN_SUCCESS)
    return {std::numeric_limits<double>::infinity()};
  return {static_cast<double>(std::uint64_t{pages.free_count} + pages.inactive_count) *
          static_cast<double>(vm_kernel_page_size)};
}

/// macOS has no PID namespaces.
std::string this_machine() {
  std::array<char, 64> boot = {};
  std::size_t size = boot.size() - 1;
  const bool known = ::sysctlbyname("kern.bootsessionuuid", boot.data(), &size, nullptr, 0) == 0;
  return known ? boot.data() : "";
}

/// In seconds since 1970.
std::string birth_of(std::int64_t process) {
  std::array<int, 4> name = {CTL_KERN, KERN_PROC, KERN_PROC_PID, static_cast<int>(process)};
  kinfo_proc found = {};
  std::size_t size = sizeof(found);
  if (::sysctl(name.data(), name.size(), &found, &size, nullptr, 0) != 0 || size == 0) return {};
  const timeval start = found.kp_proc.p_starttime;
  return fmt::format("{}.{:06}", start.tv_sec, start.tv_usec);
}

void call_at_quick_exit(void (*)()) {}

char** environment() noexcept { return *::_NSGetEnviron(); }

#else

void call_at_quick_exit(void (*handler)()) { std::at_quick_exit(handler); }

char** environment() noexcept { return ::environ; }

#endif

#if !defined(__linux__) && !defined(__APPLE__)
FreeMemory free_memory() { return {std::numeric_limits<double>::infinity()}; }
std::string this_machine() { return {}; }
std::string birth_of(std::int64_t) { return {}; }
#endif

std::string signal_text(int signal) {
  std::string name = "?";
#ifdef __linux__
  if (const char* const known = ::sigabbrev_np(signal)) name = known;
#elif defined(__APPLE__)
  if (signal > 0 && signal < NSIG) name = ::sys_signame[signal];
  for (char& letter : name) letter = static_cast<char>(std::toupper(letter));
#endif
  return fmt::format("{} (SIG{})", ::strsignal(signal), name);
}

}  // namespace mixwell
