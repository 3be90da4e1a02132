// Slice sampling, one coordinate after another.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>

namespace {

using namespace mixwell;

/// Largest number of shrinking steps. After this many steps the column keeps its position, because
/// the interval then contains only its start.
constexpr std::uint32_t most_cuts = 200;

/// One column's interval around coordinate i, while it grows and while it shrinks.
struct Interval {
  double start, level, low, high;
  std::int64_t left, right;
  enum class Stage { left, right, inside, done } stage;

  double trial(double uniform) const {
    if (stage == Stage::left) return low;
    return stage == Stage::right ? high : low + (high - low) * uniform;
  }

  /// Changes the interval according to U at the trial point. `width` is the length of a step out.
  void learn(double trial, double u, double width) {
    const bool is_in = u < level;
    switch (stage) {
      case Stage::left:
        if (is_in && left-- > 0)
          low -= width;
        else
          stage = Stage::right;
        return;
      case Stage::right:
        if (is_in && right-- > 0)
          high += width;
        else
          stage = Stage::inside;
        return;
      case Stage::inside:
        if (is_in) {
          start = trial;
          stage = Stage::done;
        } else {
          (trial < start ? low : high) = trial;
        }
        return;
      case Stage::done:
        return;
    }
  }
};

enum class Count { evaluations };

constexpr StatisticTable<Count, 1> counts{
    {{Count::evaluations,
      {"slice_evaluations", RecordType::integer, "", "evaluations of U in the transition"}}}};

/// All columns run together: in each round, every column that is not done evaluates one trial. A
/// coordinate needs about 3 to 8 rounds if the width is suitable. A round copies b numbers for each
/// column.
class SliceCoordinates {
 public:
  SliceCoordinates(double width, std::int64_t most_steps)
      : width_(width), most_steps_(most_steps) {}

  void operator()(Columns& block, edge::Position theta, edge::Law law,
                  edge::Potential<edge::Here> u, edge::Noise noise, edge::Out<edge::Position> next,
                  edge::Statistics<Count> out) const {
    edge::begin(theta, next);
    Workspace& scratch = block.scratch();
    const Index w = next.cols();
    RowMap potential = scratch.row(w);
    potential = u;
    out[Count::evaluations].setZero();
    for (Index i = 0; i < next.rows(); ++i) {
      const Workspace::Frame frame(scratch);
      auto* const intervals = scratch.objects<Interval>(w);
      begin(intervals, next, i, potential, noise, scratch);
      std::uint32_t cuts = 0;
      for (std::uint32_t round = 0; cuts < most_cuts; ++round) {
        if (!advance(intervals, next, i, law, potential, noise, round, out, scratch)) break;
        cuts = round > 2 * static_cast<std::uint32_t>(most_steps_) ? cuts + 1 : 0;
      }
    }
  }

  /// Number of positions in the random stream that a coordinate may use.
  static std::uint32_t draws_of(std::int64_t most_steps) {
    return 2 * static_cast<std::uint32_t>(most_steps) + most_cuts + 8;
  }

 private:
  static constexpr Index numbers_at_start = 3;

  std::uint32_t draw(Index i, std::uint32_t k) const {
    return static_cast<std::uint32_t>(i) * draws_of(most_steps_) + k;
  }

  /// Draws the level, the first interval, and how many steps each end may take.
  void begin(Interval* intervals, const MatrixMap& at, Index i, const RowMap& potential,
             const edge::Noise& noise, Workspace& scratch) const {
    MatrixMap uniform = scratch.matrix(numbers_at_start, at.cols());
    noise.uniforms(uniform, draw(i, 0));
    for (Index j = 0; j < at.cols(); ++j) {
      Interval& one = intervals[j];
      one.start = at(i, j);
      one.level = potential(j) - std::log(uniform(0, j));
      one.low = one.start - width_ * uniform(1, j);
      one.high = one.low + width_;
      one.left = static_cast<std::int64_t>(static_cast<double>(most_steps_) * uniform(2, j));
      one.right = most_steps_ - 1 - one.left;
      one.stage = std::isfinite(one.level) ? Interval::Stage::left : Interval::Stage::done;
    }
  }

  /// Evaluates one trial in every column that is not done. Returns false if all columns are done.
  bool advance(Interval* intervals, MatrixMap& at, Index i, const edge::Law& law, RowMap& potential,
               const edge::Noise& noise, std::uint32_t round, edge::Statistics<Count>& out,
               Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    auto* const who = scratch.objects<Index>(at.cols());
    Index active = 0;
    for (Index j = 0; j < at.cols(); ++j) {
      if (intervals[j].stage != Interval::Stage::done) who[active++] = j;
    }
    if (active == 0) return false;
    RowMap uniform = scratch.row(at.cols());
    noise.uniforms(uniform, draw(i, 1 + round));
    MatrixMap trials = scratch.matrix(at.rows(), active);
    RowMap u = scratch.row(active);
    for (Index k = 0; k < active; ++k) {
      trials.col(k) = at.col(who[k]);
      trials(i, k) = intervals[who[k]].trial(uniform(who[k]));
    }
    law.regrouped(who).evaluate(trials, Evaluation::of_potential(u.data(), trials, scratch));
    for (Index k = 0; k < active; ++k) {
      const Index j = who[k];
      intervals[j].learn(trials(i, k), u(k), width_);
      out[Count::evaluations](j) += 1.0;
      if (intervals[j].stage != Interval::Stage::done) continue;
      at(i, j) = intervals[j].start;
      potential(j) = u(k);
    }
    return true;
  }

  double width_;
  std::int64_t most_steps_;
};

class SliceKernel final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    double width = 1.0;
    std::int64_t most_steps = 32;

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("source of U");
      fields.number("width", width)
          .above(0)
          .help(
              "initial length w of the interval, best at about one standard deviation of the "
              "coordinate");
      fields.integer("most_steps", most_steps)
          .at_least(1)
          .at_most(1 << 16)
          .help("m: the interval grows to a length of at most m w");
    }
  };
  explicit SliceKernel(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    constexpr Index places = Index{1} << 24;  // numbers of a stream in one sweep
    const auto a_coordinate = static_cast<Index>(SliceCoordinates::draws_of(params_.most_steps));
    if (t.dimension() > places / a_coordinate) {
      throw InputError("kernel `" + name() + "`: " + std::to_string(t.dimension()) +
                       " coordinates use " + std::to_string(a_coordinate) +
                       " random numbers each, which is more than Mixwell provides in one sweep. "
                       "Lower most_steps, or update fewer coordinates with this kernel.");
    }
    const auto law = t.law(params_.oracle);
    const auto at = t.evaluation(law);
    t.add("slice", OperationKind::move, {.invariant = true},
          SliceCoordinates(params_.width, params_.most_steps), t.position(), law, at.u,
          t.noise("slice"), t.next(), t.statistics(counts));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<SliceKernel>(
      {.id = "slice",
       .summary = "Slice sampling of one coordinate after another, with stepping out",
       .details =
           "The kernel updates one coordinate after another. It draws a level U + e, where e ~ "
           "exponential(1), and places an interval of length w at random around the coordinate. It "
           "moves the ends of the interval outwards in steps of w until U at both ends is above "
           "the level, but the interval grows to at most m w. The kernel then tries points in the "
           "interval until U at one of them is below the level. Each point that fails shrinks the "
           "interval. The kernel needs no gradient, and has no rejections and no acceptance rate "
           "to tune. Every w leaves the target density invariant, but a bad choice of w costs more "
           "evaluations. Use this kernel in compositor `blocks` for parameters without a gradient. "
           "`slice_evaluations` counts the evaluations of U.",
       .sources = {"Neal 2003, Ann. Stat. 31, 705-767, figures 3 and 5"}});
}
