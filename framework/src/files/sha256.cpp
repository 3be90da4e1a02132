// SHA-256 of bytes and of whole files.
// SPDX-License-Identifier: Apache-2.0
#include "files/sha256.hpp"

#include "files/reading.hpp"
#include "system/system.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <map>
#include <mutex>

namespace mixwell {
namespace {

void check(int ok) {
  if (ok != 1) throw RunError("OpenSSL cannot compute SHA-256. Check the configuration of OpenSSL");
}

std::string hash_of(const std::string& path) {
  if (const std::string why = why_no_file(path); !why.empty())
    throw InputError({path, 0, 0},
                     "cannot be read: " + why + ". Check the path and the permissions");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError({path, 0, 0}, "cannot be read. Check the path and the permissions");
  Sha256 hash;
  std::array<char, 1 << 16> bytes;
  while (in.read(bytes.data(), bytes.size()) || in.gcount() > 0) {
    hash.add({bytes.data(), static_cast<std::size_t>(in.gcount())});
  }
  return hash.hexadecimal();
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
  check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256::add(std::string_view bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256::hexadecimal() const {
  const Sha256 copy;
  check(EVP_MD_CTX_copy_ex(copy.context_.get(), context_.get()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(copy.context_.get(), digest.data(), &size));
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hexadecimal();
}

FileStamp stamp_of(const std::string& path) {
  struct stat s = {};
  if (::stat(path.c_str(), &s) != 0) return {};
  return fmt::format("{} {} {} {}.{:09} {}.{:09}", s.st_dev, s.st_ino, s.st_size,
                     contents_changed(s).tv_sec, contents_changed(s).tv_nsec,
                     status_changed(s).tv_sec, status_changed(s).tv_nsec);
}

std::string file_sha256(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::pair<FileStamp, std::string>> known;
  const std::lock_guard lock(mutex);
  const FileStamp now = stamp_of(path);
  auto& [then, hash] = known[path];
  if (hash.empty() || then != now) {
    hash = hash_of(path);
    then = now;
  }
  return hash;
}

std::string sealed_text(std::string_view text) {
  std::string sealed = sha256(text) + "\n";
  sealed += text;
  return sealed;
}

std::optional<std::string_view> unsealed_text(std::string_view sealed) {
  const std::size_t end = sealed.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = sealed.substr(end + 1);
  if (sha256(text) != sealed.substr(0, end)) return std::nullopt;
  return text;
}

}  // namespace mixwell
