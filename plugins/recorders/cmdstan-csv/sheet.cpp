// Text of one chain, written at known places of its file.
// SPDX-License-Identifier: Apache-2.0
#include "sheet.hpp"

#include "../shared/disk.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace mixwell::cmdstan_csv {
namespace {

constexpr std::size_t copied_together = std::size_t{1} << 20;

}  // namespace

std::string name_of(const std::string& folder, std::int64_t id) {
  return folder + "/draws_" + std::to_string(id) + ".csv";
}

Sheet::Sheet(std::string name, bool resume, std::size_t buffer)
    : file_(std::move(name)), buffer_(buffer), kept_(resume) {
  if (resume) {
    std::error_code error;
    written_ = std::filesystem::file_size(file_, error);
    if (error) refuse(error.message());
    return;
  }
  const int file = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) fail("make the file");
  ::close(file);
}

Sheet::~Sheet() {
  if (!kept_) std::remove(file_.c_str());
}

void Sheet::append(std::string_view text) {
  pending_ += text;
  if (pending_.size() > buffer_) flush();
}

void Sheet::move_to(std::uint64_t size) {
  if (size > written_)
    refuse("it has " + std::to_string(written_) + " bytes, but the saved state has " +
           std::to_string(size));
  // Now, not with the next row: a checkpoint before that would take what is to go for its own.
  if (size < written_ && ::truncate(file_.c_str(), static_cast<off_t>(size)) != 0)
    fail("shorten the file");
  written_ = size;
}

std::string Sheet::opening_lines() const {
  std::ifstream in(file_, std::ios::binary);
  std::string lines;
  for (std::string line; std::getline(in, line);) {
    lines += line + "\n";
    if (line.empty() || line.front() != '#') return lines;
  }
  refuse("it ends before its first row");
}

void Sheet::flush() {
  if (pending_.empty()) return;
  put(written_, pending_, true);
  written_ += pending_.size();
  pending_.clear();
}

void Sheet::sync() {
  flush();
  pending_.shrink_to_fit();
  const int file = ::open(file_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) fail("open the file");
  const bool synced = force_to_disk(file) == 0;
  const int error = errno;
  ::close(file);
  errno = error;
  if (!synced) fail("force the file to disk");
}

void Sheet::append(Sheet& other) {
  other.flush();
  std::ifstream in(other.file_, std::ios::binary);
  std::string text;
  for (std::uint64_t done = 0; done < other.written_; done += text.size()) {
    text.resize(std::min<std::uint64_t>(copied_together, other.written_ - done));
    if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
      other.fail("read the file");
    append(text);
  }
}

void Sheet::patch(std::uint64_t at, std::string_view text) { put(at, text, false); }

void Sheet::commit_as(const std::string& name) {
  if (std::rename(file_.c_str(), name.c_str()) != 0) fail("rename the file");
  kept_ = true;
}

/// Writes text at a place; `last`: nothing may follow it.
void Sheet::put(std::uint64_t at, std::string_view text, bool last) const {
  const int file = ::open(file_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) fail("open the file");
  bool ok = !last || ::ftruncate(file, static_cast<off_t>(at)) == 0;
  while (ok && !text.empty()) {
    const ssize_t done = ::pwrite(file, text.data(), text.size(), static_cast<off_t>(at));
    ok = done >= 0;
    if (!ok) break;
    at += static_cast<std::uint64_t>(done);
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  const int error = errno;
  ::close(file);
  errno = error;
  if (!ok) fail("write the file");
}

void Sheet::refuse(const std::string& reason) const {
  throw InputError(disk::cannot_continue(file_, reason));
}

void Sheet::fail(const char* action) const {
  const int error = errno;
  throw RunError(file_ + ": cannot " + action + ": " + std::strerror(error) + "; " +
                 disk::cure(error));
}

void remove_from(const std::string& folder, std::int64_t id) {
  while (std::remove(name_of(folder, id).c_str()) == 0) ++id;
}

}  // namespace mixwell::cmdstan_csv
