// The order of the coordinates of a network with one hidden layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <array>

namespace mixwell::network {

/// Groups of weights, each with its own precision, in the order of the coordinates.
enum Group : std::size_t { hidden_weights, hidden_bias, output_weights, output_bias };
inline constexpr std::size_t groups = 4;
inline constexpr std::array<const char*, groups> group_names = {"hidden_weights", "hidden_bias",
                                                                "output_weights", "output_bias"};

/// Coordinates: the groups, then the logarithms of their precisions.
struct Shape {
  Index inputs = 1;   ///< d
  Index hidden = 1;   ///< H
  Index classes = 2;  ///< C

  Index size(std::size_t group) const noexcept {
    const Index sizes[] = {inputs * hidden, hidden, hidden * classes, classes};
    return sizes[group];
  }
  Index first(std::size_t group) const noexcept {
    Index at = 0;
    for (std::size_t g = 0; g < group; ++g) at += size(g);
    return at;
  }
  Index precision(std::size_t group) const noexcept {
    return first(groups) + static_cast<Index>(group);
  }
  Index dimension() const noexcept { return first(groups) + static_cast<Index>(groups); }
};

/// The weights of one position as matrices. If Matrix is not const, the elements of a gradient as
/// matrices.
template <class Matrix>
struct Weights {
  Matrix hidden;       ///< H x d
  Matrix hidden_bias;  ///< H x 1
  Matrix output;       ///< C x H
  Matrix output_bias;  ///< C x 1

  template <class Number>
  Weights(const Shape& shape, Number* theta)
      : hidden(theta + shape.first(hidden_weights), shape.hidden, shape.inputs),
        hidden_bias(theta + shape.first(network::hidden_bias), shape.hidden, 1),
        output(theta + shape.first(output_weights), shape.classes, shape.hidden),
        output_bias(theta + shape.first(network::output_bias), shape.classes, 1) {}
};

}  // namespace mixwell::network
