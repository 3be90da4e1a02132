// A kernel from outside Mixwell: slice sampling along a random direction.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// Moves to theta + x v with v ~ N(0, I). x is uniform on the slice U < level, by stepping out at
/// most m times and shrinkage. Processes one column after another, with about six evaluations each.
class Slice {
 public:
  explicit Slice(double width) : width_(width) {}

  void operator()(Columns& block, edge::Position theta, edge::Law law, edge::Noise noise,
                  edge::Out<edge::Position> next) const {
    Workspace& scratch = block.scratch();
    const MatrixMap v = noise.normals(theta.rows(), theta.cols());
    MatrixMap uniform = scratch.matrix(numbers, theta.cols());
    noise.uniforms(uniform, 1);
    MatrixMap at = scratch.matrix(theta.rows(), 1);
    for (Index j = 0; j < theta.cols(); ++j) {
      const mixwell::Law of_column = law.regrouped(&j);
      const auto potential = [&](double x) {
        double u = 0.0;
        at = theta.col(j) + x * v.col(j);
        of_column.evaluate(at, Evaluation::of_potential(&u, at, scratch));
        return u;
      };
      const double x = draw(potential, uniform.col(j).data());
      next.col(j) = theta.col(j) + x * v.col(j);
    }
  }

 private:
  static constexpr Index numbers = 64;
  static constexpr double most_steps = 32;

  template <class Potential>
  double draw(const Potential& potential, const double* uniform) const {
    const double level = potential(0.0) - std::log(uniform[0]);
    double low = -width_ * uniform[1];
    double high = low + width_;
    double left = std::floor(most_steps * uniform[2]);
    double right = most_steps - 1 - left;
    for (; left > 0 && potential(low) < level; --left) low -= width_;
    for (; right > 0 && potential(high) < level; --right) high += width_;
    for (Index k = 3; k < numbers; ++k) {
      const double x = low + (high - low) * uniform[k];
      if (potential(x) < level) return x;
      (x < 0.0 ? low : high) = x;
    }
    return 0.0;  // the interval has shrunk to 2^-60 of its length
  }

  double width_;
};

class DirectionSlice final : public TransitionKernel {
 public:
  struct Params {
    double width = 1.0;

    void declare(Fields& fields) {
      fields.number("width", width)
          .above(0)
          .help("initial length of the interval, in units of |v|");
    }
  };
  explicit DirectionSlice(const Params& params) : width_(params.width) {}

 protected:
  void transition(Transition& t) const override {
    Traits traits;
    traits.invariant = true;
    t.add("slice", OperationKind::move, traits, Slice(width_), t.position(), t.target(),
          t.noise("slice"), t.next());
  }

 private:
  double width_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<DirectionSlice>({.id = "direction-slice",
                                 .summary = "Slice sampling along random directions",
                                 .sources = {"Neal 2003, Ann. Stat. 31"}});
}
