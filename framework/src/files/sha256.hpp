// SHA-256 of bytes and of whole files. A sealed text begins with a hash that reveals any change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <openssl/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mixwell {

/// The hash of bytes that are added in pieces. Throws RunError if OpenSSL cannot compute it.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// The hash of all bytes so far, in lower case. More bytes may follow.
  std::string hexadecimal() const;

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

/// Lower-case hexadecimal.
MIXWELL_INTERNAL std::string sha256(std::string_view bytes);

/// Device, inode, size and times of change of a file, as text. The text changes whenever the file
/// changes.
using FileStamp = std::string;
/// Empty if there is no such file.
MIXWELL_INTERNAL FileStamp stamp_of(const std::string& path);

/// The hash of a file. Every run of a study hashes its libraries and data, so the process stores
/// the hash for as long as the stamp of the file stays the same. Throws InputError.
MIXWELL_INTERNAL std::string file_sha256(const std::string& path);

/// The hash of a file's contents, in lower-case hexadecimal. The contents of a NetCDF file are the
/// names, shapes and numbers of all variables in all groups. Attributes are left out, because they
/// contain the time of day. The contents of any other file are its bytes. Throws InputError.
std::string content_sha256(const std::string& path);

/// Returns the SHA-256 of the text, a line end and the text itself, so that changes can be
/// detected.
std::string sealed_text(std::string_view text);
/// The text that sealed_text() sealed. Nothing if any byte has changed.
std::optional<std::string_view> unsealed_text(std::string_view sealed);

}  // namespace mixwell
