// Which cells of a study have ended, told by listing one folder.
// SPDX-License-Identifier: Apache-2.0
#include "study/end_index.hpp"

#include "files/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;

constexpr std::array ends = {CellStatus::done, CellStatus::failed};

std::string index_folder(const std::string& folder) { return folder + "/ended"; }

std::string name_of(const std::string& folder, const std::string& cell, CellStatus status) {
  return index_folder(folder) + "/" + cell + "." + std::string(to_string(status));
}

}  // namespace

EndStatuses indexed_ends(const std::string& folder) {
  EndStatuses found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(index_folder(folder), none)) {
    const fs::path name = entry.path().filename();
    for (const CellStatus status : ends) {
      if (name.extension() == "." + std::string(to_string(status))) found[name.stem()] = status;
    }
  }
  return found;
}

void index_end(const std::string& folder, const std::string& cell, CellStatus status) {
  const std::string name = name_of(folder, cell, status);
  const auto make = [&] { return ::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644); };
  int descriptor = make();
  if (descriptor < 0 && errno == ENOENT) {
    std::error_code ignored;
    fs::create_directories(index_folder(folder), ignored);
    descriptor = make();
  }
  if (descriptor < 0) throw WriteError(name, errno);
  ::close(descriptor);
}

void forget_end(const std::string& folder, const std::string& cell) {
  for (const CellStatus status : ends) ::unlink(name_of(folder, cell, status).c_str());
}

}  // namespace mixwell::study
