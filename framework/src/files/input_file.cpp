// Data files as streams, plain or gzipped alike: a stream buffer over zlib.
// SPDX-License-Identifier: Apache-2.0
#include "files/input_file.hpp"

#include <mixwell/error.hpp>

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <streambuf>
#include <vector>

namespace mixwell {

class InputFile::FileBuffer final : public std::streambuf {
 public:
  explicit FileBuffer(const std::string& path)
      : path_(path), file_(gzopen(path.c_str(), "rb"), &gzclose) {
    if (!file_) throw InputError(path_ + ": no such file, or it may not be read");
  }

 protected:
  int_type underflow() override {
    const int count = gzread(file_.get(), bytes_.data(), static_cast<unsigned>(bytes_.size()));
    require_success();
    if (count <= 0) return traits_type::eof();
    setg(bytes_.data(), bytes_.data(), bytes_.data() + count);
    return traits_type::to_int_type(bytes_.front());
  }

 private:
  void require_success() const {
    int code = Z_OK;
    const char* const reason = gzerror(file_.get(), &code);
    if (code == Z_OK) return;
    if (code == Z_ERRNO) throw InputError(path_ + ": cannot be read: " + std::strerror(errno));
    throw InputError(path_ + ": the compressed data are damaged or cut off (" + reason +
                     "); fetch the file again");
  }

  std::string path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
  std::vector<char> bytes_ = std::vector<char>(1 << 16);
};

// badbit among the exceptions: a stream then passes on what its buffer throws.
InputFile::InputFile(const std::string& path, const std::string& wanted)
    : std::istream(nullptr), buffer_(std::make_unique<FileBuffer>(path)) {
  rdbuf(buffer_.get());
  exceptions(std::ios::badbit);
  if (peek() == traits_type::eof())
    throw InputError(path + ": the file is empty; wanted " + wanted);
}

InputFile::~InputFile() = default;

}  // namespace mixwell
