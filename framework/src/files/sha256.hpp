// SHA-256 of bytes and of whole files, and text under its hash.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <openssl/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mixwell {

/// Of bytes that come piece by piece. Throws RunError where OpenSSL cannot.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// Lower-case, of all bytes so far; more may follow.
  std::string hexadecimal() const;

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

/// Lower-case hexadecimal.
MIXWELL_INTERNAL std::string sha256(std::string_view bytes);

/// Device, inode, size and times of change of a file, as text: another state of it has another.
using FileStamp = std::string;
/// Empty where there is no such file.
MIXWELL_INTERNAL FileStamp stamp_of(const std::string& path);

/// Of a file; remembered by the process for as long as its stamp stays the same, as
/// libraries and data are hashed in every run of a study. Throws InputError.
MIXWELL_INTERNAL std::string file_sha256(const std::string& path);

/// Lower-case hexadecimal: of a NetCDF file over names, shapes and numbers of all variables in all
/// groups, without attributes, which hold the time of day; of any other over its bytes. Throws
/// InputError.
std::string content_sha256(const std::string& path);

/// The SHA-256 of the text, a line end, and the text: whether it is as it was written.
std::string sealed_text(std::string_view text);
/// The text in what sealed_text made; nothing where any byte of it is not as it was.
std::optional<std::string_view> unsealed_text(std::string_view sealed);

}  // namespace mixwell
