// The IDX format of images and labels: unsigned bytes after a big-endian header.
// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.hpp"
#include "files/input_file.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/data/data.hpp>

#include <algorithm>
#include <array>

namespace mixwell {
namespace {

constexpr std::uint32_t images_magic = 2051;
constexpr std::uint32_t labels_magic = 2049;

/// One IDX file, read from front to back.
class IdxReader {
 public:
  IdxReader(const std::string& path, const std::string& content, std::uint32_t magic)
      : path_(path), in_(path, "the header and the records of an IDX file of " + content) {
    const std::uint32_t found = header_number();
    if (found != magic)
      throw InputError(path + ": the file begins with the magic number " + std::to_string(found) +
                       ", but IDX files of " + content + " begin with " + std::to_string(magic) +
                       (found == images_magic   ? ". This is a file of images"
                        : found == labels_magic ? ". This is a file of labels"
                                                : "") +
                       ". Give a file of " + content);
  }

  const std::string& path() const noexcept { return path_; }

  std::uint32_t header_number() {
    std::array<std::uint8_t, 4> bytes{};
    if (!fill(bytes.data(), bytes.size()))
      throw InputError(path_ + ": the file ends within its header, at byte " +
                       std::to_string(read_) + ". Fetch the file again");
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
           std::uint32_t{bytes[2]} << 8 | bytes[3];
  }

  /// False if the file ends first.
  bool fill(std::uint8_t* to, std::size_t count) {
    in_.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count));
    read_ += in_.gcount();
    return in_.good();
  }

  void require_whole(bool whole, std::uint32_t record, std::uint32_t count) const {
    if (whole) return;
    throw InputError(path_ + ": the file ends at byte " + std::to_string(read_) + ", in record " +
                     std::to_string(record + 1) + " of " + std::to_string(count) +
                     ". The file is cut off, or its header is wrong. Fetch the file again");
  }

  void require_end(std::uint32_t count) {
    if (in_.peek() == std::istream::traits_type::eof()) return;
    throw InputError(path_ + ": the file has more bytes than its " + std::to_string(count) +
                     " records need. Its header is wrong. Fetch the file again");
  }

 private:
  std::string path_;
  InputFile in_;
  std::streamsize read_ = 0;
};

std::vector<std::uint8_t> read_labels(const std::string& path) {
  IdxReader reader(path, "labels", labels_magic);
  const std::uint32_t count = reader.header_number();
  std::vector<std::uint8_t> labels;
  GrowingMemory memory;
  for (std::uint32_t n = 0; n < count; ++n) {
    std::uint8_t label = 0;
    reader.require_whole(reader.fill(&label, 1), n, count);
    labels.push_back(label);
    memory.now(n, [&] { return path + ": the list of labels"; });
  }
  reader.require_end(count);
  return labels;
}

/// Reads a height or a width in pixels. Throws InputError for 0 and for more than 65535 pixels,
/// because no valid header has such numbers.
Index side(IdxReader& reader) {
  const std::uint32_t pixels = reader.header_number();
  if (pixels >= 1 && pixels <= 65535) return pixels;
  throw InputError(
      reader.path() +
      ": images must have 1 to 65535 rows and columns of pixels, but the header gives " +
      std::to_string(pixels) + ". Check that this is the right file");
}

/// Reads the pixels of one image, and appends them to `all` if `keep` is true. Returns false if the
/// file ends first.
bool read_image(IdxReader& reader, std::size_t pixels, bool keep, std::vector<std::uint8_t>& all) {
  std::array<std::uint8_t, 1 << 12> piece{};
  while (pixels > 0) {
    const std::size_t count = std::min(pixels, piece.size());
    if (!reader.fill(piece.data(), count)) return false;
    if (keep)
      all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    pixels -= count;
  }
  return true;
}

/// The bytes of the images in `keep`, one after another. Memory is allocated only while the file is
/// read, so a wrong header cannot cause a large allocation.
std::vector<std::uint8_t> read_images(IdxReader& reader, const std::vector<bool>& keep,
                                      Index pixels) {
  const auto count = static_cast<std::uint32_t>(keep.size());
  std::vector<std::uint8_t> all;
  for (std::uint32_t n = 0; n < count; ++n)
    reader.require_whole(read_image(reader, static_cast<std::size_t>(pixels), keep[n], all), n,
                         count);
  reader.require_end(count);
  return all;
}

void require_same_count(std::uint32_t images, std::size_t labels, const std::string& path,
                        const std::string& labels_path) {
  if (images == labels) return;
  throw InputError(path + ": the file has " + std::to_string(images) + " images, but " +
                   labels_path + " has " + std::to_string(labels) +
                   " labels. Give two files of the same data set");
}

}  // namespace

IdxImages read_idx(const std::string& images, const std::string& labels,
                   const std::function<bool(std::uint8_t)>& wanted) {
  IdxImages result;
  result.labels = read_labels(labels);
  std::vector<bool> keep;
  for (const std::uint8_t label : result.labels) {
    keep.push_back(wanted(label));
    if (keep.back()) result.kept.push_back(static_cast<Index>(keep.size()) - 1);
  }
  IdxReader reader(images, "images", images_magic);
  require_same_count(reader.header_number(), keep.size(), images, labels);
  result.height = side(reader);
  result.width = side(reader);
  const Index pixels = result.height * result.width;
  require_memory(
      sizeof(double) * static_cast<double>(result.kept.size()) * static_cast<double>(pixels),
      images + ": the table of " + std::to_string(result.kept.size()) + " images of " +
          std::to_string(result.height) + " x " + std::to_string(result.width) +
          " pixels, according to the header,");
  const std::vector<std::uint8_t> bytes = read_images(reader, keep, pixels);
  using Bytes = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  result.pixels =
      Bytes::Map(bytes.data(), static_cast<Index>(result.kept.size()), pixels).cast<double>() / 255;
  return result;
}

}  // namespace mixwell
