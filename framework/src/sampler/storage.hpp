// Stores the contents of variables and values in named buffers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>
#include <mixwell/base/types.hpp>

#include <fmt/format.h>

#include <map>
#include <string>

namespace mixwell {

/// The contents of all variables and values, by buffer name. Both phases share the buffers.
class Storage {
 public:
  struct Buffer {
    Eigen::MatrixXd numbers;  ///< rows x replicates, or rows x 1 for scope run
    bool saved = false;
  };

  /// Returns the buffer of that name. A new buffer is filled with `initial` in every column.
  Buffer& get(const std::string& name, Index rows, Index cols, const Eigen::VectorXd* initial) {
    const auto [it, is_new] = buffers_.try_emplace(name);
    Buffer& buffer = it->second;
    if (is_new) {
      buffer.numbers.setZero(rows, cols);
      if (initial != nullptr) buffer.numbers.colwise() = *initial;
    }
    if (buffer.numbers.rows() != rows || buffer.numbers.cols() != cols) {
      throw InputError(
          fmt::format("kernel graph: `{}` is {} x {} in one phase and {} x {} in another. It must "
                      "have the same size in both.",
                      name, buffer.numbers.rows(), buffer.numbers.cols(), rows, cols));
    }
    return buffer;
  }
  Buffer& at(const std::string& name) { return buffers_.at(name); }
  bool has(const std::string& name) const { return buffers_.count(name) != 0; }
  const std::map<std::string, Buffer>& all() const noexcept { return buffers_; }
  std::map<std::string, Buffer>& all() noexcept { return buffers_; }

 private:
  std::map<std::string, Buffer> buffers_;
};

}  // namespace mixwell
