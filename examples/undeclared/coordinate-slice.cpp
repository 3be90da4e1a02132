// A kernel from outside Mixwell that declares nothing: slice sampling of single coordinates.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>

namespace {

using namespace mixwell;

/// Inputs: theta, law, noise. Output: theta. Stepping out without doubling, then shrinkage (Neal
/// 2003). Processes one column after another, with tens of evaluations for each coordinate.
class SliceBody final : public Body {
 public:
  enum In : std::size_t { theta, law, noise };

  explicit SliceBody(double width) : width_(width) {}

  void run(ColumnBlock& block) const override {
    MatrixMap next = block.out(0);
    next = block.in(theta).eval();
    for (Index j = 0; j < next.cols(); ++j) {
      for (Index i = 0; i < next.rows(); ++i) move(block, next, i, j);
    }
  }

 private:
  /// Random numbers for the update of one coordinate; far more than it ever needs.
  static constexpr Index most_trials = 64;

  void move(ColumnBlock& block, MatrixMap next, Index i, Index j) const {
    const Workspace::Frame frame(block.scratch());
    MatrixMap numbers = block.scratch().matrix(most_trials, block.columns());
    block.uniforms(noise, numbers, static_cast<std::uint32_t>(i));
    const auto uniform = [&](Index k) { return numbers(k, j); };
    const double start = next(i, j);
    const double level = potential(block, next, j) - std::log(uniform(0));
    const auto inside = [&](double x) {
      next(i, j) = x;
      return potential(block, next, j) < level;
    };
    double low = start - width_ * uniform(1);
    double high = low + width_;
    while (inside(low)) low -= width_;
    while (inside(high)) high += width_;
    for (Index k = 2; k < most_trials; ++k) {
      const double x = low + (high - low) * uniform(k);
      if (inside(x)) return;
      (x < start ? low : high) = x;
    }
    next(i, j) = start;
  }

  static double potential(ColumnBlock& block, MatrixMap at, Index j) {
    const Workspace::Frame frame(block.scratch());
    double u = 0.0;
    block.law(law).regrouped(&j).evaluate(at.col(j),
                                          Evaluation::of_potential(&u, at.col(j), block.scratch()));
    return u;
  }

  double width_;
};

class CoordinateSlice final : public Kernel {
 public:
  struct Params {
    double width = 1.0;

    void declare(Fields& fields) {
      fields.number("width", width).above(0).help("initial length of the interval");
    }
  };
  explicit CoordinateSlice(const Params& params) : width_(params.width) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    Traits traits;  // traits.invariant = true would be right, and would make the certificate exact
    graph.add(site.path + "/slice", OperationKind::move, traits,
              {{graph.current(site.slot), Role::state},
               {site.target, Role::law},
               {graph.noise(site.path + "/slice"), Role::noise}},
              {Output::next(site.slot)}, std::make_shared<SliceBody>(width_));
  }

 private:
  double width_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  Description about;
  about.id = "coordinate-slice";
  about.summary = "Slice sampling of one coordinate after another, without declared traits";
  about.details =
      "An example of a kernel from outside Mixwell. It leaves pi invariant but does not declare "
      "this, and the graph does not show it. So its certificate is `biased`, unproven. If it "
      "declared `invariant`, the certificate would be exact, and the contract of compositions "
      "would test the declaration.";
  about.sources = {"Neal 2003, Ann. Stat. 31"};
  registrar.add<CoordinateSlice>(about);
}
