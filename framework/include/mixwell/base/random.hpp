// Counter-based random numbers: a pure function of (seed, role, replicate, sweep, draw, row).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <string_view>

namespace mixwell {

/// The place of numbers in a stream. Every function that draws numbers checks that sweep < 2^40,
/// draw < 2^24, replicate + columns <= 2^28, row is even, and row + rows <= 2^37. Otherwise it
/// throws a std::out_of_range that names the broken limit.
struct Address {
  std::uint64_t sweep = 0;
  std::uint32_t draw = 0;       ///< index of the draw among the draws of one role in this sweep
  std::uint64_t replicate = 0;  ///< replicate of column 0 (column j: replicate + j)
  std::uint64_t row = 0;        ///< even; stream row of batch row 0 (batch row i: row + i)
};

/// Hash of a role: 64-bit FNV-1a of its bytes, then the splitmix64 finaliser. A role has the same
/// hash in every version of Mixwell, so results can be reproduced.
MIXWELL_EXPORT std::uint64_t hash_role(std::string_view role) noexcept;

/// The random numbers of one role, such as "main/hmc/momentum". A Stream has a key and no position.
/// It is therefore immutable, cheap to copy and thread-safe. The same call always gives the same
/// numbers.
///
/// Rows 2k and 2k+1 of column j are the two output words of Threefry2x64-20 (Salmon, Moraes, Dror,
/// Shaw, SC'11) with
///   key     = {seed, hash_role(role)},
///   counter = {sweep << 24 | draw, (replicate + j) << 36 | k}.
/// Here rows are counted from row 0 of the stream, not from Address::row. An element therefore does
/// not depend on the size of the batch or on its index in the batch. Draws with different (seed,
/// role, sweep, draw) share no words. For the same Address, words(), uniforms() and normals() use
/// the same random words, so give each call its own draw number. No call allocates.
class MIXWELL_EXPORT Stream {
 public:
  using Words = Eigen::Ref<Eigen::Matrix<std::uint64_t, Eigen::Dynamic, Eigen::Dynamic>>;

  Stream(std::uint64_t seed, std::string_view role) noexcept;

  /// Fills `out` with uniform 64-bit words.
  void words(Address at, Words out) const;

  /// Fills `out` with draws from U(0, 1), open at both ends. Each draw is an odd multiple of 2^-53,
  /// computed from the upper 52 bits of a word.
  void uniforms(Address at, Batch out) const;

  /// Fills `out` with draws from N(0, 1), by the Box-Muller transform of the uniforms u, v of rows
  /// 2k and 2k+1: sqrt(-2 log u) cos(2 pi v) and sqrt(-2 log u) sin(2 pi v). Absolute values are at
  /// most sqrt(106 log 2) = 8.572.
  void normals(Address at, Batch out) const;

 private:
  std::uint64_t seed_;
  std::uint64_t role_;
};

/// Standard normals for one operation in one sweep.
class MIXWELL_EXPORT NormalSource {
 public:
  virtual ~NormalSource();
  /// Fills `out` (d x w). Within a transition, the same `draw` gives the same numbers.
  virtual void normals(Batch out, std::uint32_t draw) const = 0;
};

namespace detail {

/// Computes sin(2 pi t) and cos(2 pi t) for 0 <= t <= 1. Each result is accurate to 2 units in the
/// last place, even near the zeros of sine and cosine, because the reduction of t to an eighth of a
/// turn is exact.
using Lanes = Eigen::Array<double, 8, 1>;
MIXWELL_EXPORT void sin_cos_turns(const Lanes& t, Lanes& sine, Lanes& cosine) noexcept;

}  // namespace detail
}  // namespace mixwell
