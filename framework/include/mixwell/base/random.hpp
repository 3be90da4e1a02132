// Counter-based random numbers: a pure function of (seed, role, replicate, sweep, draw, row).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <string_view>

namespace mixwell {

/// Where in a stream numbers are. Limits, checked by every call (std::out_of_range names the one
/// broken): sweep < 2^40, draw < 2^24, replicate + columns <= 2^28, row even and row + rows <=
/// 2^37.
struct Address {
  std::uint64_t sweep = 0;
  std::uint32_t draw = 0;       ///< numbers the draws that one role makes within a sweep
  std::uint64_t replicate = 0;  ///< of column 0; column j belongs to replicate + j
  std::uint64_t row = 0;        ///< of row 0 of the batch, even: row i has the numbers of row + i
};

/// 64-bit FNV-1a of the bytes of role, then the splitmix64 finaliser. Part of the reproducibility
/// contract: the same role gives the same numbers in every version of Mixwell.
MIXWELL_EXPORT std::uint64_t hash_role(std::string_view role) noexcept;

/// The random numbers of one role, such as "main/hmc/momentum". Holds a key and no position, so it
/// is immutable, copied freely, and used from any thread; the same call always gives the same
/// numbers.
///
/// Rows 2k and 2k+1 of column j, counted from 0 and not from Address::row, are the two words of one
/// Threefry2x64-20 (Salmon, Moraes, Dror, Shaw, SC'11) of
///   key     = {seed, hash_role(role)},
///   counter = {sweep << 24 | draw, (replicate + j) << 36 | k}.
/// Hence an element depends neither on the number of rows and columns of the batch nor on its place
/// in it, and draws with different (seed, role, sweep, draw) share none. words, uniforms and
/// normals of the same Address are made from the same words: give each its own draw number. No call
/// allocates.
class MIXWELL_EXPORT Stream {
 public:
  using Words = Eigen::Ref<Eigen::Matrix<std::uint64_t, Eigen::Dynamic, Eigen::Dynamic>>;

  Stream(std::uint64_t seed, std::string_view role) noexcept;

  /// out(i, j): all 64 bits uniform.
  void words(Address at, Words out) const;

  /// out(i, j) ~ U(0, 1), open at both ends: the odd multiples of 2^-53, from the 52 upper bits of
  /// a word.
  void uniforms(Address at, Batch out) const;

  /// out(i, j) ~ N(0, 1), by Box and Muller from the uniforms u, v of rows 2k and 2k+1:
  /// sqrt(-2 log u) cos(2 pi v) and sqrt(-2 log u) sin(2 pi v). At most sqrt(106 log 2) = 8.572 in
  /// size.
  void normals(Address at, Batch out) const;

 private:
  std::uint64_t seed_;
  std::uint64_t role_;
};

/// Standard normals for one operation in one sweep.
class MIXWELL_EXPORT NormalSource {
 public:
  virtual ~NormalSource();
  /// out d x w; equal draws within a transition are equal numbers.
  virtual void normals(Batch out, std::uint32_t draw) const = 0;
};

namespace detail {

/// sin(2 pi t) and cos(2 pi t) for 0 <= t <= 1, each within 2 units in the last place, also next to
/// their zeros: the reduction to an eighth of a turn is exact.
using Lanes = Eigen::Array<double, 8, 1>;
MIXWELL_EXPORT void sin_cos_turns(const Lanes& t, Lanes& sine, Lanes& cosine) noexcept;

}  // namespace detail
}  // namespace mixwell
