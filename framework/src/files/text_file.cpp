// Small files of text, read at once.
// SPDX-License-Identifier: Apache-2.0
#include "files/text_file.hpp"

#include "files/input_descriptor.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <array>

namespace mixwell {

std::string read_text_file(const std::string& path, const std::string& what,
                           const std::string& cure, std::size_t most_bytes) {
  const InputDescriptor file(path, "the " + what, cure);
  std::string text;
  std::array<char, 1 << 16> bytes;
  for (ssize_t count = 0; (count = ::read(file.get(), bytes.data(), bytes.size())) > 0;) {
    text.append(bytes.data(), static_cast<std::size_t>(count));
    if (text.size() <= most_bytes) continue;
    throw InputError(fmt::format("{}: the {} has more than {} bytes, which is the most it may have",
                                 path, what, most_bytes));
  }
  return text;
}

}  // namespace mixwell
