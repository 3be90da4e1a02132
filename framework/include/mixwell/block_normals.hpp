// The noise of an operation, as integrators see it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph.hpp>
#include <mixwell/integrator.hpp>

#include <cstddef>
#include <cstdint>

namespace mixwell {

/// Standard normals of the noise at one input of a block, for all of its columns.
class BlockNormals final : public NormalSource {
 public:
  BlockNormals(const Block& block, std::size_t input) noexcept : block_(block), input_(input) {}
  void normals(Batch out, std::uint32_t draw) const override {
    block_.step_normals(input_, out, draw);
  }

 private:
  const Block& block_;
  std::size_t input_;
};

}  // namespace mixwell
