// Oracle `strata`: U and its gradient from one stratum of the cases at a time.
// SPDX-License-Identifier: Apache-2.0
#include "noise/oracle.hpp"
#include "strata/partition.hpp"

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace {

using namespace mixwell;

/// The factor by which the sum over a stratum is multiplied.
enum class Weight {
  share,  ///< N / |Omega_s|
  count   ///< number of strata
};

/// U_0 + w_s sum over the stratum s of u_n. Costs 2 n d operations in addition to U_0.
class StratumPotential : public Potential {
 public:
  StratumPotential(std::shared_ptr<const Potential> base,
                   std::shared_ptr<const strata::Partition> cases, Weight weight)
      : base_(std::move(base)),
        sum_(*base_->offers<SumOfTerms>()),
        cases_(std::move(cases)),
        weight_(weight) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    sum_.evaluate_rest(theta, out);
    Batch gradient = out.gradient;
    MatrixMap g = out.scratch.matrix(theta.rows(), 1);
    double u = 0.0;
    for (Index j = 0; j < theta.cols(); ++j) {
      const Index s = stratum(numbers, j, out.draw);
      sum_.evaluate_terms(theta.middleCols(j, 1), cases_->of(s),
                          {out.wants_potential() ? &u : nullptr, g, out.scratch});
      gradient.col(j) += weight(s) * g.col(0);
      if (out.wants_potential()) out.u()[j] += weight(s) * u;
    }
  }
  /// The mean cost over a cycle.
  double gradient_cost() const noexcept override {
    return 1.0 / static_cast<double>(cases_->count());
  }

 protected:
  const strata::Partition& cases() const noexcept { return *cases_; }
  virtual Index stratum(const Numbers& numbers, Index j, std::uint32_t draw) const = 0;

 private:
  double weight(Index s) const noexcept {
    return weight_ == Weight::share ? 1.0 / cases_->share(s) : static_cast<double>(cases_->count());
  }

  std::shared_ptr<const Potential> base_;
  const SumOfTerms& sum_;
  std::shared_ptr<const strata::Partition> cases_;
  Weight weight_;
};

/// A new stratum for every column and evaluation, drawn with probability |Omega_s| / N.
class DrawnStratum final : public StratumPotential {
 public:
  using StratumPotential::StratumPotential;

 private:
  Index stratum(const Numbers& numbers, Index j, std::uint32_t draw) const override {
    double u = 0.0;
    noise::stream_of(numbers, j).uniforms({0, draw, 0}, Batch(MatrixMap(&u, 1, 1)));
    return cases().drawn(u);
  }
};

/// The stratum of the sweep, which is the law's only number.
class StratumInTurn final : public StratumPotential {
 public:
  using StratumPotential::StratumPotential;

 private:
  Index stratum(const Numbers& numbers, Index j, std::uint32_t) const override {
    return static_cast<Index>(*numbers.column(j));
  }
};

/// The stratum of each sweep.
class Turns {
 public:
  Turns(Index count, bool shuffled) : count_(count), shuffled_(shuffled) {}

  /// Takes O(1). If the strata are shuffled, takes O(count) time and O(count) numbers of `scratch`.
  Index at(std::uint64_t sweep, Workspace& scratch) const {
    const auto count = static_cast<std::uint64_t>(count_);
    const auto turn = static_cast<Index>(sweep % count);
    return shuffled_ ? shuffled(turn, sweep / count, scratch) : turn;
  }

 private:
  /// The stratum at this turn of a cycle. The swaps of Fisher and Yates have shuffled the cycle.
  /// The function undoes the swaps one after another. The order does not depend on the seed,
  /// because all replicates of a run share one order.
  Index shuffled(Index turn, std::uint64_t cycle, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    MatrixMap u = scratch.matrix(count_, 1);
    Stream(1, "strata").uniforms({cycle, 0, 0}, u);
    for (Index k = 1; k < count_; ++k) {
      const auto other = static_cast<Index>(u(k) * static_cast<double>(k + 1));
      if (turn == k) {
        turn = other;
      } else if (turn == other) {
        turn = k;
      }
    }
    return turn;
  }

  Index count_;
  bool shuffled_;
};

/// The index of the stratum, which is the same in every column.
struct Turn : edge::Numbers<Role::parameter> {};

class Strata final : public noise::ChangingOracle, public RowByRow {
 public:
  struct Params {
    std::int64_t strata = 4;
    std::string order = "drawn";
    std::optional<std::string> weight;
    bool shared = false;

    void declare(Fields& fields) {
      fields.integer("strata", strata)
          .at_least(2)
          .at_most(1e6)
          .help("number of strata (sets of cases)");
      fields.text("order", order)
          .one_of({"drawn", "cyclic", "shuffled"})
          .help(
              "choice of strata: at random (drawn), in turn (cyclic), or in a new order each cycle "
              "(shuffled)");
      fields.text("weight", weight)
          .one_of({"share", "count"})
          .help(
              "factor w of the sum over a stratum: N / |Omega_s| (share) or the number of strata "
              "(count)");
      noise::declare_shared(fields, shared);
    }
  };

  explicit Strata(const Params& params)
      : ChangingOracle(params.shared),
        count_(params.strata),
        is_drawn_(params.order == "drawn"),
        is_shuffled_(params.order == "shuffled"),
        weight_(params.weight.value_or(is_drawn_ ? "share" : "count") == "share" ? Weight::share
                                                                                 : Weight::count) {}

 private:
  Value add(KernelGraph& graph, const std::string& path, Value factor,
            std::shared_ptr<const Potential> base) const override {
    const auto cases = partition(base.get());
    const bool either_weight = cases->is_even();
    Traits traits;
    if (is_drawn_) {
      traits.unbiased = either_weight || weight_ == Weight::share;
      return noise::add_noisy_law(graph, path, factor,
                                  std::make_shared<DrawnStratum>(std::move(base), cases, weight_),
                                  traits);
    }
    if (either_weight || weight_ == Weight::count) traits.cycle = count_;
    return add_turns(graph, path, factor,
                     std::make_shared<StratumInTurn>(std::move(base), cases, weight_), traits);
  }

  /// The operation reads a noise but does not use its values. The noise tells the certificate that
  /// the law differs between sweeps, but not between the operations that read the law in one sweep.
  Value add_turns(KernelGraph& graph, const std::string& path, Value factor,
                  std::shared_ptr<const Potential> how, const Traits& traits) const {
    return add_operation(
               graph, path, OperationKind::pure, traits,
               [turns = Turns(count_, is_shuffled_)](Columns& block, edge::Law, edge::Noise,
                                                     edge::Out<Turn> turn) {
                 turn.setConstant(static_cast<double>(turns.at(block.sweep(), block.scratch())));
               },
               Edge<edge::Law>{factor}, Edge<edge::Noise>{graph.noise(path)},
               Write<Turn>{Output::derived(path + "/law", 1, std::move(how))})
        .value;
  }

  std::shared_ptr<const strata::Partition> partition(const Potential* base) const {
    const std::string who = "oracle `" + name() + "`";
    const SumOfTerms* sum = base == nullptr ? nullptr : base->offers<SumOfTerms>();
    if (sum == nullptr) {
      throw InputError(
          who +
          ": the model does not offer its potential as a sum over cases, so the cases cannot be "
          "divided into strata. Use a regression model or a factorisation model.");
    }
    return std::make_shared<strata::Partition>(*sum, count_, who);
  }

  Index count_;
  bool is_drawn_;
  bool is_shuffled_;
  Weight weight_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Strata>(
      {.id = "strata",
       .summary = "U and grad U from one of several sets of cases, drawn at random or in turn",
       .details =
           "The estimate of U is U_0 + w sum of u_n over the cases n of one stratum Omega_s. For a "
           "factorisation model, the oracle divides the matrix of ratings into blocks. The blocks "
           "of one stratum share no user and no item, so MPI ranks can process these blocks in "
           "parallel (run.ranks = \"coordinates\"). For other models, the oracle divides the cases "
           "into ranges of consecutive cases. If order = \"drawn\", each evaluation draws a "
           "stratum with probability |Omega_s| / N. The default w = N / |Omega_s| then makes every "
           "evaluation unbiased. If order = \"cyclic\" or \"shuffled\", each sweep uses the next "
           "stratum, so the gradient in a single sweep is biased. With \"shuffled\" each cycle has "
           "its own order of the strata, but the k-th cycle has the same order in all runs. With "
           "these two orders the default w is the number of strata, which makes the mean over a "
           "whole cycle unbiased. A kernel that makes one small step without Metropolis in each "
           "sweep then samples the target density as eps -> 0 (rule S of the certificate). With w "
           "= N / |Omega_s| instead, each stratum has the same total weight, even if it has few "
           "cases. The mean over a cycle is then biased unless all strata have the same size. With "
           "K strata, one evaluation counts as 1/K gradients. The oracle uses 8 N bytes of RAM in "
           "addition to the data.",
       .sources = {"Simsekli et al. 2016, ICML, section 4.3",
                   "Gemulla et al. 2011, KDD (strata)"}});
}
