// Writing a file so that it is whole under its name, or not there.
// SPDX-License-Identifier: Apache-2.0
#include "files/whole_file.hpp"

#include <mixwell/durable.hpp>
#include <mixwell/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace mixwell {
namespace {

class FileToWrite {
 public:
  explicit FileToWrite(std::string path)
      : path_(std::move(path)),
        handle_(::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644)) {
    if (handle_ < 0) fail("opened");
  }
  ~FileToWrite() {
    if (handle_ >= 0) ::close(handle_);
  }
  FileToWrite(const FileToWrite&) = delete;
  FileToWrite& operator=(const FileToWrite&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::write(handle_, text.data(), text.size());
      if (n < 0) fail("written");
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    if (force_to_disk(handle_) != 0) fail("flushed");
  }

 private:
  [[noreturn]] void fail(const char* what) {
    const int error = errno;
    if (handle_ >= 0) ::close(handle_);
    handle_ = -1;
    ::unlink(path_.c_str());
    throw RunError(fmt::format(
        "`{}` could not be {}: {}; free some space or lift the limit, or write elsewhere (--out)",
        path_, what, std::strerror(error)));
  }

  std::string path_;
  int handle_;
};

}  // namespace

void write_whole_file(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".partial";
  FileToWrite(temporary).write(text);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    throw RunError(fmt::format("`{}` could not be renamed: {}", temporary, std::strerror(errno)));
  }
}

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  force_to_disk(descriptor);
  ::close(descriptor);
}

}  // namespace mixwell
