// Reads plain and gzipped data files as streams, with a stream buffer over zlib.
// SPDX-License-Identifier: Apache-2.0
#include "files/input_file.hpp"

#include "files/reading.hpp"

#include <mixwell/base/error.hpp>

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <streambuf>
#include <string_view>
#include <vector>

namespace mixwell {

class InputFile::FileBuffer final : public std::streambuf {
 public:
  explicit FileBuffer(const std::string& path) : path_(path), file_(nullptr, &gzclose) {
    Descriptor descriptor = open_to_read(path, "the file");
    file_.reset(gzdopen(descriptor.get(), "rb"));
    if (!file_) throw std::bad_alloc();
    descriptor.release();
  }

  /// Appends the rest of a line, and moves past the end of the line. Stops as soon as `line` has
  /// more than `most` bytes. Returns false at the end of the file.
  bool append_line(std::string& line, std::size_t most) {
    bool any = false;
    while (line.size() <= most && (gptr() != egptr() || underflow() != traits_type::eof())) {
      any = true;
      const auto count = static_cast<std::size_t>(egptr() - gptr());
      const auto* const end = static_cast<const char*>(std::memchr(gptr(), '\n', count));
      const std::size_t taken = end == nullptr ? count : static_cast<std::size_t>(end - gptr());
      line.append(gptr(), taken);
      setg(eback(), gptr() + taken + (end == nullptr ? 0 : 1), egptr());
      if (end != nullptr) break;
    }
    return any;
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
    if (code == Z_ERRNO)
      throw InputError(path_ + ": cannot be read: " + std::strerror(errno) +
                       ". Check the file and its disk");
    throw InputError(path_ + ": the compressed data are damaged or cut off (" + reason +
                     "). Fetch the file again");
  }

  std::string path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
  std::vector<char> bytes_ = std::vector<char>(1 << 16);
};

namespace {

/// Removes the byte order mark from the first line. Throws InputError if the file is not a text
/// with lines that end in LF or CRLF.
void settle_first_line(std::string& line, const std::string& path) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  const Location place{path, 1, 1};
  if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))
    throw InputError(place, "the text is in UTF-16. Save the file as UTF-8");
  if (line.find('\0') != std::string::npos)
    throw InputError(place,
                     "the line contains NUL bytes, so the file is in UTF-16 or is not text. Save "
                     "the file as text in UTF-8");
  const std::size_t last = line.find_last_not_of('\r');
  if (last != std::string::npos && line.find('\r') < last)
    throw InputError(place,
                     "lines end in a carriage return (CR) without a line feed. Save the file with "
                     "LF or CRLF line endings");
  if (line.starts_with(mark)) line.erase(0, mark.size());
}

}  // namespace

// A stream passes on an exception of its buffer only if badbit is in exceptions().
InputFile::InputFile(const std::string& path, const std::string& wanted)
    : std::istream(nullptr), path_(path), buffer_(std::make_unique<FileBuffer>(path)) {
  rdbuf(buffer_.get());
  exceptions(std::ios::badbit);
  if (peek() == traits_type::eof())
    throw InputError(path + ": the file is empty. It must have " + wanted);
}

InputFile::~InputFile() = default;

bool InputFile::next_line(std::string& line) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  line.clear();
  ++line_number_;
  const bool any = buffer_->append_line(line, most_bytes);
  if (line.size() > most_bytes)
    throw InputError({path_, line_number_, 1},
                     "this line is longer than 64 MiB, which is the limit for one line. Check that "
                     "this is the right file");
  if (line_number_ == 1) settle_first_line(line, path_);
  return any;
}

}  // namespace mixwell
