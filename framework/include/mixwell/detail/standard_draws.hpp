// Draws from standard laws, such as those of conjugate models, from one stream of random numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/random.hpp>
#include <mixwell/base/types.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace mixwell {

/// The random numbers of one replicate in one draw of a stream, one after another: for draws that
/// take as many as they need. A pure function of stream and address; 16 uniforms are made at a
/// time. At most 2^16 such refills, of which no draw below takes more than a few: std::out_of_range
/// beyond them.
class MIXWELL_EXPORT RandomNumbers {
 public:
  /// `at.draw` below 2^8; sources that differ in it share no numbers.
  RandomNumbers(const Stream& stream, Address at);

  double uniform() {  ///< U(0, 1), open at both ends
    if (next_ == buffer_.size()) refill();
    return buffer_[next_++];
  }
  double normal();       ///< N(0, 1), by Box and Muller
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

/// Calls draw(random, x) for every column x (d numbers) of theta, with the random numbers of its
/// replicate: at.replicate + j for column j.
template <class DrawColumn>
void each_column(const Stream& stream, Address at, Batch theta, const DrawColumn& draw) {
  for (Index j = 0; j < theta.cols(); ++j) {
    RandomNumbers random(stream, {at.sweep, at.draw, at.replicate + static_cast<std::uint64_t>(j)});
    draw(random, theta.data() + j * theta.rows());
  }
}

/// Calls draw(n, random) for n = 0, ..., cases - 1 with the random numbers of one replicate: 4096
/// cases in a row (more, where there are more than 2^20 cases) take them one after another, the
/// next ones from the next draw of the address.
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

/// Density x^(shape-1) exp(-rate x). shape, rate > 0. Marsaglia & Tsang 2000, ACM Trans. Math.
/// Softw. 26; below shape 1 by U^(1/shape). About one normal and one uniform.
MIXWELL_EXPORT double draw_gamma(RandomNumbers& random, double shape, double rate);
/// log of such a draw: finite where a small shape makes x itself 0.
MIXWELL_EXPORT double draw_log_gamma(RandomNumbers& random, double shape, double rate);

/// precision ~ gamma(shape, rate), then mean ~ N(mean, 1 / (strength precision)): the conjugate law
/// of a normal's mean and precision (Bernardo & Smith 1994, section 5.2).
struct NormalGamma {
  double mean;
  double precision;
};
MIXWELL_EXPORT NormalGamma draw_normal_gamma(RandomNumbers& random, double mean, double strength,
                                             double shape, double rate);

/// W ~ Wishart(degrees, L L'), E W = degrees L L', as W = (L A)(L A)' with Bartlett's lower
/// triangle A (Bartlett 1933; Smith & Hocking 1972, Appl. Stat. 21). `scale_factor` p x p, its
/// lower triangle L; degrees > p - 1. Writes the lower triangle L A of W = C C' into C (p x p,
/// zeros above). O(p^3).
MIXWELL_EXPORT void draw_wishart_factor(RandomNumbers& random, double degrees,
                                        ConstBatch scale_factor, Batch C);

/// Precision W ~ Wishart(degrees, L L') with its factor as above, then mean ~ N(m, (strength
/// W)^-1) into `mean` (p x 1): the conjugate law of a multivariate normal's mean and precision.
MIXWELL_EXPORT void draw_normal_wishart(RandomNumbers& random, ConstBatch m, double strength,
                                        double degrees, ConstBatch scale_factor, Batch mean,
                                        Batch C);

/// k of 0 .. n-1 with probability proportional to exp(log_weights[k]); -inf is never drawn. At
/// least one must be finite. O(n), overwrites the weights by their cumulative sums.
MIXWELL_EXPORT Index draw_categorical(RandomNumbers& random,
                                      Eigen::Ref<Eigen::VectorXd> log_weights);

/// Dirichlet(concentrations) (each > 0) into out, n x 1, as gammas over their sum, in logarithms:
/// no division of 0 by 0 however small they are.
MIXWELL_EXPORT void draw_dirichlet(RandomNumbers& random, ConstBatch concentrations, Batch out);

/// Density x^(-3/2) exp(-shape (x - mean)^2 / (2 mean^2 x)). Michael, Schucany & Haas 1976, Am.
/// Stat. 30. mean, shape > 0.
MIXWELL_EXPORT double draw_inverse_gaussian(RandomNumbers& random, double mean, double shape);

/// Density x^(p-1) exp(-(a x + b / x) / 2). a, b > 0, any p. Devroye 2014, Stat. Comput. 24:
/// rejection in log x under an envelope of a constant and two exponentials, at most about 2.7
/// tries in the mean whatever the parameters.
MIXWELL_EXPORT double draw_generalised_inverse_gaussian(RandomNumbers& random, double p, double a,
                                                        double b);

/// Poisson. Hormann 1993, Insurance Math. Econ. 12 (PTRS, transformed rejection), from mean 10 on;
/// below, by waiting times. From mean 2^53 on the mean itself; NaN of what is no mean.
MIXWELL_EXPORT double draw_poisson(RandomNumbers& random, double mean);

/// How many of n, a whole number of at most 2^53, have what each has with probability p. Hormann
/// 1993, J. Stat. Comput. Simul. 46 (BTRS), where n min(p, 1 - p) >= 10; below, by waiting times.
/// NaN of what is no such n or p.
MIXWELL_EXPORT double draw_binomial(RandomNumbers& random, double n, double p);

/// Mean mu > 0, variance mu + mu^2 / phi: a Poisson draw whose mean is a gamma draw.
MIXWELL_EXPORT double draw_negative_binomial(RandomNumbers& random, double mu, double phi);

/// Density x^(a-1) (1-x)^(b-1), a, b > 0, by two gammas in logarithms.
MIXWELL_EXPORT double draw_beta(RandomNumbers& random, double a, double b);

/// Student's t of `degrees` > 0 of freedom: a normal over the root of a gamma.
MIXWELL_EXPORT double draw_student_t(RandomNumbers& random, double degrees);

/// N(mean, sd^2) given low < x < high, either of which may be infinite. Robert 1995, Stat. Comput.
/// 5: rejection from the normal, a uniform or an exponential, whichever is often taken.
MIXWELL_EXPORT double draw_truncated_normal(RandomNumbers& random, double mean, double sd,
                                            double low, double high);

}  // namespace mixwell
