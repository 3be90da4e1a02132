// Draws from normal, gamma, Wishart, Dirichlet, inverse Gaussian and other distributions.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/detail/standard_draws.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace mixwell {
namespace {

constexpr std::uint32_t refill_bits = 16;
constexpr std::uint32_t most_refills = 1U << refill_bits;

/// log(-log u) stays finite, because u is at most 1 - 2^-53.
double minus_log(double u) { return -std::log(u); }

/// A gamma draw with shape >= 1 and rate 1.
double gamma_from_one_up(RandomNumbers& random, double shape) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = random.normal();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log(random.uniform()) < 0.5 * x * x + d * (1.0 - v + std::log(v))) return d * v;
  }
}

/// Devroye's log-concave density exp(psi) in log x, for lambda >= 0 and omega = sqrt(a b).
class LogGig {
 public:
  LogGig(double lambda, double omega)
      : lambda_(lambda),
        alpha_(omega * omega / (std::hypot(omega, lambda) + lambda)) {  // no cancellation
    t_ = right();
    s_ = left();
    eta_ = -psi(t_);
    zeta_ = -slope(t_);
    theta_ = -psi(-s_);
    xi_ = slope(-s_);
    p_ = 1.0 / xi_;
    r_ = 1.0 / zeta_;
    inner_t_ = t_ - r_ * eta_;
    inner_s_ = s_ - p_ * theta_;
    q_ = inner_t_ + inner_s_;
  }

  double draw(RandomNumbers& random) const {
    while (true) {
      const double x = proposed(random.uniform(), random.uniform());
      if (random.uniform() * envelope(x) <= std::exp(psi(x))) return x;
    }
  }

 private:
  double psi(double x) const {
    return -alpha_ * (std::cosh(x) - 1.0) - lambda_ * (std::expm1(x) - x);
  }
  double slope(double x) const { return -alpha_ * std::sinh(x) - lambda_ * std::expm1(x); }

  double right() const {
    const double fall = -psi(1.0);
    if (fall > 2.0) return std::sqrt(2.0 / (alpha_ + lambda_));
    return fall < 0.5 ? std::log(4.0 / (alpha_ + 2.0 * lambda_)) : 1.0;
  }
  double left() const {
    const double fall = -psi(-1.0);
    if (fall > 2.0) return std::sqrt(4.0 / (alpha_ * std::cosh(1.0) + lambda_));
    if (fall >= 0.5) return 1.0;
    const double inverse = 1.0 / alpha_;
    const double flat = std::log(1.0 + inverse + std::sqrt(inverse * inverse + 2.0 * inverse));
    return lambda_ > 0.0 ? std::min(1.0 / lambda_, flat) : flat;
  }

  double proposed(double which, double v) const {
    const double place = which * (p_ + q_ + r_);
    if (place < q_) return -inner_s_ + q_ * v;
    if (place < q_ + r_) return inner_t_ + r_ * minus_log(v);
    return -inner_s_ - p_ * minus_log(v);
  }
  double envelope(double x) const {
    if (x > inner_t_) return std::exp(-eta_ - zeta_ * (x - t_));
    if (x < -inner_s_) return std::exp(-theta_ + xi_ * (x + s_));
    return 1.0;
  }

  double lambda_, alpha_;
  double t_, s_, eta_, zeta_, theta_, xi_, p_, r_, inner_t_, inner_s_, q_;
};

/// A draw of N(0, 1) given a < x < b, with 0 between a and b.
double around_zero(RandomNumbers& random, double a, double b) {
  if (b - a > std::sqrt(2.0 * std::numbers::pi)) {
    while (true) {
      const double x = random.normal();
      if (a < x && x < b) return x;
    }
  }
  while (true) {
    const double x = a + (b - a) * random.uniform();
    if (std::log(random.uniform()) < -0.5 * x * x) return x;
  }
}

/// A draw of N(0, 1) given a < x < b, with 0 <= a.
double in_upper_tail(RandomNumbers& random, double a, double b) {
  const double root = std::sqrt(a * a + 4.0);
  const double rate = 0.5 * (a + root);
  const double narrow =
      2.0 * std::sqrt(std::numbers::e) / (a + root) * std::exp(0.25 * (a * a - a * root));
  if (b - a <= narrow) {
    while (true) {
      const double x = a + (b - a) * random.uniform();
      if (std::log(random.uniform()) < 0.5 * (a * a - x * x)) return x;
    }
  }
  while (true) {
    const double x = a + random.exponential() / rate;
    const double off = x - rate;
    if (x < b && std::log(random.uniform()) < -0.5 * off * off) return x;
  }
}

double truncated_standard(RandomNumbers& random, double a, double b) {
  if (a >= 0.0) return in_upper_tail(random, a, b);
  if (b <= 0.0) return -in_upper_tail(random, -b, -a);
  return around_zero(random, a, b);
}

}  // namespace

RandomNumbers::RandomNumbers(const Stream& stream, Address at) : stream_(stream), at_(at) {
  if (at.draw >= 1U << 8)
    throw std::out_of_range(
        "RandomNumbers: `draw` in the address must be below 2^8. Use a smaller number");
}

void RandomNumbers::refill() {
  if (refills_ == most_refills) {
    throw std::out_of_range(
        "RandomNumbers: one draw may use at most 2^20 random numbers. Use several addresses with "
        "different values of `draw`");
  }
  const std::uint32_t draw = at_.draw << refill_bits | refills_++;
  MatrixMap numbers(buffer_.data(), static_cast<Index>(buffer_.size()), 1);
  stream_.uniforms({at_.sweep, draw, at_.replicate}, numbers);
  next_ = 0;
}

double RandomNumbers::normal() {
  has_spare_ = !has_spare_;
  if (!has_spare_) return spare_;
  const double radius = std::sqrt(2.0 * minus_log(uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

double RandomNumbers::exponential() { return minus_log(uniform()); }

double draw_log_gamma(RandomNumbers& random, double shape, double rate) {
  if (shape >= 1.0) return std::log(gamma_from_one_up(random, shape) / rate);
  const double up = gamma_from_one_up(random, shape + 1.0);
  return std::log(up / rate) - random.exponential() / shape;
}

double draw_gamma(RandomNumbers& random, double shape, double rate) {
  if (shape >= 1.0) return gamma_from_one_up(random, shape) / rate;
  return std::exp(draw_log_gamma(random, shape, rate));
}

NormalGamma draw_normal_gamma(RandomNumbers& random, double mean, double strength, double shape,
                              double rate) {
  const double precision = draw_gamma(random, shape, rate);
  return {mean + random.normal() / std::sqrt(strength * precision), precision};
}

void draw_wishart_factor(RandomNumbers& random, double degrees, ConstBatch scale_factor, Batch C) {
  C.setZero();
  for (Index i = 0; i < C.rows(); ++i) {
    for (Index k = 0; k < i; ++k) C(i, k) = random.normal();
    const double freedom = degrees - static_cast<double>(i);
    C(i, i) = std::sqrt(2.0 * draw_gamma(random, 0.5 * freedom, 1.0));
  }
  // Goes from the last row up and from the first column on, because (L A)_ik only needs rows k..i
  // of A.
  for (Index i = C.rows(); i-- > 0;) {
    for (Index k = 0; k <= i; ++k) {
      double sum = 0.0;
      for (Index l = k; l <= i; ++l) sum += scale_factor(i, l) * C(l, k);
      C(i, k) = sum;
    }
  }
}

void draw_normal_wishart(RandomNumbers& random, ConstBatch m, double strength, double degrees,
                         ConstBatch scale_factor, Batch mean, Batch C) {
  draw_wishart_factor(random, degrees, scale_factor, C);
  for (Index i = 0; i < mean.rows(); ++i) mean(i, 0) = random.normal() / std::sqrt(strength);
  C.triangularView<Eigen::Lower>().transpose().solveInPlace(mean);
  mean += m;
}

Index draw_categorical(RandomNumbers& random, Eigen::Ref<Eigen::VectorXd> log_weights) {
  const double largest = log_weights.maxCoeff();
  double sum = 0.0;
  for (double& weight : log_weights) weight = sum += std::exp(weight - largest);
  const double place = random.uniform() * sum;
  const double* const begin = log_weights.data();
  return std::upper_bound(begin, begin + log_weights.size() - 1, place) - begin;
}

void draw_dirichlet(RandomNumbers& random, ConstBatch concentrations, Batch out) {
  for (Index i = 0; i < out.rows(); ++i)
    out(i, 0) = draw_log_gamma(random, concentrations(i, 0), 1);
  out.array() = (out.array() - out.maxCoeff()).exp();
  out /= out.sum();
}

double draw_inverse_gaussian(RandomNumbers& random, double mean, double shape) {
  const double z = random.normal();
  const double y = mean * z * z / (2.0 * shape);
  // 1 + y - sqrt(2 y + y^2), without cancellation
  const double smaller = 1.0 / (1.0 + y + std::sqrt(y * (2.0 + y)));
  const bool takes_smaller = random.uniform() * (1.0 + smaller) <= 1.0;
  return takes_smaller ? mean * smaller : mean / smaller;
}

double draw_generalised_inverse_gaussian(RandomNumbers& random, double p, double a, double b) {
  const double omega = std::sqrt(a * b);
  const double lambda = std::abs(p);
  const double x = LogGig(lambda, omega).draw(random);
  const double ratio = lambda / omega;
  const double mode = ratio + std::sqrt(1.0 + ratio * ratio);
  const double standard = mode * std::exp(x);
  return std::sqrt(b / a) * (p < 0.0 ? 1.0 / standard : standard);
}

double draw_truncated_normal(RandomNumbers& random, double mean, double sd, double low,
                             double high) {
  return mean + sd * truncated_standard(random, (low - mean) / sd, (high - mean) / sd);
}

}  // namespace mixwell
