// Memory of variables and values.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/storage.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>

namespace mixwell {

Storage::Buffer& Storage::get(const std::string& name, Index rows, Index cols,
                              const Eigen::VectorXd* initial) {
  const auto [it, is_new] = buffers_.try_emplace(name);
  Buffer& buffer = it->second;
  if (is_new) {
    buffer.numbers.setZero(rows, cols);
    if (initial != nullptr) buffer.numbers.colwise() = *initial;
  }
  if (buffer.numbers.rows() != rows || buffer.numbers.cols() != cols) {
    throw InputError(
        fmt::format("kernel graph: `{}` is {} x {} in one phase and {} x {} in another", name,
                    buffer.numbers.rows(), buffer.numbers.cols(), rows, cols));
  }
  return buffer;
}

}  // namespace mixwell
