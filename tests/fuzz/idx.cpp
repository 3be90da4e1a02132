// Fuzz target: IDX images and labels. An input is the file of labels, the mark "--images--", and
// the file of images.
// SPDX-License-Identifier: Apache-2.0
#include "fuzzing.hpp"

#include <mixwell/data/data.hpp>

namespace {

bool is_odd(std::uint8_t label) { return label % 2 == 1; }

void read(const std::string& images, const std::string& labels) {
  const mixwell::IdxImages found = mixwell::read_idx(images, labels, &is_odd);
  const bool fits = found.pixels.rows() == static_cast<mixwell::Index>(found.kept.size()) &&
                    found.pixels.cols() == found.height * found.width;
  if (!fits) std::abort();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [labels, images] = fuzzing::split(fuzzing::text_of(data, size), "--images--");
  const std::string labels_file = fuzzing::folder().file("labels", labels);
  const std::string images_file = fuzzing::folder().file("images", images);
  fuzzing::accepts([&] { read(images_file, labels_file); });
  return 0;
}
