// Gibbs sampling of integer parameters, one coordinate after another.
// SPDX-License-Identifier: Apache-2.0
#include "model-part/model_part.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace mixwell;
using model_part::ModelPart;

/// The largest number of values of a coordinate. It is limited because U is evaluated at each
/// value.
constexpr std::int64_t most_values = 4096;

enum class Decision { acceptance };

constexpr StatisticTable<Decision, 1> decisions{
    {{Decision::acceptance,
      {"acceptance_rate", RecordType::real, "",
       "probability of moving to a different value, averaged over the coordinates"}}}};

/// Replaces potentials u by probabilities p_0 .. p_(n-1); all 0 if no potential is finite.
void to_probabilities(double* u, Index n) {
  double least = INFINITY;
  for (Index k = 0; k < n; ++k) least = std::min(least, std::isnan(u[k]) ? INFINITY : u[k]);
  double sum = 0.0;
  for (Index k = 0; k < n; ++k) {
    u[k] = std::isfinite(least) && u[k] < INFINITY ? std::exp(least - u[k]) : 0.0;
    sum += u[k];
  }
  for (Index k = 0; k < n && sum > 0.0; ++k) u[k] /= sum;
}

/// Draws a value other than `left_out` with probability proportional to p. Returns -1 if no other
/// value has a positive probability.
Index choose(const double* p, Index n, Index left_out, double uniform) {
  double total = 0.0;
  for (Index k = 0; k < n; ++k) total += k == left_out ? 0.0 : p[k];
  if (!(total > 0.0)) return -1;
  Index last = -1;
  double below = uniform * total;
  for (Index k = 0; k < n; ++k) {
    if (k == left_out || p[k] == 0.0) continue;
    last = k;
    if (below < p[k]) break;
    below -= p[k];
  }
  return last;
}

/// Updates one coordinate after another from U at all of its n values: b n evaluations a column.
class DrawWholeNumbers {
 public:
  DrawWholeNumbers(std::vector<WholeNumbers> ranges, bool metropolised)
      : ranges_(std::move(ranges)), metropolised_(metropolised) {}

  void operator()(Columns& block, edge::Position theta, edge::Law law, edge::Noise noise,
                  edge::Out<edge::Position> next, edge::Statistics<Decision> out) const {
    edge::begin(theta, next);
    Workspace& scratch = block.scratch();
    const Index w = next.cols();
    out[Decision::acceptance].setZero();
    for (Index i = 0; i < next.rows(); ++i) {
      const Workspace::Frame frame(scratch);
      const WholeNumbers& range = ranges_[static_cast<std::size_t>(i)];
      const Index n = range.most - range.least + 1;
      MatrixMap p = scratch.matrix(n, w);
      evaluate(law, next, i, range, p, scratch);
      MatrixMap uniform = scratch.matrix(2, w);
      noise.uniforms(uniform, static_cast<std::uint32_t>(i));
      for (Index j = 0; j < w; ++j) {
        double* const of_column = p.col(j).data();
        to_probabilities(of_column, n);
        const auto now = static_cast<Index>(next(i, j)) - range.least;
        const double moves = 1.0 - of_column[now];
        out[Decision::acceptance](j) += moves / static_cast<double>(next.rows());
        const Index to = draw(of_column, n, now, uniform.col(j).data());
        next(i, j) = static_cast<double>(range.least + to);
      }
    }
  }

 private:
  /// U of every column with each value of coordinate i: n x w.
  void evaluate(const edge::Law& law, const MatrixMap& at, Index i, const WholeNumbers& range,
                MatrixMap& potentials, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    MatrixMap trials = scratch.matrix(at.rows(), at.cols());
    RowMap u = scratch.row(at.cols());
    trials = at;
    for (Index k = 0; k < potentials.rows(); ++k) {
      trials.row(i).setConstant(static_cast<double>(range.least + k));
      law.evaluate(trials, Evaluation::of_potential(u.data(), trials, scratch));
      potentials.row(k) = u;
    }
  }

  /// Metropolised: proposes another value y with probability p_y / (1 - p_now), and accepts y with
  /// probability min(1, (1 - p_now) / (1 - p_y)).
  Index draw(const double* p, Index n, Index now, const double* uniform) const {
    const Index to = choose(p, n, metropolised_ ? now : -1, uniform[0]);
    if (to < 0) return now;
    if (!metropolised_) return to;
    return uniform[1] * (1.0 - p[to]) < 1.0 - p[now] ? to : now;
  }

  std::vector<WholeNumbers> ranges_;
  bool metropolised_;
};

class Gibbs final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    bool metropolised = true;

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("source of U");
      fields.flag("metropolised", metropolised)
          .help(
              "propose a different value for better mixing (false: draw from the conditional "
              "distribution)");
    }
  };
  explicit Gibbs(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    const auto law = t.law(params_.oracle);
    t.add("draw", OperationKind::move, {.invariant = true, .whole_numbers = true},
          DrawWholeNumbers(ranges(t), params_.metropolised), t.position(), law, t.noise("draw"),
          t.next(), t.statistics(decisions));
  }

 private:
  std::vector<WholeNumbers> ranges(const Transition& t) const {
    const ModelPart part(t);
    if (part.model() == nullptr)
      refuse(part.slot(),
             "the target density is not the density of a model. Use a different kernel.");
    const auto all = whole_numbers(part.model()->parameters());
    const auto names = coordinate_names(part.model()->parameters());
    std::vector<WholeNumbers> found;
    for (const Index c : part.coordinates()) {
      const auto& range = all[static_cast<std::size_t>(c)];
      const std::string& coordinate = names[static_cast<std::size_t>(c)];
      if (!range) refuse(coordinate, "this parameter takes real numbers. Use kernel `slice`.");
      if (range->most - range->least >= most_values) {
        refuse(coordinate,
               "this parameter has more than " + std::to_string(most_values) +
                   " values. Use a different kernel, or narrow the bounds of the parameter.");
      }
      found.push_back(*range);
    }
    return found;
  }

  [[noreturn]] void refuse(const std::string& what, const std::string& why) const {
    throw InputError("kernel `" + name() + "` evaluates U at every value of `" + what +
                     "`, which is not possible here: " + why);
  }

  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Gibbs>(
      {.id = "gibbs",
       .summary = "Gibbs sampling of integer parameters, by evaluating U at every possible value",
       .details =
           "Use this kernel for parameters whose values are whole numbers within bounds. Examples "
           "are changepoints and labels. The kernel updates one coordinate after another. It "
           "evaluates U at each of the n values of a coordinate to get their conditional "
           "probabilities p. By default the kernel proposes a value y other than the current x "
           "with probability p_y / (1 - p_x), and accepts y with probability min(1, (1 - p_x) / (1 "
           "- p_y)). With metropolised = false the kernel draws the value from the conditional "
           "distribution. Each coordinate costs n evaluations of U.",
       .sources = {"Geman & Geman 1984, IEEE Trans. PAMI 6", "Liu 1996, Biometrika 83, 681-682"}});
}
