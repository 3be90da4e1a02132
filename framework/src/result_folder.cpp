// The folder of one run's results.
// SPDX-License-Identifier: Apache-2.0
#include "result_folder.hpp"

#include <mixwell/durable.hpp>
#include <mixwell/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace mixwell {
namespace fs = std::filesystem;
namespace {

void check_reusable(const std::string& path, bool force) {
  if (!fs::is_directory(path)) {
    throw InputError(fmt::format(
        "results folder `{}`: a file of that name is there; choose another with --out", path));
  }
  if (fs::is_empty(path)) return;
  if (!force) {
    throw InputError(fmt::format(
        "results folder `{}` is not empty; choose another with --out, or replace it with --force",
        path));
  }
  if (!fs::exists(fs::path(path) / "run.json") &&
      !fs::exists(fs::path(path) / "draws.nc.partial")) {
    throw InputError(
        fmt::format("results folder `{}` holds files but no run.json: it is no earlier "
                    "run, so --force does not touch it; choose another with --out",
                    path));
  }
}

void check_writable(const std::string& path) {
  const std::string probe = path + "/.mixwell-probe";
  const int file = ::open(probe.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) {
    throw InputError(
        fmt::format("results folder `{}` cannot be written: {}; choose another with --out", path,
                    std::strerror(errno)));
  }
  ::close(file);
  ::unlink(probe.c_str());
}

class File {
 public:
  explicit File(const std::string& path)
      : path_(path), handle_(::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644)) {
    if (handle_ < 0) fail("opened");
  }
  ~File() {
    if (handle_ >= 0) ::close(handle_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::write(handle_, text.data() + done, text.size() - done);
      if (n < 0) fail("written");
      done += static_cast<std::size_t>(n);
    }
    if (force_to_disk(handle_) != 0) fail("flushed");
  }

 private:
  [[noreturn]] void fail(const char* what) {
    const int error = errno;
    if (handle_ >= 0) ::close(handle_);
    handle_ = -1;
    ::unlink(path_.c_str());
    throw RunError(fmt::format("`{}` could not be {}: {}", path_, what, std::strerror(error)));
  }

  std::string path_;
  int handle_;
};

}  // namespace

ResultFolder::ResultFolder(const std::string& path, bool force) : path_(path) {
  std::error_code error;
  if (fs::exists(path, error)) {
    check_reusable(path, force);
  } else {
    created_ = fs::create_directories(path, error);
    if (error) {
      throw InputError(
          fmt::format("results folder `{}` cannot be made: {}; choose another with --out", path,
                      error.message()));
    }
  }
  check_writable(path);
}

ResultFolder::~ResultFolder() {
  std::error_code ignored;
  if (!keep_ && created_ && fs::is_empty(path_, ignored)) fs::remove(path_, ignored);
}

void ResultFolder::write(const std::string& name, const std::string& text) const {
  const std::string final_name = path_ + "/" + name;
  const std::string temporary = final_name + ".partial";
  File(temporary).write(text);
  if (::rename(temporary.c_str(), final_name.c_str()) != 0) {
    throw RunError(fmt::format("`{}` could not be renamed: {}", temporary, std::strerror(errno)));
  }
}

}  // namespace mixwell
