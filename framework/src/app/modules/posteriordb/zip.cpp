// Text in ZIP archives.
// SPDX-License-Identifier: Apache-2.0
#include "app/modules/posteriordb/checkout.hpp"

#include <mixwell/error.hpp>

#include <zip.h>

#include <memory>

namespace mixwell::app::posteriordb {
namespace {

constexpr zip_uint64_t largest = 1U << 30U;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError({path, 0, 0}, "cannot be unzipped: " + why);
}

}  // namespace

std::string unzipped(const std::string& path) {
  int code = 0;
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open(path.c_str(), ZIP_RDONLY, &code),
                                                         zip_discard);
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    refuse(path, why);
  }
  if (zip_get_num_entries(archive.get(), 0) != 1) refuse(path, "it holds other than one file");
  zip_stat_t stat;
  if (zip_stat_index(archive.get(), 0, 0, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0)
    refuse(path, zip_strerror(archive.get()));
  if (stat.size > largest) refuse(path, "its file has more than 1 GiB");
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(archive.get(), 0, 0),
                                                               zip_fclose);
  if (!file) refuse(path, zip_strerror(archive.get()));
  std::string text(stat.size, '\0');
  if (zip_fread(file.get(), text.data(), stat.size) != static_cast<zip_int64_t>(stat.size))
    refuse(path, zip_file_strerror(file.get()));
  return text;
}

}  // namespace mixwell::app::posteriordb
