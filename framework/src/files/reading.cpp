// Reads regular files and shell pipes, and refuses files on which a read could wait forever.
// SPDX-License-Identifier: Apache-2.0
#include "files/reading.hpp"

#include "base/shortened.hpp"
#include "system/system.hpp"

#include <mixwell/base/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace mixwell {
namespace {

constexpr std::size_t most_piped = std::size_t{16} << 20;
constexpr int patience_milliseconds = 5000;

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "it is a device";
  if (S_ISFIFO(mode)) return "it is a pipe";
  if (S_ISSOCK(mode)) return "it is a socket";
  return {};
}

/// Copies the contents of a pipe into a file in memory.
class PipeCopy {
 public:
  explicit PipeCopy(int pipe) : pipe_(pipe) {}

  /// Returns the copy, positioned at its start. On failure, sets `fault` to the reason.
  Descriptor make(std::string& fault) {
    Descriptor copy(open_nameless_file("piped"));
    if (!copy.is_open()) fault = std::strerror(errno);
    std::size_t total = 0;
    for (std::string_view bytes; fault.empty() && !(bytes = next(fault)).empty();) {
      total += bytes.size();
      if (total > most_piped)
        fault = fmt::format("the data from the pipe exceed the limit of {} bytes", most_piped);
      append(bytes, copy.get(), fault);
    }
    if (fault.empty() && ::lseek(copy.get(), 0, SEEK_SET) != 0) fault = std::strerror(errno);
    return copy;
  }

 private:
  /// Returns the next bytes. Returns nothing at the end of the pipe and on failure. On failure,
  /// sets `fault` to the reason.
  std::string_view next(std::string& fault) {
    pollfd wanted = {pipe_, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, patience_milliseconds);
    if (ready == 0) {
      fault = fmt::format("no data arrived from the pipe for {} s", patience_milliseconds / 1000);
      return {};
    }
    const ssize_t count = ::read(pipe_, bytes_.data(), bytes_.size());
    if (count < 0) fault = std::strerror(errno);
    return {bytes_.data(), static_cast<std::size_t>(count < 0 ? 0 : count)};
  }

  static void append(std::string_view bytes, int copy, std::string& fault) {
    if (!fault.empty()) return;
    if (::write(copy, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      fault = std::strerror(errno);
  }

  int pipe_;
  std::array<char, 1 << 16> bytes_{};
};

std::string fault_of(const std::string& path, bool pipes_too) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return std::strerror(errno);
  if (pipes_too && S_ISFIFO(found.st_mode) && is_nameless_pipe(path)) return {};
  return kind_of(found.st_mode);
}

}  // namespace

Descriptor open_to_read(const std::string& path, const std::string& what, const std::string& cure) {
  std::string fault = fault_of(path, true);
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Descriptor file(fault.empty() ? ::open(path.c_str(), flags) : -1);
  if (fault.empty() && !file.is_open()) fault = std::strerror(errno);
  struct stat opened = {};
  if (fault.empty() && ::fstat(file.get(), &opened) == 0 && S_ISFIFO(opened.st_mode))
    file = PipeCopy(file.get()).make(fault);
  if (fault.empty()) return file;
  throw InputError(fmt::format("{}: {} cannot be read: {}{}{}", shortened(path, 300), what, fault,
                               cure.empty() ? ". Check the path and the permissions" : "; ", cure));
}

std::string read_text_file(const std::string& path, const std::string& what,
                           const std::string& cure, std::size_t most_bytes) {
  const Descriptor file = open_to_read(path, "the " + what, cure);
  std::string text;
  std::array<char, 1 << 16> bytes;
  for (ssize_t count = 0; (count = ::read(file.get(), bytes.data(), bytes.size())) > 0;) {
    text.append(bytes.data(), static_cast<std::size_t>(count));
    if (text.size() <= most_bytes) continue;
    throw InputError(fmt::format(
        "{}: the {} is larger than the limit of {} bytes. Check that this is the right file", path,
        what, most_bytes));
  }
  return text;
}

std::string why_no_file(const std::string& path) { return fault_of(path, false); }

}  // namespace mixwell
