// Recorder interface: where its virtual tables live, and the size of a column.
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <mixwell/recorder.hpp>
#include <numeric>

namespace mixwell {

Recording::~Recording() = default;
Recorder::~Recorder() = default;

Index Column::size() const noexcept {
  return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
}

}  // namespace mixwell
