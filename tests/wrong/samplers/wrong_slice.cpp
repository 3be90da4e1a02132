// Slice sampling of each coordinate, and one mistake of choice; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>

namespace {

using namespace mixwell;

/// Stepping out by w, at most `most_steps` intervals in all, then shrinking towards the start.
class Slice {
 public:
  explicit Slice(wrong::Mistake mistake) : mistake_(std::move(mistake)) {}

  void operator()(Columns& block, edge::Position theta, edge::Law law, edge::Noise noise,
                  edge::Out<edge::Position> next) const {
    edge::begin(theta, next);
    Workspace& scratch = block.scratch();
    RowMap before = scratch.row(next.cols());
    law.evaluate(next, Evaluation::of_potential(before.data(), next, scratch));
    for (Index i = 0; i < next.rows(); ++i) {
      const Workspace::Frame frame(scratch);
      MatrixMap uniform = scratch.matrix(most_cuts + 3, next.cols());
      noise.uniforms(uniform, static_cast<std::uint32_t>(i) * (most_cuts + 3));
      for (Index j = 0; j < next.cols(); ++j) {
        const mixwell::Law of_column = law.regrouped(&j);
        move({of_column, MatrixMap(next.col(j).data(), next.rows(), 1), i, before(j), scratch},
             uniform.col(j).data());
      }
    }
  }

 private:
  static constexpr Index most_cuts = 60;
  static constexpr int most_steps = 3;
  static constexpr double width = 1.0;

  /// U of one column as a function of coordinate i.
  struct Line {
    const mixwell::Law& law;
    MatrixMap x;
    Index i;
    double before;  ///< U at the start of the transition
    Workspace& scratch;

    double potential(double value) {
      const Workspace::Frame frame(scratch);
      MatrixMap at = scratch.matrix(x.rows(), 1);
      at = x;
      at(i, 0) = value;
      double u = 0.0;
      law.evaluate(at, Evaluation::of_potential(&u, at, scratch));
      return u;
    }
  };

  void move(Line line, const double* uniform) const {
    const double start = line.x(line.i, 0);
    const double here = mistake_.is("stale-level") ? line.before : line.potential(start);
    const double level = here - (mistake_.is("level") ? 2.0 : 1.0) * std::log(uniform[0]);
    double low = start - width * (mistake_.is("no-offset") ? 0.5 : uniform[1]);
    double high = low + width;
    int left = static_cast<int>(most_steps * uniform[2]);
    int right = most_steps - 1 - left;
    if (mistake_.is("steps-not-shared")) left = right = most_steps;
    while (left-- > 0 && line.potential(low) < level) low -= width;
    while (right-- > 0 && line.potential(high) < level) high += width;
    for (Index k = 0; k < most_cuts; ++k) {
      const double to = low + (high - low) * uniform[3 + k];
      if (line.potential(to) < level) {
        line.x(line.i, 0) = to;
        return;
      }
      (to < start ? low : high) = to;
    }
  }

  wrong::Mistake mistake_;
};

class WrongSlice final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      mistake.declare(fields, {"no-offset", "steps-not-shared", "stale-level", "level"});
    }
  };
  explicit WrongSlice(const Params& params) : mistake_(params.mistake) {}

 protected:
  void transition(Transition& t) const override {
    t.add("slice", OperationKind::move, wrong::claims_exact(), Slice(mistake_), t.position(),
          t.target(), t.noise("slice"), t.next());
  }

 private:
  wrong::Mistake mistake_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongSlice>(
      {.id = "wrong-slice", .summary = "slices of coordinates with a mistake of choice"});
}
