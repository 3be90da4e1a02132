// Functions that draw from standard distributions, with the random numbers of one stream.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/random.hpp>
#include <mixwell/base/types.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace mixwell {

/// A sequence of random numbers of a stream, for one replicate and one draw number. Use this class
/// for draws that need an unknown number of random numbers. The sequence is a pure function of
/// stream and address. The class fills a buffer with 16 uniforms at a time. It throws
/// std::out_of_range after 2^16 refills. No function below needs more than a few refills.
class MIXWELL_EXPORT RandomNumbers {
 public:
  /// `at.draw` must be below 2^8. Objects with different `at.draw` share no numbers.
  RandomNumbers(const Stream& stream, Address at);

  double uniform() {  ///< U(0, 1), open at both ends
    if (next_ == buffer_.size()) refill();
    return buffer_[next_++];
  }
  double normal();       ///< N(0, 1), by the Box-Muller transform
  double exponential();  ///< rate 1

 private:
  void refill();

  const Stream& stream_;
  Address at_;
  std::uint32_t refills_ = 0;
  std::array<double, 16> buffer_{};
  std::size_t next_ = buffer_.size();
  double spare_ = 0.0;
  bool has_spare_ = false;
};

/// Calls draw(random, x) for every column x (d numbers) of theta. Column j gets the random numbers
/// of replicate at.replicate + j.
template <class DrawColumn>
void each_column(const Stream& stream, Address at, Batch theta, const DrawColumn& draw) {
  for (Index j = 0; j < theta.cols(); ++j) {
    RandomNumbers random(stream, {at.sweep, at.draw, at.replicate + static_cast<std::uint64_t>(j)});
    draw(random, theta.data() + j * theta.rows());
  }
}

/// Calls draw(n, random) for n = 0, ..., cases - 1 with the random numbers of one replicate. Each
/// group of 4096 consecutive cases has its own sequence of random numbers. The next group uses the
/// next draw number of the address. If there are more than 2^20 cases, the groups are larger.
template <class DrawCase>
void each_case(Index cases, const Stream& stream, Address at, const DrawCase& draw) {
  constexpr Index most_sources = 256;
  constexpr Index fewest_cases = 4096;
  const Index sources = most_sources - static_cast<Index>(at.draw);
  const Index together = std::max(fewest_cases, (cases + sources - 1) / sources);
  for (Index first = 0; first < cases; first += together, ++at.draw) {
    RandomNumbers random(stream, at);
    const Index end = std::min(first + together, cases);
    for (Index n = first; n < end; ++n) draw(n, random);
  }
}

/// Density proportional to x^(shape-1) exp(-rate x), shape and rate > 0 (Marsaglia & Tsang 2000,
/// ACM Trans. Math. Softw. 26). If shape < 1, a draw for shape + 1 is multiplied by u^(1/shape),
/// where u ~ U(0, 1). A draw needs about one normal and one uniform.
MIXWELL_EXPORT double draw_gamma(RandomNumbers& random, double shape, double rate);
/// The logarithm of a gamma draw. It is finite even if the draw itself is rounded to 0.
MIXWELL_EXPORT double draw_log_gamma(RandomNumbers& random, double shape, double rate);

/// Draws precision ~ gamma(shape, rate), then x ~ N(mean, 1 / (strength precision)), and returns
/// {x, precision}. This is the conjugate prior of a normal's mean and precision (Bernardo & Smith
/// 1994, section 5.2).
struct NormalGamma {
  double mean;
  double precision;
};
MIXWELL_EXPORT NormalGamma draw_normal_gamma(RandomNumbers& random, double mean, double strength,
                                             double shape, double rate);

/// Draws W ~ Wishart(`degrees`, L L'). The mean of W is `degrees` * L L'. Writes C = L A (p x p,
/// zeros above the diagonal) with W = C C'. A is Bartlett's lower triangle (Bartlett 1933; Smith &
/// Hocking 1972, Appl. Stat. 21). L is the lower triangle of `scale_factor` (p x p). `degrees` must
/// be above p - 1. O(p^3).
MIXWELL_EXPORT void draw_wishart_factor(RandomNumbers& random, double degrees,
                                        ConstBatch scale_factor, Batch C);

/// Draws the precision W ~ Wishart(degrees, L L') as its factor C (see draw_wishart_factor), then
/// mean ~ N(m, (strength W)^-1) into `mean` (p x 1). This is the conjugate prior of a multivariate
/// normal's mean and precision.
MIXWELL_EXPORT void draw_normal_wishart(RandomNumbers& random, ConstBatch m, double strength,
                                        double degrees, ConstBatch scale_factor, Batch mean,
                                        Batch C);

/// Draws k from 0 .. n-1 with probability proportional to exp(log_weights[k]). An index with log
/// weight -inf is never drawn. At least one log weight must be finite. O(n). Overwrites the weights
/// with their cumulative sums.
MIXWELL_EXPORT Index draw_categorical(RandomNumbers& random,
                                      Eigen::Ref<Eigen::VectorXd> log_weights);

/// Draws from Dirichlet(concentrations) (each > 0) into out (n x 1), as gammas divided by their
/// sum. The computation uses logarithms, so it never divides 0 by 0, however small the
/// concentrations are.
MIXWELL_EXPORT void draw_dirichlet(RandomNumbers& random, ConstBatch concentrations, Batch out);

/// Density proportional to x^(-3/2) exp(-shape (x - mean)^2 / (2 mean^2 x)), mean and shape > 0
/// (Michael, Schucany & Haas 1976, Am. Stat. 30).
MIXWELL_EXPORT double draw_inverse_gaussian(RandomNumbers& random, double mean, double shape);

/// Density proportional to x^(p-1) exp(-(a x + b / x) / 2), a and b > 0, any p. The method draws
/// log x by rejection sampling (Devroye 2014, Stat. Comput. 24). The envelope consists of a
/// constant and two exponentials. A draw needs at most about 2.7 tries on average, for any
/// parameters.
MIXWELL_EXPORT double draw_generalised_inverse_gaussian(RandomNumbers& random, double p, double a,
                                                        double b);

/// A Poisson draw. The method is transformed rejection if the mean is at least 10 (PTRS, Hormann
/// 1993, Insurance Math. Econ. 12), and waiting times otherwise. Returns the mean itself if it is
/// at least 2^53. Returns NaN if the mean is invalid.
MIXWELL_EXPORT double draw_poisson(RandomNumbers& random, double mean);

/// Number of successes in n trials, each with probability p. n must be a whole number of at most
/// 2^53. The method is transformed rejection if n min(p, 1 - p) >= 10 (BTRS, Hormann 1993, J. Stat.
/// Comput. Simul. 46), and waiting times otherwise. Returns NaN if n or p is invalid.
MIXWELL_EXPORT double draw_binomial(RandomNumbers& random, double n, double p);

/// Mean mu > 0, variance mu + mu^2 / phi: a Poisson draw whose mean is a gamma draw.
MIXWELL_EXPORT double draw_negative_binomial(RandomNumbers& random, double mu, double phi);

/// Density proportional to x^(a-1) (1-x)^(b-1), a and b > 0. Drawn from two gammas, in logarithms.
MIXWELL_EXPORT double draw_beta(RandomNumbers& random, double a, double b);

/// Student's t with `degrees` > 0 degrees of freedom: a normal draw divided by the square root of a
/// draw from gamma(`degrees` / 2, `degrees` / 2).
MIXWELL_EXPORT double draw_student_t(RandomNumbers& random, double degrees);

/// N(mean, sd^2) given low < x < high. Both bounds may be infinite. The method is rejection
/// sampling. The bounds decide whether the proposal is normal, uniform or exponential (Robert 1995,
/// Stat. Comput. 5).
MIXWELL_EXPORT double draw_truncated_normal(RandomNumbers& random, double mean, double sd,
                                            double low, double high);

}  // namespace mixwell
