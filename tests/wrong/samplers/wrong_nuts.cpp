// A second, recursive no-U-turn sampler: the right one, and mutants with one deliberate mistake
// each that declare to be right. Written for reading, not for speed; H = I.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace {

using namespace mixwell;
using Vector = Eigen::VectorXd;

enum class Mistake { none, biased_subtrees, late_subtrees, no_subtree_checks, positions_only };

struct Point {
  Vector theta, p, g;
  double u = 0.0;
  double energy() const { return u + 0.5 * p.squaredNorm(); }
};

struct Tree {
  Point first, last;  ///< in the order of time
  Point chosen;
  Vector rho;
  double weight = 0.0;
  bool valid = true;
};

/// One transition of one column.
class Transition {
 public:
  Transition(const Law& law, Workspace& scratch, double eps, Mistake mistake,
             const double* uniforms)
      : law_(law), scratch_(scratch), eps_(eps), mistake_(mistake), uniforms_(uniforms) {}

  Point operator()(const Point& start) {
    start_ = start;
    Tree tree = leaf(start);
    for (int depth = 0; depth < most_depth; ++depth) {
      const bool forwards = uniform() < 0.5;
      const Tree half = grow(forwards ? tree.last : tree.first, depth, forwards);
      if (!half.valid) break;
      const bool adopt = uniform() < half.weight / tree.weight;
      const Point chosen = adopt ? half.chosen : tree.chosen;
      tree = forwards ? joined(tree, half) : joined(half, tree);
      tree.chosen = chosen;
      if (!tree.valid) break;
    }
    return tree.chosen;
  }
  Index steps() const noexcept { return steps_; }

 private:
  static constexpr int most_depth = 6;

  double uniform() { return *uniforms_++; }

  Tree leaf(const Point& x) const {
    return {
        x, x, x, x.p, std::exp(start_.energy() - x.energy()), x.energy() - start_.energy() < 1000};
  }

  Tree grow(const Point& from, int depth, bool forwards) {
    if (depth == 0) return leaf(step(from, forwards));
    const Tree near = grow(from, depth - 1, forwards);
    if (!near.valid) return near;
    const Tree far = grow(forwards ? near.last : near.first, depth - 1, forwards);
    if (!far.valid) return far;
    const double late = mistake_ == Mistake::late_subtrees ? 0.85 : 1.0;
    const double share = mistake_ == Mistake::biased_subtrees
                             ? far.weight / near.weight
                             : late * far.weight / (near.weight + late * far.weight);
    const Point chosen = uniform() < share ? far.chosen : near.chosen;
    Tree both = forwards ? joined(near, far) : joined(far, near);
    both.chosen = chosen;
    if (mistake_ == Mistake::no_subtree_checks || mistake_ == Mistake::positions_only) {
      both.valid = true;
    }
    return both;
  }

  Tree joined(const Tree& a, const Tree& b) const {
    Tree both{a.first, b.last, a.chosen, a.rho + b.rho, a.weight + b.weight, true};
    both.valid = mistake_ == Mistake::positions_only ? moves_away(both) : straight(a, b, both.rho);
    return both;
  }

  static bool straight(const Tree& a, const Tree& b, const Vector& rho) {
    const auto along = [](const Point& x, const Point& y, const Vector& r) {
      return x.p.dot(r) > 0.0 && y.p.dot(r) > 0.0;
    };
    return along(a.first, b.last, rho) && along(a.first, b.first, a.rho + b.first.p) &&
           along(a.last, b.last, b.rho + a.last.p);
  }

  /// Both ends are still going away from where the transition started: the trajectory from its end
  /// would judge otherwise.
  bool moves_away(const Tree& both) const {
    return (both.last.theta - start_.theta).dot(both.last.p) >= 0.0 &&
           (both.first.theta - start_.theta).dot(both.first.p) <= 0.0;
  }

  Point step(const Point& from, bool forwards) {
    const double eps = forwards ? eps_ : -eps_;
    Point x = from;
    x.p -= 0.5 * eps * x.g;
    x.theta += eps * x.p;
    law_.evaluate(x.theta, {&x.u, x.g, scratch_});
    ++steps_;
    x.p -= 0.5 * eps * x.g;
    return x;
  }

  const Law& law_;
  Workspace& scratch_;
  double eps_;
  Mistake mistake_;
  const double* uniforms_;
  Point start_;
  Index steps_ = 0;
};

/// Inputs: theta, law, noise. Output: theta.
class TransitionBody final : public Body {
 public:
  TransitionBody(double eps, Mistake mistake) : eps_(eps), mistake_(mistake) {}

  void run(ColumnBlock& block) const override {
    const Index d = block.in(0).rows();
    const Index w = block.columns();
    MatrixMap p = block.scratch().matrix(d, w);
    MatrixMap uniforms = block.scratch().matrix(uniform_count, w);
    block.normals(2, p, 0);
    block.uniforms(2, uniforms, 1);
    const Law law = block.law(1);
    for (Index j = 0; j < w; ++j) {
      Point start{block.in(0).col(j), p.col(j), Vector(d), 0.0};
      law.evaluate(start.theta, {&start.u, start.g, block.scratch()});
      Transition transition(law, block.scratch(), eps_, mistake_, uniforms.col(j).data());
      block.out(0).col(j) = transition(start).theta;
    }
  }

 private:
  /// Two for each of 6 doublings, one for each join of at most 63 inside.
  static constexpr Index uniform_count = 128;
  double eps_;
  Mistake mistake_;
};

class WrongNuts final : public Kernel {
 public:
  struct Params {
    double step_size = 0.1;
    std::string mistake = "none";
    void declare(Fields& fields) {
      fields.number("step_size", step_size).above(0).refines(Refines::step_size);
      fields.text("mistake", mistake)
          .one_of(
              {"none", "biased-subtrees", "late-subtrees", "no-subtree-checks", "positions-only"});
    }
  };
  explicit WrongNuts(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    Traits traits;
    traits.invariant = true;
    graph.add(site.path + "/move", OperationKind::move, traits,
              {{graph.current(site.slot), Role::state},
               {site.target, Role::law},
               {graph.noise(site.path + "/move"), Role::noise}},
              {Output::next(site.slot)},
              std::make_shared<TransitionBody>(params_.step_size, mistake()));
  }

 private:
  Mistake mistake() const {
    if (params_.mistake == "biased-subtrees") return Mistake::biased_subtrees;
    if (params_.mistake == "late-subtrees") return Mistake::late_subtrees;
    if (params_.mistake == "no-subtree-checks") return Mistake::no_subtree_checks;
    if (params_.mistake == "positions-only") return Mistake::positions_only;
    return Mistake::none;
  }
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongNuts>(
      {.id = "wrong-nuts", .summary = "a recursive no-U-turn sampler, right or with a mistake"});
}
