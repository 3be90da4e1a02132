// The generator Threefry2x64-20 for eight counters at a time, and random numbers from its output.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/random.hpp>

#include <algorithm>
#include <cstring>
#include <numbers>
#include <stdexcept>
#include <string>

// Vectors wider than a register are passed only between functions of this file.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace mixwell {
namespace {

constexpr int lanes = 8;  // row pairs computed side by side

// Four words side by side, on which operators act lane by lane (GCC and Clang).
using Quad [[gnu::vector_size(32)]] = std::uint64_t;

// Two quads at a time hide the latency of the rounds.
struct LaneWords {
  Quad quads[2];
  std::uint64_t operator[](int lane) const { return quads[lane / 4][lane % 4]; }
};

inline void add(LaneWords& x, std::uint64_t constant) {
  for (Quad& quad : x.quads) quad += constant;
}

struct WordPairs {
  LaneWords first;
  LaneWords second;
};

struct Key {
  std::uint64_t seed;
  std::uint64_t role;
};

struct Limit {
  const char* name;
  int bits;
};
constexpr Limit sweep_limit{"sweep", 40};
constexpr Limit draw_limit{"draw", 24};
constexpr Limit replicate_limit{"replicate", 28};
constexpr int pair_bits = 36;
constexpr Limit row_limit{"row", pair_bits + 1};

[[noreturn]] void throw_beyond(Limit limit, std::uint64_t value) {
  throw std::out_of_range(
      "random stream: " + std::string(limit.name) + " " + std::to_string(value) +
      " must be below 2^" + std::to_string(limit.bits) +
      ", because larger values would repeat random numbers. Use a smaller run or model");
}

void check(Limit limit, std::uint64_t value) {
  if (value >> limit.bits != 0) throw_beyond(limit, value);
}

template <int rotation>
inline void mix(WordPairs& b) {
  for (int q = 0; q < 2; ++q) {
    Quad& first = b.first.quads[q];
    Quad& second = b.second.quads[q];
    first += second;
    second = (second << rotation | second >> (64 - rotation)) ^ first;
  }
}

// Four rounds, then the key injection that follows them.
template <int r0, int r1, int r2, int r3>
inline void four_rounds(WordPairs& b, std::uint64_t first, std::uint64_t second) {
  mix<r0>(b);
  mix<r1>(b);
  mix<r2>(b);
  mix<r3>(b);
  add(b.first, first);
  add(b.second, second);
}

// In place: counters in, random words out. Rotations and parity constant of Threefry2x64.
[[gnu::always_inline]] inline void threefry(WordPairs& b, const Key& key) {
  const std::uint64_t k0 = key.seed;
  const std::uint64_t k1 = key.role;
  const std::uint64_t k2 = 0x1BD11BDAA9FC1A22u ^ k0 ^ k1;
  add(b.first, k0);
  add(b.second, k1);
  four_rounds<16, 42, 12, 31>(b, k1, k2 + 1);
  four_rounds<16, 32, 24, 21>(b, k2, k0 + 2);
  four_rounds<16, 42, 12, 31>(b, k0, k1 + 3);
  four_rounds<16, 32, 24, 21>(b, k1, k2 + 4);
  four_rounds<16, 42, 12, 31>(b, k2, k0 + 5);
}

using detail::Lanes;

inline Quad bits(const Lanes& x, int q) {
  Quad quad;
  std::memcpy(&quad, x.data() + 4 * q, sizeof quad);
  return quad;
}

inline void set_bits(Lanes& x, int q, const Quad& quad) {
  std::memcpy(x.data() + 4 * q, &quad, sizeof quad);
}

// (2k + 1) 2^-53 with k the 52 upper bits; the subtraction from a number in [1, 2) is exact.
inline Lanes to_uniform(const LaneWords& words) {
  constexpr std::uint64_t one = 0x3FF0000000000000u;
  Lanes u;
  for (int q = 0; q < 2; ++q) set_bits(u, q, words.quads[q] >> 12 | one);
  return u - (1 - 0x1p-53);
}

// (pi/2)^n / n!, the coefficients of sine and cosine of x quarter turns.
constexpr double taylor(int n) {
  long double term = 1;
  for (int i = 1; i <= n; ++i) term *= std::numbers::pi_v<long double> / 2 / i;
  return static_cast<double>(n % 4 < 2 ? term : -term);
}

// sum_i taylor(n + 2 i) s^i for n + 2 i <= last, by Horner's rule.
template <int n, int last>
inline Lanes taylor_sum(const Lanes& s) {
  if constexpr (n >= last) {
    return Lanes::Constant(taylor(n));
  } else {
    constexpr double coefficient = taylor(n);
    return taylor_sum<n + 2, last>(s) * s + coefficient;
  }
}

// 4 t = q + x with q whole and |x| <= 1/2; q turns (sin, cos) of x by q quarters.
// The first term left out is below 2e-18 of the result.
[[gnu::always_inline]] inline void sin_cos(const Lanes& t, Lanes& sine, Lanes& cosine) {
  constexpr double to_integer = 0x1.8p52;  // a sum with it has the nearest integer in its low bits
  const Lanes shifted = 4 * t + to_integer;
  const Lanes x = 4 * t - (shifted - to_integer);
  const Lanes s = x * x;
  const Lanes sin_x = taylor_sum<1, 17>(s) * x;
  const Lanes cos_x = taylor_sum<2, 16>(s) * s + 1;
  for (int q = 0; q < 2; ++q) {
    const Quad quarters = bits(shifted, q);
    const Quad exchanged = (bits(sin_x, q) ^ bits(cos_x, q)) & (0 - (quarters & 1));
    set_bits(sine, q, (bits(sin_x, q) ^ exchanged) ^ (quarters >> 1 & 1) << 63);
    set_bits(cosine, q, (bits(cos_x, q) ^ exchanged) ^ ((quarters + 1) >> 1 & 1) << 63);
  }
}

struct AsWords {
  static void convert(const WordPairs& b, LaneWords& first, LaneWords& second) {
    first = b.first;
    second = b.second;
  }
};

struct AsUniforms {
  static void convert(const WordPairs& b, Lanes& first, Lanes& second) {
    first = to_uniform(b.first);
    second = to_uniform(b.second);
  }
};

struct AsNormals {
  static void convert(const WordPairs& b, Lanes& first, Lanes& second) {
    const Lanes radius = (-2 * to_uniform(b.first).log()).sqrt();
    sin_cos(to_uniform(b.second), second, first);
    first *= radius;
    second *= radius;
  }
};

// The second counter words of eight consecutive row pairs, counted column by column. Each column
// has the pairs from `first` on.
class PairCounters {
 public:
  PairCounters(std::uint64_t replicate, std::uint64_t first, std::uint64_t pairs)
      : pairs_(pairs), end_(first + pairs), words_{Quad{0, 1, 2, 3}, Quad{4, 5, 6, 7}} {
    add(words_, replicate << pair_bits | first);
    for (std::uint64_t end = pairs; end < lanes; end += pairs) wrap();
    step_ = pairs > lanes ? lanes : eight_pairs(static_cast<std::uint32_t>(pairs));
  }

  const LaneWords& words() const { return words_; }

  void advance() {
    add(words_, step_);
    wrap();
  }

 private:
  static constexpr std::uint64_t column = std::uint64_t{1} << pair_bits;

  // The step from a pair to the eighth after it, before wrapping.
  static std::uint64_t eight_pairs(std::uint32_t pairs) {
    return lanes / pairs * column + lanes % pairs;
  }

  // Counters that ran past the end of their column move on to the next column.
  void wrap() {
    for (Quad& word : words_.quads) {
      const Quad inside = ((word & (column - 1)) - end_) >> 63;  // 1 if pair < end
      word += (inside - 1) & (column - pairs_);
    }
  }

  std::uint64_t pairs_;
  std::uint64_t end_;
  LaneWords words_;
  std::uint64_t step_;
};

// Writes row pairs to a batch column by column. If a column has an odd number of rows, its last
// pair loses the second half.
template <class Scalar>
class PairWriter {
 public:
  PairWriter(Scalar* to, Index rows, Index stride)
      : to_(to), rows_(rows), stride_(stride), gapless_(rows % 2 == 0 && rows == stride) {}

  template <class Pair>
  void write(const Pair& first, const Pair& second, int count) {
    if (gapless_ && count == lanes) {
      for (int l = 0; l < lanes; ++l) put(to_ + 2 * l, first[l], second[l]);
      to_ += 2 * lanes;
    } else {
      for (int l = 0; l < count; ++l) write(first[l], second[l]);
    }
  }

 private:
  static void put(Scalar* to, Scalar first, Scalar second) {
    to[0] = first;
    to[1] = second;
  }

  void write(Scalar first, Scalar second) {
    to_[row_] = first;
    if (row_ + 1 < rows_) to_[row_ + 1] = second;
    row_ += 2;
    if (row_ < rows_) return;
    row_ = 0;
    to_ += stride_;
  }

  Scalar* to_;
  Index rows_;
  Index stride_;
  bool gapless_;
  Index row_ = 0;
};

// Always computes eight lanes, so the value of a lane never depends on how many are wanted.
template <class As, class Pair, class Out>
inline void fill(const Key& key, Address at, Out& out) {
  const Index pairs = (out.rows() + 1) / 2;
  if (out.size() == 0) return;
  PairCounters counters(at.replicate, at.row / 2, static_cast<std::uint64_t>(pairs));
  PairWriter<typename Out::Scalar> writer(out.data(), out.rows(), out.outerStride());
  for (Index left = pairs * out.cols(); left > 0; left -= lanes) {
    WordPairs pair;
    pair.first = {};
    add(pair.first, at.sweep << draw_limit.bits | at.draw);
    pair.second = counters.words();
    counters.advance();
    threefry(pair, key);
    Pair first;
    Pair second;
    As::convert(pair, first, second);
    writer.write(first, second, static_cast<int>(std::min<Index>(left, lanes)));
  }
}

void check(Address at, Index rows, Index columns) {
  check(sweep_limit, at.sweep);
  check(draw_limit, at.draw);
  check(replicate_limit, at.replicate);
  check(replicate_limit,
        at.replicate + static_cast<std::uint64_t>(std::max<Index>(columns, 1) - 1));
  check(row_limit, at.row + static_cast<std::uint64_t>(std::max<Index>(rows, 1) - 1));
  if (at.row % 2 != 0)
    throw std::out_of_range("random stream: row " + std::to_string(at.row) +
                            " is odd, but rows are drawn in pairs. Begin at an even row");
}

}  // namespace

std::uint64_t hash_role(std::string_view role) noexcept {
  std::uint64_t h = 0xCBF29CE484222325u;
  for (const char c : role) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
  h = (h ^ h >> 27) * 0x94D049BB133111EBu;
  return h ^ h >> 31;
}

NormalSource::~NormalSource() = default;

Stream::Stream(std::uint64_t seed, std::string_view role) noexcept
    : seed_(seed), role_(hash_role(role)) {}

void Stream::words(Address at, Words out) const {
  check(at, out.rows(), out.cols());
  fill<AsWords, LaneWords>({seed_, role_}, at, out);
}

void Stream::uniforms(Address at, Batch out) const {
  check(at, out.rows(), out.cols());
  fill<AsUniforms, Lanes>({seed_, role_}, at, out);
}

void Stream::normals(Address at, Batch out) const {
  check(at, out.rows(), out.cols());
  fill<AsNormals, Lanes>({seed_, role_}, at, out);
}

void detail::sin_cos_turns(const Lanes& t, Lanes& sine, Lanes& cosine) noexcept {
  sin_cos(t, sine, cosine);
}

}  // namespace mixwell
