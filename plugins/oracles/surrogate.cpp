// Oracle `surrogate`: a fitted potential that replaces the model's potential.
// SPDX-License-Identifier: Apache-2.0
#include "surrogate/laplace.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::surrogate_oracle {
namespace {

/// The weight of the surrogate, which grows with the number of transitions.
struct Weight {
  double transitions = 200.0;  ///< n_s
  double most = 1.0;

  double at(double t) const { return std::min(most, 1.0 - std::exp(-t / transitions)); }
};

/// W = mu phi + (1 - mu) / 2 (theta - mode)' hessian (theta - mode). The numbers of W are the
/// numbers of phi, then t.
class RegularisedPotential final : public Potential {
 public:
  RegularisedPotential(std::shared_ptr<const Surrogate> fitted, Laplace at,
                       std::optional<Weight> weight)
      : fitted_(std::move(fitted)), at_(std::move(at)), weight_(weight) {}

  /// Takes O(d^2) for each column in addition to phi.
  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    fitted_->evaluate(numbers, theta, out);
    if (!weight_) return;
    const Workspace::Frame frame(out.scratch);
    MatrixMap centred = out.scratch.matrix(theta.rows(), theta.cols());
    MatrixMap pull = out.scratch.matrix(theta.rows(), 1);
    centred = theta.colwise() - at_.mode;
    Batch g = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double mu = weight_->at(numbers.column(j)[fitted_->rows()]);
      pull.noalias() = at_.hessian.selfadjointView<Eigen::Lower>() * centred.col(j);
      g.col(j) = mu * g.col(j) + (1.0 - mu) * pull;
      if (!out.wants_potential()) continue;
      out.potential[j] = mu * out.potential[j] + 0.5 * (1.0 - mu) * pull.col(0).dot(centred.col(j));
    }
  }
  double gradient_cost() const noexcept override { return 0.0; }
  const std::shared_ptr<const Surrogate>& fitted() const noexcept { return fitted_; }
  Index numbers() const noexcept { return fitted_->rows() + 1; }

 private:
  std::shared_ptr<const Surrogate> fitted_;
  Laplace at_;
  std::optional<Weight> weight_;
};

/// The slot before and after the transition.
struct Before : edge::Numbers<Role::parameter> {};
struct After : edge::Numbers<Role::parameter> {};

/// Fits the surrogate to new points. Each column that moved gives one point, which costs one
/// gradient of the model.
class Learn {
 public:
  Learn(std::shared_ptr<const Surrogate> fitted, std::optional<std::int64_t> stop)
      : fitted_(std::move(fitted)), stop_(stop) {}

  void operator()(Columns& block, edge::History seen, Before from, After to, edge::TargetLaw target,
                  edge::Out<edge::History> state) const {
    edge::begin(seen, state);
    if (stop_ && block.sweep() >= static_cast<std::uint64_t>(*stop_)) return;
    const Index d = to.rows();
    const Index w = to.cols();
    Index* const columns = block.scratch().objects<Index>(w);
    MatrixMap points = block.scratch().matrix(d, w);
    Index moved = 0;
    for (Index j = 0; j < w; ++j) {
      if ((from.col(j).array() == to.col(j).array()).all()) continue;
      columns[moved] = j;
      points.col(moved++) = to.col(j);
    }
    MatrixMap g = block.scratch().matrix(d, w);
    if (moved > 0) {
      target.regrouped(columns).evaluate(points.leftCols(moved),
                                         {nullptr, g.leftCols(moved), block.scratch()});
    }
    learn(state, columns, ConstMatrixMap(points.data(), d, moved),
          ConstMatrixMap(g.data(), d, moved), block.scratch());
    state.row(state.rows() - 1).array() += 1.0;
  }

 private:
  /// If all columns share one history, it learns from the points of all columns at once.
  void learn(MatrixMap state, const Index* columns, ConstBatch points, ConstBatch g,
             Workspace& scratch) const {
    if (state.cols() == 1) {
      if (points.cols() > 0) fitted_->learn(state.topRows(fitted_->rows()), points, g, scratch);
      return;
    }
    for (Index k = 0; k < points.cols(); ++k) {
      fitted_->learn(state.col(columns[k]).head(fitted_->rows()), points.col(k), g.col(k), scratch);
    }
  }

  std::shared_ptr<const Surrogate> fitted_;
  std::optional<std::int64_t> stop_;
};

/// The numbers of W.
struct SurrogateNumbers : edge::Numbers<Role::parameter> {};

/// Computes the numbers of W from the points of a memory, with mu at its final value.
class Fit {
 public:
  explicit Fit(std::shared_ptr<const Surrogate> fitted) : fitted_(std::move(fitted)) {}

  void operator()(Columns& block, edge::List<edge::PointPosition> points,
                  edge::List<edge::PointGradient> gradients, edge::Law,
                  edge::Out<SurrogateNumbers> out) const {
    const auto n = static_cast<Index>(points.size());
    const Index d = points[0].rows();
    MatrixMap theta = block.scratch().matrix(d, n);
    MatrixMap g = block.scratch().matrix(d, n);
    for (Index j = 0; j < out.cols(); ++j) {
      for (Index k = 0; k < n; ++k) {
        theta.col(k) = points[static_cast<std::size_t>(k)].col(j);
        g.col(k) = gradients[static_cast<std::size_t>(k)].col(j);
      }
      fitted_->fit(theta, g, out.col(j).head(fitted_->rows()), block.scratch());
      out(fitted_->rows(), j) = static_cast<double>(n);
    }
  }

 private:
  std::shared_ptr<const Surrogate> fitted_;
};

class SurrogateOracle final : public Oracle {
 public:
  struct Params {
    std::shared_ptr<const SurrogateEstimator> estimator;
    bool laplace = true;
    double transition = 200.0;
    double most = 1.0 - 1e-6;
    std::string fit_to = "accepted";
    std::optional<double> stop;
    bool freeze_after_warmup = true;
    bool pool = false;

    void declare(Fields& fields) {
      fields.component("estimator", estimator)
          .purpose("surrogate")
          .or_default("elm-surrogate")
          .help("phi, the potential that is fitted to gradients of the model");
      fields.flag("laplace", laplace)
          .help(
              "use W = mu phi + (1 - mu) times the Laplace approximation at the mode (false: W = "
              "phi)");
      fields.number("transition", transition)
          .unit("transitions")
          .above(0)
          .only_with("laplace", {"true"})
          .help(
              "n_s in mu = 1 - exp(-t / n_s), where t counts transitions (points if fit_to = "
              "\"memory\")");
      fields.number("most", most)
          .above(0)
          .below(1)
          .only_with("laplace", {"true"})
          .help("upper limit of mu (below 1, so that exp(-W) is integrable)");
      fields.text("fit_to", fit_to)
          .one_of({"accepted", "memory"})
          .help(
              "fit phi to each new position of the slot (accepted) or to the current values of "
              "other slots (memory)");
      fields.number("stop", stop)
          .at_least(1)
          .only_with("fit_to", {"accepted"})
          .help("t_0: fit only in the first t_0 transitions");
      fields.flag("freeze_after_warmup", freeze_after_warmup)
          .only_with("fit_to", {"accepted"})
          .help(
              "freeze the surrogate (its weights v, the triangular matrix of its fit, and mu) at "
              "the end of warmup");
      fields.flag("pool", pool)
          .only_with("fit_to", {"accepted"})
          .help(
              "fit one surrogate to the points of all replicates, instead of one for each "
              "replicate");
    }
  };
  explicit SurrogateOracle(const Params& params) : params_(params) {
    if (params.stop && *params.stop != std::floor(*params.stop)) {
      throw ParameterError("stop", "must be a whole number of transitions, such as 200.");
    }
  }

  Value law(KernelGraph&, const std::string& path, Value) const override {
    throw InputError("oracle `" + name() + "` in `" + path +
                     "`: only a sampling kernel can use this oracle, because a surrogate is fitted "
                     "to the positions of the slot that the kernel moves. Use oracle `exact` "
                     "here.");
  }

  Value law_for(KernelGraph& graph, const Site& site) const override {
    const auto potential = make(graph, site);
    const std::string path = site.path + "/oracle";
    if (params_.fit_to == "memory") return fit(graph, site, potential, path);
    Eigen::VectorXd initial(potential->numbers());
    initial << potential->fitted()->initial(), 0.0;
    const Variable state =
        graph.history(path + "/register", initial, Forgets::diminishing,
                      params_.pool ? Scope::run : Scope::replicate, 1.0, "surrogate");
    return graph.view(path, potential, graph.current(state), traits(), site.target);
  }

  void learn(KernelGraph& graph, const Site& site, Value before) const override {
    if (params_.fit_to == "memory") return;
    if (params_.freeze_after_warmup && site.phase == PhaseKind::sampling) return;
    const OperationInfo& made = operation(graph, site.path + "/oracle");
    const Value seen = made.inputs.front().value;
    const auto potential =
        std::static_pointer_cast<const RegularisedPotential>(graph[made.outputs.front()].function);
    const Guard branch = graph.set_guard();  // t counts sweeps in the columns of all branches
    add_operation(graph, site.path + "/learn-surrogate", OperationKind::observe, {},
                  Learn(potential->fitted(), stop()), Edge<edge::History>{seen},
                  Edge<Before>{before}, Edge<After>{graph.current(site.slot)},
                  Edge<edge::TargetLaw>{site.target},
                  Write<edge::History>{Output::next(graph[seen].variable)});
    graph.set_guard(branch);
  }

 private:
  using Potentials = std::shared_ptr<const RegularisedPotential>;

  static const OperationInfo& operation(const KernelGraph& graph, const std::string& name) {
    const auto& all = graph.operations();
    return *std::find_if(all.begin(), all.end(),
                         [&](const OperationInfo& o) { return o.name == name; });
  }

  std::optional<std::int64_t> stop() const {
    return params_.stop ? std::optional(static_cast<std::int64_t>(*params_.stop)) : std::nullopt;
  }

  Traits traits() const {
    Traits traits;
    if (params_.laplace) traits.density = "exp(-W), W of oracle `" + name() + "`";
    return traits;
  }

  Potentials make(const KernelGraph& graph, const Site& site) const {
    const auto& target = static_cast<const Potential&>(*graph[site.target].function);
    Laplace at = surrogate_oracle::laplace_of(target, graph[site.slot].rows,
                                              "oracle `" + name() + "` in `" + site.path + "`");
    auto fitted = params_.estimator->surrogate(at);
    const auto weight =
        params_.laplace ? std::optional(Weight{params_.transition, params_.most}) : std::nullopt;
    return std::make_shared<RegularisedPotential>(std::move(fitted), std::move(at), weight);
  }

  Value fit(KernelGraph& graph, const Site& site, const Potentials& potential,
            const std::string& path) const {
    const MemoryValues& memory = site.memory;
    if (memory.points.empty() || memory.displacements) {
      throw InputError("oracle `" + name() + "` in `" + path +
                       "`: fit_to = \"memory\" needs the current values of other slots. Use "
                       "compositor `ensemble-chain`, or set fit_to = \"accepted\".");
    }
    return add_operation(graph, path, OperationKind::pure, traits(), Fit(potential->fitted()),
                         edges<edge::PointPosition>(memory.points),
                         edges<edge::PointGradient>(memory.gradients), Edge<edge::Law>{site.target},
                         Write<SurrogateNumbers>{
                             Output::derived(path + "/W", potential->numbers(), potential)})
        .value;
  }

  Params params_;
};

}  // namespace
}  // namespace mixwell::surrogate_oracle

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::surrogate_oracle::SurrogateOracle>(
      {.id = "surrogate",
       .summary = "A potential, fitted to gradients, that replaces the model's potential (VHMC)",
       .details =
           "The potential is W_t = mu_t phi + (1 - mu_t) / 2 (theta - mode)'H(theta - mode), where "
           "mu_t = 1 - exp(-t / n_s). At the start of the run, Mixwell searches for the mode of U "
           "and computes the Hessian H there. It stops with an error if it finds no mode. If "
           "laplace = false, W = phi, and exp(-W) need not be integrable. Mixwell updates phi with "
           "the model's gradient at each position to which the slot moves, as in the paper on "
           "VHMC. This costs one gradient for each move. Dynamics on W cost no gradients of the "
           "model. If freeze_after_warmup = true, Mixwell freezes phi, the triangular matrix of "
           "its fit, and mu at the end of warmup. If the acceptance ratio uses W, the kernel "
           "samples exp(-W), and the certificate states this. This density is integrable if mu < "
           "1. Kernel `hamiltonian` with ratio = \"target\" samples the density of the model "
           "instead, and needs one evaluation of U for each transition. If fit_to = \"memory\", "
           "Mixwell fits phi again for every update, to the current values of the other slots of "
           "an ensemble. This is exact with ratio = \"target\", even while phi changes.",
       .sources = {"Zhang, Shahbaba & Zhao 2018, Bayesian Analysis 13, algorithm 2"}});
}
