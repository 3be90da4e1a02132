// Writes files atomically: a file never appears under its name before it is complete.
// SPDX-License-Identifier: Apache-2.0
#include "files/whole_file.hpp"

#include "base/host.hpp"

#include <mixwell/files/files.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace mixwell {
namespace {

bool is_no_room(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

std::string message_of(const std::string& path, int error) {
  return fmt::format(
      "`{}` could not be written: {}. {}, or write elsewhere (--out)", path, std::strerror(error),
      is_no_room(error) ? "Free some disk space, or raise the disk quota or the file size limit"
                        : "Check the folder, its permissions and its disk");
}

}  // namespace

WriteError::WriteError(const std::string& path, int error)
    : RunError(message_of(path, error)), full_(is_no_room(error)) {}
WriteError::~WriteError() = default;

UnfinishedFile::UnfinishedFile(std::string name, std::string temporary)
    : name_(std::move(name)),
      temporary_(std::move(temporary)),
      handle_(
          ::open(temporary_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644)) {
  if (!handle_.is_open()) fail();
}

UnfinishedFile::~UnfinishedFile() {
  if (!is_named_) ::unlink(temporary_.c_str());
}

void UnfinishedFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(handle_.get(), text.data(), text.size());
    if (n < 0) fail();
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void UnfinishedFile::close(Flush flush) {
  if (flush == Flush::to_disk && force_to_disk(handle_.get()) != 0) fail();
  if (::close(handle_.release()) != 0) fail();
}

void UnfinishedFile::give_name() {
  if (std::rename(temporary_.c_str(), name_.c_str()) != 0) fail();
  is_named_ = true;
}

void UnfinishedFile::fail() const { throw WriteError(name_, errno); }

namespace {

constexpr std::string_view shared_mark = ".partial-";

/// Whether a file has a name like NAME.partial-HOST-PROCESS, and the process that wrote the file
/// has ended. Files of another machine must be more than an hour old.
bool is_abandoned(const std::filesystem::directory_entry& entry) {
  constexpr auto patience = std::chrono::hours(1);
  const std::string name = entry.path().filename().string();
  const std::size_t mark = name.rfind(shared_mark);
  if (mark == std::string::npos) return false;
  const std::string writer = name.substr(mark + shared_mark.size());
  const std::size_t end = writer.rfind('-');
  if (end == std::string::npos) return false;
  if (writer.substr(0, end) == host_name()) {
    const int process = std::atoi(writer.c_str() + end + 1);
    return process <= 0 || (::kill(process, 0) != 0 && errno == ESRCH);
  }
  return std::filesystem::file_time_type::clock::now() - entry.last_write_time() > patience;
}

void write_under(const std::string& path, const std::string& temporary, std::string_view text,
                 Flush flush) {
  UnfinishedFile file(path, temporary);
  file.write(text);
  file.close(flush);
  file.give_name();
}

}  // namespace

void write_whole_file(const std::string& path, std::string_view text, Flush flush) {
  write_under(path, path + ".partial", text, flush);
}

void write_shared_file(const std::string& path, std::string_view text, Flush flush) {
  write_under(path, fmt::format("{}{}{}-{}", path, shared_mark, host_name(), ::getpid()), text,
              flush);
}

void remove_abandoned(const std::string& folder) noexcept {
  try {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (is_abandoned(entry)) ::unlink(entry.path().c_str());
    }
  } catch (const std::filesystem::filesystem_error&) {
    return;  // a missing folder has nothing to remove
  }
}

void sync_folder(const std::string& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.is_open()) force_to_disk(file.get());
}

}  // namespace mixwell
