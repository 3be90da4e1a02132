// Claims: how processes on one or more machines divide the cells of a study among themselves.
// SPDX-License-Identifier: Apache-2.0
#include "study/claims.hpp"

#include "base/host.hpp"
#include "files/json.hpp"
#include "files/whole_file.hpp"
#include "system/system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The job of the batch system that started this process. "" if no batch system started it.
std::string job_of_this_process() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string array = variable("SLURM_ARRAY_JOB_ID");
  if (!array.empty()) return array + "_" + variable("SLURM_ARRAY_TASK_ID");
  return variable("SLURM_JOB_ID");
}

std::string words_of_this_process() {
  return json_text(Json{{"host", host_name()},
                        {"process", ::getpid()},
                        {"birth", birth_of(::getpid())},
                        {"machine", this_machine()},
                        {"job", job_of_this_process()},
                        {"since", timestamp()}}) +
         "\n";
}

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double own_seconds() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

/// One value of a claim, or `none` if the claim does not have this value.
template <class T>
T word_of(const Json& words, const char* key, T none) {
  try {
    return words.at(key).get<T>();
  } catch (const Json::exception&) {
    return none;
  }
}

std::string text_of(const Json& words, const char* key) {
  return word_of<std::string>(words, key, "");
}
std::int64_t process_of(const Json& words) { return word_of<std::int64_t>(words, "process", 0); }

void remove(const std::string& path) { ::unlink(path.c_str()); }

std::string name_of(std::int64_t process, const std::string& host, const std::string& job) {
  return process_on(process, host) + (job.empty() ? "" : " (job " + job + ")");
}

}  // namespace

std::string claimant() { return name_of(::getpid(), host_name(), job_of_this_process()); }

/// A claim as found in the file system.
struct Claims::FoundClaim {
  std::string path;
  std::int64_t number = 0;
  double touched = 0.0;
  Json words;

  /// Reads a claim. Nothing if the claim is gone. Opens the file, because NFS returns a current
  /// time only for an open file.
  static std::optional<FoundClaim> at(const std::string& path, std::int64_t number) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) return std::nullopt;
    struct stat state = {};
    std::array<char, 4096> text{};
    const bool known = ::fstat(descriptor, &state) == 0;
    const ssize_t size = ::read(descriptor, text.data(), text.size());
    ::close(descriptor);
    if (!known || size < 0) return std::nullopt;
    const std::string read(text.data(), static_cast<std::size_t>(size));
    return FoundClaim{path, number, seconds(contents_changed(state)), parse_json_or_discard(read)};
  }

  static std::vector<FoundClaim> all_in(const std::string& folder) {
    std::vector<FoundClaim> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      const std::string name = entry.path().filename().string();
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
      if (error != std::errc() || end != name.data() + name.size()) continue;
      if (auto one = at(entry.path().string(), number)) found.push_back(std::move(*one));
    }
    return found;
  }
};

Claims::Claims(std::string folder, double dead_after)
    : folder_(std::move(folder)), dead_after_(dead_after) {}

Claims::~Claims() {
  if (heart_.joinable()) {
    heart_.request_stop();
    wake_.notify_all();
    heart_.join();
  }
  const auto held = held_;
  for (const auto& [name, path] : held) release(name);
}

double Claims::now() const { return own_seconds() + clock_offset_.value_or(0.0); }

/// Creates a file with the data of this process and returns its path. The time of the file shows
/// the clock of the file system. Returns "" if another process has removed the folder since make().
std::string Claims::write_own(const std::string& folder) {
  const std::string path = fmt::format("{}/.{}-{}", folder, host_name(), ::getpid());
  static const std::string words = words_of_this_process();
  remove(path);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0 && errno == ENOENT) return {};  // another process has removed the folder
  if (descriptor < 0) throw WriteError(path, errno);
  const ssize_t size = ::write(descriptor, words.data(), words.size());
  int error = size == static_cast<ssize_t>(words.size()) ? 0 : size < 0 ? errno : ENOSPC;
  struct stat state = {};
  if (::close(descriptor) != 0 && error == 0) error = errno;  // NFS reports a full disk on close
  if (error == 0 && ::stat(path.c_str(), &state) != 0) error = errno;
  if (error != 0) {
    remove(path);
    throw WriteError(path, error);
  }
  clock_offset_ = seconds(contents_changed(state)) - own_seconds();
  return path;
}

bool Claims::is_alive(const FoundClaim& found) const {
  if (now() - found.touched > dead_after_) return false;
  static const std::string machine = this_machine();
  if (machine.empty() || text_of(found.words, "machine") != machine) return true;
  return birth_of(process_of(found.words)) == text_of(found.words, "birth");
}

/// Creates the folder of a claim. An existing folder is no error, because other processes may
/// create and remove the folder at the same time.
void Claims::make(const std::string& folder) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw WriteError(folder_, error.value());
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) throw WriteError(folder, errno);
}

bool Claims::take(const std::string& name) {
  const std::string folder = folder_of(name);
  if (clock_offset_ && holder(name)) return false;
  make(folder);
  const std::string own = write_own(folder);
  if (own.empty()) return false;
  const auto not_taken = [&own] {
    remove(own);
    return false;
  };
  const std::vector<FoundClaim> before = FoundClaim::all_in(folder);
  std::int64_t number = 1;
  for (const FoundClaim& other : before) {
    if (is_alive(other)) return not_taken();
    number = std::max(number, other.number + 1);
  }
  const std::string path = fmt::format("{}/{}", folder, number);
  // The NFS server may have made the link although its answer was lost. A link count of 2 shows
  // that the link exists.
  struct stat linked = {};
  if (::link(own.c_str(), path.c_str()) != 0 &&
      (::stat(own.c_str(), &linked) != 0 || linked.st_nlink != 2))
    return not_taken();
  remove(own);
  for (const FoundClaim& other : FoundClaim::all_in(folder)) {
    if (other.number == number || !is_alive(other)) continue;
    remove(path);
    return false;
  }
  for (const FoundClaim& dead : before) remove(dead.path);
  hold(name, path);
  return true;
}

std::optional<std::string> Claims::holder(const std::string& name) {
  for (const FoundClaim& found : FoundClaim::all_in(folder_of(name))) {
    if (!is_alive(found)) continue;
    return name_of(process_of(found.words), text_of(found.words, "host"),
                   text_of(found.words, "job"));
  }
  return std::nullopt;
}

std::map<std::string, Claims::ClaimedWork> Claims::at_work() const {
  std::map<std::string, ClaimedWork> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_, none)) {
    for (const FoundClaim& claim : FoundClaim::all_in(entry.path().string())) {
      if (is_alive(claim))
        found[entry.path().filename().string()] = {text_of(claim.words, "since"), claim.number};
    }
  }
  return found;
}

std::int64_t Claims::number(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(name);
  return found == held_.end() ? 1 : std::stoll(fs::path(found->second).filename().string());
}

bool Claims::is_quiet(const std::string& name) {
  const std::vector<FoundClaim> all = FoundClaim::all_in(folder_of(name));
  return std::all_of(all.begin(), all.end(), [this](const FoundClaim& found) {
    return !is_alive(found) || now() - found.touched > 2.5 * dead_after_ / beats;
  });
}

void Claims::hold(const std::string& name, const std::string& path) {
  const std::lock_guard lock(mutex_);
  held_[name] = path;
  lost_.erase(name);
  if (!heart_.joinable())
    heart_ = std::jthread([this](const std::stop_token& stop) { keep_alive(stop); });
}

void Claims::release(const std::string& name) {
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    lost_.erase(name);
    const auto found = held_.find(name);
    if (found == held_.end()) return;
    path = found->second;
    held_.erase(found);
  }
  remove(path);
  ::rmdir(folder_of(name).c_str());
}

bool Claims::is_lost(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return lost_.contains(name);
}

void Claims::keep_alive(const std::stop_token& stop) {
  const auto pause = std::chrono::duration<double>(dead_after_ / beats);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, pause, [] { return false; });
    if (!stop.stop_requested()) touch_all();
  }
}

/// The caller must hold the lock. If a file is gone, another process has taken over the claim.
void Claims::touch_all() {
  std::erase_if(held_, [this](const auto& one) {
    const bool gone =
        ::utimensat(AT_FDCWD, one.second.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) != 0 &&
        (errno == ENOENT || errno == ESTALE);
    if (gone) lost_.insert(one.first);
    return gone;
  });
}

}  // namespace mixwell::study
