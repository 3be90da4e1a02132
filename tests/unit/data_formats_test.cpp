// Data files in the LIBSVM and IDX formats, also compressed: what is read and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include "data_making.hpp"
#include "support.hpp"

#include <mixwell/data/data.hpp>

namespace {

using Eigen::MatrixXd;
using making::refused;
using mixwell::LibsvmTable;
using support::contains;

LibsvmTable libsvm(const std::string& text, Eigen::Index limit = 0) {
  const support::TemporaryFolder folder;
  return LibsvmTable(folder.file("cases", text), limit);
}

std::string refused_libsvm(const std::string& text, Eigen::Index limit = 0) {
  return refused([&] { libsvm(text, limit); });
}

mixwell::IdxImages idx(const std::string& images, const std::string& labels) {
  const support::TemporaryFolder folder;
  return mixwell::read_idx(folder.file("images", images), folder.file("labels", labels),
                           [](std::uint8_t label) { return label != 5; });
}

std::string refused_idx(const std::string& images, const std::string& labels) {
  return refused([&] { idx(images, labels); });
}

const std::vector<int> pixels = {0, 255, 51, 1, 2, 3, 255, 128, 127};
const std::vector<int> labels = {7, 5, 200};

}  // namespace

TEST_CASE("lines of labels and pairs become rows with zeros", "[data]") {
  const LibsvmTable t = libsvm("+1 1:0.5 3:-2e1 # two\r\n\n# none\n-1\n1.0\t2:+4 \n");
  CHECK(t.rows() == 3);
  CHECK(t.largest_index() == 3);
  CHECK(t.label(0) == "1");
  CHECK(t.label(1) == "-1");
  CHECK(t.label(2) == "1.0");
  CHECK(t.line(1) == 4);
  CHECK(t.dense({0, 1, 2}, 4) == MatrixXd{{0.5, 0, -20, 0}, {0, 0, 0, 0}, {0, 4, 0, 0}});
  CHECK(t.dense({2}, 3) == MatrixXd{{0, 4, 0}});
}

TEST_CASE("a line that is none of label and pairs is refused with its place and fault", "[data]") {
  CHECK(contains(refused_libsvm("1 1:1\none 1:1\n"),
                 "cases:2: the label \"one\" is not a finite number"));
  CHECK(contains(refused_libsvm("nan 1:1\n"), "cases:1: the label \"nan\""));
  for (const char* pair : {"3", "3:", ":3", "a:1", "3:x", "3:1:2", "3:inf", "3.5:1", "qid:4"}) {
    CAPTURE(pair);
    CHECK(contains(refused_libsvm(std::string("1 1:1\n1 2:1 ") + pair + "\n"),
                   "cases:2: \"" + std::string(pair) + "\" is not an index:value pair"));
  }
  CHECK(contains(refused_libsvm("1 99999999999999999999:1\n"), "is not an index:value pair"));
}

TEST_CASE("indices count from 1, ascend, and keep to the limit", "[data]") {
  CHECK(contains(refused_libsvm("1 0:1\n"), "cases:1: index 0 is below 1, but indices start at 1"));
  CHECK(contains(refused_libsvm("1 -2:1\n"), "index -2 is below 1, but indices start at 1"));
  CHECK(contains(refused_libsvm("1 1:1\n1 3:1 2:1\n"), "cases:2: index 2 comes after 3"));
  CHECK(contains(refused_libsvm("1 3:1 3:1\n"), "index 3 comes after 3"));
  CHECK(contains(refused_libsvm("1 3:1\n1 4:1\n", 3), "cases:2: index 4 is above 3"));
  CHECK(libsvm("1 3:1\n", 3).rows() == 1);
}

TEST_CASE("files without rows and tables too large to hold are refused", "[data]") {
  CHECK(contains(refused_libsvm(""), "cases: the file is empty"));
  CHECK(contains(refused_libsvm("# nothing\n\n"), "cases: the file has no rows"));
  CHECK(contains(refused([] { LibsvmTable("/no/such/cases"); }),
                 "/no/such/cases: the file cannot be read: No such file"));
  const LibsvmTable wide = libsvm("1 2000000000000000:1\n");
  CHECK(contains(refused([&] { wide.dense({0}, wide.largest_index()); }), "with all zeros stored"));
}

TEST_CASE("images and labels are read together and the wanted ones kept", "[data]") {
  const mixwell::IdxImages read = idx(making::idx_images(3, pixels), making::idx_labels(labels));
  CHECK(read.height == 1);
  CHECK(read.width == 3);
  CHECK(read.labels == std::vector<std::uint8_t>{7, 5, 200});
  CHECK(read.kept == std::vector<Eigen::Index>{0, 2});
  CHECK(read.pixels.isApprox(MatrixXd{{0, 1, 0.2}, {1, 128.0 / 255, 127.0 / 255}}, 1e-15));
}

TEST_CASE("images of no wanted label leave no rows but their size", "[data]") {
  const mixwell::IdxImages read = idx(making::idx_images(2, {1, 2}), making::idx_labels({5}));
  CHECK(read.pixels.rows() == 0);
  CHECK(read.width == 2);
}

TEST_CASE("an IDX file that is another is refused with both numbers", "[data]") {
  const std::string good_images = making::idx_images(3, pixels);
  const std::string good_labels = making::idx_labels(labels);
  CHECK(contains(
      refused_idx(good_labels, good_labels),
      "images: the file begins with the magic number 2049, but IDX files of images begin with "
      "2051. This is a file of labels. Give a file of images"));
  CHECK(contains(refused_idx(good_images, good_images),
                 "labels: the file begins with the magic number 2051"));
  CHECK(contains(refused_idx("x,y,label\n", good_labels),
                 "images: the file begins with the magic number"));
  CHECK(contains(refused_idx(good_images, making::idx_labels({7, 5})),
                 "images: the file has 3 images, but "));
  CHECK(contains(refused_idx(making::big_endian({2051, 3, 0, 3}), good_labels),
                 "the header gives 0"));
  CHECK(contains(refused_idx(making::big_endian({2051, 3, 28, 70000}), good_labels),
                 "the header gives 70000"));
}

TEST_CASE("an IDX file that is cut off or too long is refused with its byte", "[data]") {
  const std::string images = making::idx_images(3, pixels);
  const std::string all_labels = making::idx_labels(labels);
  CHECK(contains(refused_idx(images.substr(0, 10), all_labels),
                 "images: the file ends within its header, at byte 10"));
  CHECK(contains(refused_idx(images.substr(0, images.size() - 1), all_labels),
                 "images: the file ends at byte 24, in record 3 of 3"));
  CHECK(contains(refused_idx(images + "x", all_labels),
                 "images: the file has more bytes than its 3 records need"));
  CHECK(contains(refused_idx(images, all_labels.substr(0, 9)),
                 "labels: the file ends at byte 9, in record 2 of 3"));
  CHECK(contains(refused_idx(images, all_labels + "x"),
                 "labels: the file has more bytes than its 3 records need"));
  CHECK(contains(refused_idx("", all_labels), "images: the file is empty"));
  // A header that promises more than any memory is found out by the file's end.
  CHECK(contains(refused_idx(images, making::big_endian({2049, 0xFFFFFFFF}) + "abc"),
                 "in record 4 of 4294967295"));
}

TEST_CASE("compressed files are told by their content and read like plain ones", "[data]") {
  const std::string text = "-1 2:1\n+1 1:3\n";
  CHECK(libsvm(making::gzipped(text)).dense({0, 1}, 2) == libsvm(text).dense({0, 1}, 2));
  const mixwell::IdxImages read =
      idx(making::gzipped(making::idx_images(3, pixels)), making::idx_labels(labels));
  CHECK(read.pixels ==
        idx(making::idx_images(3, pixels), making::gzipped(making::idx_labels(labels))).pixels);
  const support::TemporaryFolder folder;
  CHECK(mixwell::CsvTable(folder.file("t.csv", making::gzipped("a,b\n1,2\n"))).numbers("b")[0] ==
        2);
  CHECK(mixwell::CsvTable(folder.file("plain.gz", "a,b\n1,2\n")).rows() == 1);
}

TEST_CASE("compressed data that are damaged or cut off are refused", "[data]") {
  std::string text;
  for (int line = 0; line < 20000; ++line) text += std::to_string(line * 7919 % 1000) + " 1:2\n";
  const std::string whole = making::gzipped(text);
  CHECK(libsvm(whole).rows() == 20000);
  for (const std::size_t size : {std::size_t{11}, whole.size() / 2, whole.size() - 1}) {
    CAPTURE(size);
    CHECK(contains(refused_libsvm(whole.substr(0, size)),
                   "cases: the compressed data are damaged or cut off"));
  }
  std::string damaged = whole;
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);  // checksum
  CHECK(contains(refused_libsvm(damaged), "damaged or cut off"));
  CHECK(contains(refused_libsvm(making::gzipped("")), "cases: the file is empty"));
}
