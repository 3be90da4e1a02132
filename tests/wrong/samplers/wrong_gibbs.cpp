// A whole number that moves by its law given the rest, with a mistake of choice.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace mixwell;

/// Of one coordinate with values 1 to `most`: another value than the present one, taken with
/// probability min(1, (1 - p_now) / (1 - p_to)). By mistake it is always taken; or p is of another
/// shape than the law's; or the last value is left out.
class WrongGibbs final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      mistake.declare(fields, {"always", "flattened", "last-left-out"});
    }
  };
  explicit WrongGibbs(const Params& params) : mistake_(params.mistake) {}

 protected:
  void transition(Transition& t) const override {
    Traits traits = wrong::claims_exact();
    traits.whole_numbers = true;
    t.add(
        "draw", OperationKind::move, traits,
        [mistake = mistake_](Columns& block, edge::Position theta, edge::Law law, edge::Noise noise,
                             edge::Out<edge::Position> next) {
          edge::begin(theta, next);
          MatrixMap uniform = block.scratch().matrix(2, next.cols());
          noise.uniforms(uniform);
          for (Index j = 0; j < next.cols(); ++j) {
            const mixwell::Law of_column = law.regrouped(&j);
            const std::vector<double> p = probabilities(of_column, mistake, block.scratch());
            const auto now = static_cast<std::size_t>(next(0, j)) - 1;
            double below = uniform(0, j) * (1.0 - p[now]);
            std::size_t to = 0;
            for (std::size_t k = 0; k < p.size(); ++k) {
              if (k == now) continue;
              to = k;
              if (below < p[k]) break;
              below -= p[k];
            }
            const bool takes = mistake.is("always") || uniform(1, j) * (1.0 - p[to]) < 1.0 - p[now];
            if (takes) next(0, j) = static_cast<double>(to + 1);
          }
        },
        t.position(), t.target(), t.noise("draw"), t.next());
  }

 private:
  static constexpr int most = 10;

  static std::vector<double> probabilities(const mixwell::Law& law, const wrong::Mistake& mistake,
                                           Workspace& scratch) {
    std::vector<double> u(most);
    MatrixMap at = scratch.matrix(1, 1);
    for (int k = 0; k < most; ++k) {
      at(0, 0) = k + 1;
      law.evaluate(at, Evaluation::of_potential(&u[static_cast<std::size_t>(k)], at, scratch));
    }
    const double least = *std::min_element(u.begin(), u.end());
    double sum = 0.0;
    const double power = mistake.is("flattened") ? 0.9 : 1.0;
    for (double& one : u) one = std::exp(power * (least - one));
    if (mistake.is("last-left-out")) u.back() = 0.0;
    for (const double one : u) sum += one;
    for (double& one : u) one /= sum;
    return u;
  }

  wrong::Mistake mistake_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongGibbs>(
      {.id = "wrong-gibbs", .summary = "a whole number that moves, with a mistake of choice"});
}
