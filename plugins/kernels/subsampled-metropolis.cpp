// Random-walk Metropolis that reads cases until the decision is statistically clear.
// SPDX-License-Identifier: Apache-2.0
#include "subsampled-metropolis/ratio.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace mixwell::subsampled {
namespace {

enum class Seen { accepted, cases };
constexpr StatisticTable<Seen, 2> statistics{
    {{Seen::accepted, {"accepted", RecordType::boolean, "", "whether the proposal was accepted"}},
     {Seen::cases,
      {"cases", RecordType::real, "", "fraction of the cases that were read for the decision"}}}};

/// The decision of one column.
struct Trial {
  Ratio ratio{};
  double threshold = 0.0;
  double distance = 0.0;  ///< |theta* - theta|
  double seen = 0.0;      ///< number of cases that were read, each at two points
  bool decided = false;
  bool taken = false;
};

/// Accepts theta* = theta + scale z if the mean of l_n is above (log v - (U_0 - U_0*)) / N. All
/// columns read the same number of cases before each check; a column that has decided reads no
/// more.
class Decide {
 public:
  Decide(const SumOfTerms& sum, double scale, std::vector<Index> looks, Stopping stopping)
      : sum_(sum), scale_(scale), looks_(std::move(looks)), stopping_(stopping) {}

  void operator()(Columns& block, edge::Position theta, edge::Law law, edge::Noise noise,
                  edge::Out<edge::Position> next, edge::Statistics<Seen> out) const {
    Workspace& scratch = block.scratch();
    const Index w = theta.cols();
    MatrixMap proposed = scratch.matrix(theta.rows(), w);
    RowMap v = scratch.row(w);
    noise.normals(proposed);
    noise.uniforms(v, 1);
    proposed = theta + scale_ * proposed;
    auto* const trials = scratch.objects<Trial>(w);
    for (Index j = 0; j < w; ++j) begin(trials[j], ends(theta, proposed, j), v(j), sum_, scratch);
    look(trials, theta, proposed, sum_, noise, scratch);
    edge::begin(theta, next);
    for (Index j = 0; j < w; ++j) {
      if (!trials[j].decided) decide_by_all(trials[j], ends(theta, proposed, j), sum_, scratch);
      law.count_potentials(2.0 * trials[j].seen / static_cast<double>(sum_.terms()));
      out[Seen::accepted](j) = trials[j].taken ? 1.0 : 0.0;
      out[Seen::cases](j) = trials[j].seen / static_cast<double>(sum_.terms());
      if (trials[j].taken) next.col(j) = proposed.col(j);
    }
  }

 private:
  static constexpr Index at_once = 256;

  static Ends ends(const ConstMatrixMap& theta, const MatrixMap& proposed, Index j) {
    return {{theta.col(j).data(), theta.rows(), 1}, {proposed.col(j).data(), theta.rows(), 1}};
  }

  static void begin(Trial& trial, const Ends& ends, double v, const SumOfTerms& sum,
                    Workspace& scratch) {
    trial = {};
    trial.threshold =
        (std::log(v) - Ratio::of_rest(sum, ends, scratch)) / static_cast<double>(sum.terms());
    trial.distance = (ends.to - ends.from).norm();
  }

  void look(Trial* trials, const ConstMatrixMap& theta, const MatrixMap& proposed,
            const SumOfTerms& sum, const edge::Noise& noise, Workspace& scratch) const {
    std::uint32_t draw = 2;
    Index before = 0;
    for (const Index t : looks_) {
      for (; before < t; ++draw) {
        const Workspace::Frame frame(scratch);
        const Index cases = std::min(at_once, t - before);
        MatrixMap uniforms = scratch.matrix(cases, theta.cols());
        noise.uniforms(uniforms, draw);
        for (Index j = 0; j < theta.cols(); ++j) {
          if (trials[j].decided) continue;
          trials[j].ratio.add(sum, ends(theta, proposed, j), uniforms.col(j).data(), cases,
                              scratch);
        }
        before += cases;
      }
      for (Index j = 0; j < theta.cols(); ++j) conclude(trials[j]);
      if (std::all_of(trials, trials + theta.cols(), [](const Trial& x) { return x.decided; }))
        return;
    }
  }

  void conclude(Trial& trial) const {
    if (trial.decided) return;
    check(trial.ratio, trial.distance);
    trial.seen = trial.ratio.count();
    trial.decided = stopping_.is_enough(trial.ratio, trial.threshold, trial.distance);
    trial.taken = trial.decided && trial.ratio.mean() > trial.threshold;
  }

  static void decide_by_all(Trial& trial, const Ends& ends, const SumOfTerms& sum,
                            Workspace& scratch) {
    trial.seen += static_cast<double>(sum.terms());
    trial.taken = Ratio::of_all(sum, ends, scratch) > trial.threshold;
  }

  void check(const Ratio& ratio, double distance) const {
    if (!stopping_.is_bound() || ratio.largest() <= stopping_.largest(distance)) return;
    std::ostringstream text;
    text << "kernel `subsampled-metropolis`: the potential of a case changed by " << ratio.largest()
         << " over a step of length " << distance
         << ", which is more than `lipschitz` allows. Raise `lipschitz` to at least "
         << ratio.largest() / distance;
    throw InputError(text.str());
  }

  const SumOfTerms& sum_;
  double scale_;
  std::vector<Index> looks_;
  Stopping stopping_;
};

class SubsampledMetropolis final : public TransitionKernel {
 public:
  struct Params {
    double scale = 1.0;
    std::int64_t size = 100;
    double error = 0.05;
    std::optional<double> lipschitz;
    std::optional<double> contraction;

    void declare(Fields& fields) {
      fields.number("scale", scale).above(0).help("standard deviation of a proposed step");
      fields.integer("size", size)
          .at_least(30)
          .at_most(1e9)
          .help(
              "number of cases at the first check (doubled at each later check; the last check "
              "reads all cases)");
      fields.number("error", error)
          .above(0)
          .below(0.5)
          .help("error probability of each test, or of the whole decision if lipschitz is set");
      fields.number("lipschitz", lipschitz)
          .unit("nats / theta")
          .above(0)
          .help(
              "L such that |u_n(x) - u_n(y)| <= L |x - y| for each case n (a violation ends the "
              "run)");
      fields.number("contraction", contraction)
          .above(0)
          .below(1)
          .only_with("lipschitz")
          .help(
              "upper bound eta on the total-variation contraction factor of the exact transition");
    }
  };

  explicit SubsampledMetropolis(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    const auto* const sum = t.graph().offered<SumOfTerms>(t.target().value);
    if (sum == nullptr) {
      throw InputError("kernel `" + t.site().path +
                       "` reads only some of the cases for each decision, but the model does not "
                       "offer its potential as a sum over cases. Use a regression model, or use "
                       "kernel `random-walk-metropolis`.");
    }
    const std::vector<Index> looks = looks_of(params_.size, sum->terms());
    const Stopping stopping(params_.error, std::max<std::size_t>(looks.size(), 1),
                            params_.lipschitz);
    Traits traits;
    Edge<edge::Law> law = t.target();
    if (params_.contraction) {
      traits.invariant = true;
      law = {t.graph().view(t.path("law"), t.graph()[law.value].function, law.value,
                            {.density = density()})};
    }
    t.add("decide", OperationKind::move, traits, Decide(*sum, params_.scale, looks, stopping),
          t.position(), law, t.noise("decide"), t.next(), t.statistics(statistics));
  }

 private:
  std::string density() const {
    std::ostringstream text;
    text << "a density within " << params_.error / (1.0 - *params_.contraction)
         << " of pi in total variation, if the declared contraction " << *params_.contraction
         << " and lipschitz hold";
    return text.str();
  }

  Params params_;
};

}  // namespace
}  // namespace mixwell::subsampled

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::subsampled::SubsampledMetropolis>(
      {.id = "subsampled-metropolis",
       .summary =
           "Random-walk Metropolis that reads cases until the decision is statistically clear",
       .details =
           "The potential of the model must be a sum over N cases, U = U_0 + sum of u_n. The "
           "kernel proposes theta* = theta + scale z, where z ~ N(0, I). It accepts theta* if the "
           "mean of u_n(theta) - u_n(theta*) over all cases is above the threshold (log v - "
           "U_0(theta) + U_0(theta*)) / N, where v is uniform on (0, 1). The kernel draws cases "
           "with replacement: first `size` of them, then twice as many in all, and so on. The "
           "kernel stops as soon as the mean of these cases differs clearly enough from the "
           "threshold. If this never happens, the mean over all cases decides.\nWithout "
           "`lipschitz`, each check is a test that assumes a normal distribution of the mean. The "
           "true error probability of such a test is unknown, and has no known bound. If "
           "`lipschitz` is set, each check uses the empirical Bernstein inequality, and `error` is "
           "the error probability of all checks together. Each decision then differs from exact "
           "Metropolis with probability at most `error`. If the exact kernel has the contraction "
           "factor eta in total variation, the distribution of the chain is within error / (1 - "
           "eta) of the target density in total variation. Only the user can declare eta "
           "(`contraction`). If it is declared, the certificate states error / (1 - eta). A "
           "transition costs two evaluations of u_n for each case that it reads, and two "
           "evaluations of U_0.",
       .sources = {"Korattikara, Chen & Welling 2014, ICML (the test, with Student's t and "
                   "sampling without replacement)",
                   "Bardenet, Doucet & Holmes 2014, ICML (the inequality)",
                   "Audibert, Munos & Szepesvari 2009, Theoretical Computer Science 410, theorem "
                   "1"}});
}
