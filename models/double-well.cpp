// Model `double-well`: independent coordinates with density exp(-(a x^2 + b x^4)).
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/roots.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>

namespace {

using namespace mixwell;

/// The distribution of |x| under exp(-(a x^2 + b x^4)), b > 0, by quadrature. `panels` equal panels
/// cover the region where the density is at least e^-60 of its maximum. HalfLaw stores the masses
/// to the left and to the right of each panel edge. The relative error of a mass is below 1e-13.
class HalfLaw {
 public:
  HalfLaw(double a, double b) : a_(a), b_(b), lowest_(a < 0 ? -a * a / (4 * b) : 0) {
    // Solves a x^2 + b x^4 - lowest = depth for x^2, in the form without cancellation.
    const double middle = a < 0 ? -a / (2 * b) : 0;
    const double reach = std::sqrt(depth / b);
    low_ = a < 0 ? std::sqrt(std::max(0.0, middle - reach)) : 0;
    const double high = a < 0 ? std::sqrt(middle + reach)
                              : std::sqrt(2 * depth / (a + std::sqrt(a * a + 4 * b * depth)));
    width_ = (high - low_) / panels;
    for (std::size_t k = 0; k < panels; ++k) left_[k + 1] = left_[k] + mass(edge(k), edge(k + 1));
    for (std::size_t k = panels; k > 0; --k) right_[k - 1] = right_[k] + mass(edge(k - 1), edge(k));
  }

  /// x >= 0 with P(|X| <= x) = inside. `outside` = 1 - inside is passed too, so neither cancels.
  double quantile(double inside, double outside) const {
    if (outside < 0.5) {
      const double target = outside * right_.front();
      const auto after =
          std::lower_bound(right_.begin() + 1, right_.end() - 1, target, std::greater<>());
      const auto k = static_cast<std::size_t>(after - right_.begin()) - 1;
      return root(k, right_[k] - target);
    }
    const double target = inside * left_.back();
    const auto after = std::lower_bound(left_.begin() + 1, left_.end() - 1, target);
    const auto k = static_cast<std::size_t>(after - left_.begin()) - 1;
    return root(k, target - left_[k]);
  }

 private:
  static constexpr std::size_t panels = 128;
  static constexpr double depth = 60;

  double edge(std::size_t k) const { return low_ + width_ * static_cast<double>(k); }
  double density(double x) const {
    const double square = x * x;
    return std::exp(lowest_ - square * (a_ + b_ * square));
  }
  double mass(double from, double to) const {
    return boost::math::quadrature::gauss<double, 15>::integrate(
        [this](double x) { return density(x); }, from, to);
  }

  /// The x in panel k with the given mass between the panel's left edge and x.
  double root(std::size_t k, double wanted) const {
    const double from = edge(k);
    const double to = edge(k + 1);
    const auto excess = [=, this](double x) {
      return std::make_tuple(mass(from, x) - wanted, density(x));
    };
    const double share = wanted / mass(from, to);
    std::uintmax_t iterations = 60;
    return boost::math::tools::newton_raphson_iterate(excess, from + share * (to - from), from, to,
                                                      50, iterations);
  }

  double a_;
  double b_;
  double lowest_;
  double low_ = 0;
  double width_ = 0;
  std::array<double, panels + 1> left_{};
  std::array<double, panels + 1> right_{};
};

class DoubleWell final : public Model, public ExactSampler {
 public:
  struct Params {
    std::int64_t dimension = 1;
    double a = -2;
    double b = 1;

    void declare(Fields& fields) {
      fields.integer("dimension", dimension)
          .at_least(1)
          .at_most(most_coordinates)
          .help("number of coordinates d");
      fields.number("a", a).help("coefficient of x^2; a negative value makes two wells");
      fields.number("b", b).above(0).help("coefficient of x^4");
    }
  };

  explicit DoubleWell(const Params& params)
      : d_(params.dimension), a_(params.a), b_(params.b), law_(params.a, params.b) {}

  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {d_}}}; }
  GradientGrowth gradient_growth() const noexcept override {
    return GradientGrowth::locally_lipschitz;
  }

  /// Takes one uniform for each coordinate. The sign of its difference from 1/2 gives the sign of
  /// x, and the size of this difference gives |x|.
  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.uniforms(at, theta);
    flat(theta) = flat(theta).unaryExpr([this](double u) {
      const double size = law_.quantile(std::abs(2 * u - 1), 2 * std::min(u, 1 - u));
      return std::copysign(size, u - 0.5);
    });
  }

 private:
  bool evaluates_potential_alone() const noexcept override { return true; }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const auto x = flat(theta);
    if (out.wants_gradient()) flat(out.gradient) = x * (2 * a_ + 4 * b_ * x.square());
    if (!out.wants_potential()) return;
    const auto square = theta.array().square();
    out.u() = (square * (a_ + b_ * square)).colwise().sum().matrix();
  }

  Index d_;
  double a_;
  double b_;
  HalfLaw law_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<DoubleWell>(
      {.id = "double-well",
       .summary = "Independent coordinates with density exp(-(a x^2 + b x^4)); exact draws",
       .details = "U(theta) = sum (a theta_i^2 + b theta_i^4); parameter x has shape [d].\n"
                  "If a < 0, each coordinate has wells at +-sqrt(-a / (2 b)) and a barrier of a^2 "
                  "/ (4 b) nats between them, so there are 2^d modes. E x^2 = 0.8327 at a = -2, b "
                  "= 1. For an exact draw, Mixwell applies the inverse distribution function to "
                  "one uniform random number for each coordinate.",
       .sources = {}});
}
