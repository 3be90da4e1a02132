// Random-walk Metropolis that decides by as many cases as it takes.
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
    {{Seen::accepted, {"accepted", RecordType::boolean, "", "the proposal was taken"}},
     {Seen::cases, {"cases", RecordType::real, "", "share of the cases that the decision took"}}}};

/// One column's decision, while it is made.
struct Trial {
  Ratio ratio{};
  double threshold = 0.0;
  double distance = 0.0;  ///< |theta* - theta|
  double seen = 0.0;      ///< cases at two points each
  bool decided = false;
  bool taken = false;
};

/// theta* = theta + scale z is taken if the mean of l_n is above (log v - (U_0 - U_0*)) / N. All
/// columns look at so many cases at once; those that have decided, no further.
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
    text << "kernel `subsampled-metropolis`: a case changed by " << ratio.largest()
         << " over a step of length " << distance
         << ", which `lipschitz` rules out; raise it to at least " << ratio.largest() / distance;
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
          .help("cases of the first look; each further one doubles them, the last has all");
      fields.number("error", error)
          .above(0)
          .below(0.5)
          .help(
              "without lipschitz: of the test at each look, by a normal law; with it: of a whole "
              "decision, by an inequality");
      fields.number("lipschitz", lipschitz)
          .unit("nats / theta")
          .above(0)
          .help(
              "L with |u_n(x) - u_n(y)| <= L |x - y| for every case; a case beyond it ends the "
              "run");
      fields.number("contraction", contraction)
          .above(0)
          .below(1)
          .only_with("lipschitz")
          .help(
              "declares that a transition of the exact kernel brings any two laws nearer in total "
              "variation by this factor; the certificate then prints error / (1 - contraction)");
    }
  };

  explicit SubsampledMetropolis(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    const auto* const sum = t.graph().offered<SumOfTerms>(t.target().value);
    if (sum == nullptr) {
      throw InputError("kernel `" + t.site().path +
                       "` decides by some of the cases, and the model does not offer its potential "
                       "as a sum over them; use a regression, or kernel random-walk-metropolis");
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
       .summary = "random-walk Metropolis that decides by as many cases as it takes",
       .details =
           "theta* = theta + scale z is taken where the mean over the cases of u_n(theta) - "
           "u_n(theta*) is above (log v - U_0(theta) + U_0(theta*)) / N, v uniform. Cases are "
           "drawn "
           "with replacement, `size` of them, then twice as many in all and so on, until their "
           "mean is told from "
           "that threshold: by a test of the normal law at each look, or with `lipschitz` by the "
           "empirical Bernstein inequality, the error shared by all looks; else all cases decide. "
           "A "
           "test bounds nothing, and is wrong in an unknown way. Of the inequality each decision "
           "is that of "
           "Metropolis but with probability `error`: where the exact kernel contracts by eta, "
           "which "
           "only its user can declare, the law of the chain is within error / (1 - eta) of pi. Two "
           "u_n a case looked at, and two U_0.",
       .sources = {"Korattikara, Chen & Welling 2014, ICML (the test, without replacement and by "
                   "Student's t)",
                   "Bardenet, Doucet & Holmes 2014, ICML (the inequality)",
                   "Audibert, Munos & Szepesvari 2009, Theoretical Computer Science 410, theorem "
                   "1"}});
}
