// The draws in `resume` that a checkpoint needs, and their hashes.
// SPDX-License-Identifier: Apache-2.0
#include "run/saved_parts.hpp"

#include "files/input_descriptor.hpp"
#include "run/checkpoint.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace mixwell {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;

[[noreturn]] void refuse_part(const std::string& file, const std::string& what) {
  throw InputError(fmt::format(
      "{}: {}, and the run cannot go on without it; put back a copy of the file as it was, or run "
      "the manifest anew with --force",
      file, what));
}

}  // namespace

std::vector<SavedPart> PartHashes::now() {
  std::vector<SavedPart> parts;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename();
    if (name.find(".partial") == std::string::npos || name.starts_with("checkpoint")) continue;
    if (const std::string why = why_no_file(entry.path().string()); !why.empty())
      throw RunError(fmt::format("`{}`: {}, and no file of this run", entry.path().string(), why));
    const std::uint64_t bytes = entry.file_size();
    if (!read_up_to(name, bytes)) {
      throw RunError(
          fmt::format("`{}` cannot be read back; check the disk", entry.path().string()));
    }
    parts.push_back({name, bytes, hashed_[name].hash.hexadecimal()});
  }
  return parts;
}

void PartHashes::check(const std::vector<SavedPart>& parts) {
  for (const auto& [name, bytes, sha256] : parts) {
    const std::string file = folder_ + "/" + name;
    if (!fs::exists(file)) refuse_part(file, "is not there");
    if (const std::string why = why_no_file(file); !why.empty()) refuse_part(file, why);
    if (!read_up_to(name, bytes))
      refuse_part(file, fmt::format("has less than its {} bytes", bytes));
    if (hashed_[name].hash.hexadecimal() != sha256) {
      refuse_part(file,
                  fmt::format("is damaged: the SHA-256 of its first {} bytes is another", bytes));
    }
  }
}

bool PartHashes::have_sizes(const std::string& folder, const std::vector<SavedPart>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const SavedPart& part) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(folder + "/" + part.name, error);
    return !error && size >= part.bytes;
  });
}

bool PartHashes::read_up_to(const std::string& name, std::uint64_t bytes) {
  auto& [hash, done] = hashed_[name];
  if (done == bytes) return true;
  std::ifstream in(folder_ + "/" + name, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(done));
  std::vector<char> piece(most_bytes);
  while (in && done < bytes) {
    in.read(piece.data(),
            static_cast<std::streamsize>(std::min<std::uint64_t>(piece.size(), bytes - done)));
    const auto found = static_cast<std::size_t>(in.gcount());
    hash.add({piece.data(), found});
    done += found;
  }
  return done == bytes;
}

}  // namespace mixwell
