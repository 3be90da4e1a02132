// Memory, processes, descriptors, file times and libraries, where operating systems differ.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

// Exported as by MIXWELL_INTERNAL, which belongs to a layer above this one.
#pragma GCC visibility push(default)
namespace mixwell {

struct FreeMemory {
  double bytes = 0;       ///< infinite if the system does not say it
  bool in_group = false;  ///< whether a control group has less free memory than the machine
};

/// The memory that this process can still allocate.
FreeMemory free_memory();

/// Identifies the boot of the machine and the PID namespace. Process numbers are unique within one
/// boot and namespace. "" if the system does not identify its boots.
std::string this_machine();

/// Start time of a process in the system's own unit. "" if there is no such process, or if the
/// system does not say it. A process number may be reused, but not with the same start time.
std::string birth_of(std::int64_t process);

/// Kills this process when its parent ends.
void end_with_parent();

/// Ends the process without calling exit handlers and without waiting for other threads, also in a
/// program that defines `_exit` itself.
[[noreturn]] void end_now(int code) noexcept;

/// Registers a handler for exit(). It runs before the handlers that were registered earlier. On
/// systems other than Linux, its first argument is always EXIT_FAILURE, and the last handler
/// replaces earlier ones.
void call_at_exit(void (*handler)(int code, void*));

/// Registers a handler for quick_exit(). Does nothing on macOS, whose older versions lack
/// quick_exit().
void call_at_quick_exit(void (*handler)());

/// "Segmentation fault (SIGSEGV)".
std::string signal_text(int signal);

/// The environment variables of this process, for posix_spawn().
char** environment() noexcept;

/// A descriptor of an empty file without a name, which is closed on exec. `label`: the name in the
/// system's list of open files. On failure, returns -1 and sets errno.
int open_nameless_file(const char* label);

/// A pipe whose two ends are closed on exec. On failure, returns -1 and sets errno.
int open_pipe(std::array<int, 2>& ends);

/// Whether the path of a pipe is one that a shell makes for `<(...)` or `|`.
bool is_nameless_pipe(const std::string& path);

/// The times when the contents of a file last changed, and when anything about it last changed.
#ifdef __APPLE__
inline timespec contents_changed(const struct stat& file) { return file.st_mtimespec; }
inline timespec status_changed(const struct stat& file) { return file.st_ctimespec; }
#else
inline timespec contents_changed(const struct stat& file) { return file.st_mtim; }
inline timespec status_changed(const struct stat& file) { return file.st_ctim; }
#endif

/// A path to the file of the library or program that contains `object`, which must be static. ""
/// if the system does not know it.
std::string path_to_code(const void* object);

/// The bytes of a section of a library in this system's format, or nothing if the library does not
/// have the section. Loads nothing, and checks every offset. Throws std::runtime_error with the
/// reason why the file is not a library, such as "the file is truncated or damaged".
std::string section_of_library(std::istream& file, std::string_view name);

/// The same for a 64-bit little-endian Mach-O file. `name`: segment and section, such as
/// "__TEXT,__cstring".
std::string section_in_mach_o(std::istream& file, std::string_view name);

}  // namespace mixwell
#pragma GCC visibility pop
