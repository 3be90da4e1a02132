// SHA-256 of bytes and of whole files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <openssl/types.h>

#include <memory>
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

/// Of a file; remembered by the process for as long as size and time of change stay the same, as
/// libraries and data are hashed in every run of a study. Throws InputError.
MIXWELL_INTERNAL std::string file_sha256(const std::string& path);

}  // namespace mixwell
