// Makes small data files in the formats that the readers know.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support.hpp"

#include <mixwell/base/error.hpp>

#include <zlib.h>

#include <cstdint>
#include <iterator>

namespace making {

/// The message of the InputError that `action` throws, or "accepted".
template <class Action>
std::string refused(const Action& action) {
  try {
    action();
    return "accepted";
  } catch (const mixwell::InputError& error) {
    return error.what();
  }
}

/// The bytes of a file that holds `text` compressed by gzip.
inline std::string gzipped(const std::string& text) {
  const support::TemporaryFolder folder;
  const std::string path = folder.path() + "/file";
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string big_endian(const std::vector<std::uint32_t>& numbers) {
  std::string bytes;
  for (const std::uint32_t number : numbers)
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 255U);
  return bytes;
}

inline std::string bytes_of(const std::vector<int>& numbers) {
  return {numbers.begin(), numbers.end()};
}

inline std::string idx_labels(const std::vector<int>& labels) {
  return big_endian({2049, static_cast<std::uint32_t>(labels.size())}) + bytes_of(labels);
}

/// Images of height 1.
inline std::string idx_images(std::uint32_t width, const std::vector<int>& pixels) {
  const auto count = static_cast<std::uint32_t>(pixels.size()) / width;
  return big_endian({2051, count, 1, width}) + bytes_of(pixels);
}

}  // namespace making
