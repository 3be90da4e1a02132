// A model whose U is summed over shards of its cases. Each rank sums its own shards.
// SPDX-License-Identifier: Apache-2.0
#include "law/sum_of_shards.hpp"

#include "law/model_terms.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/machine.hpp>
#include <mixwell/law/capabilities.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <utility>

namespace mixwell {
namespace {

constexpr Index shards = 64;

/// A hash of the bits of theta (FNV-1a), as a whole number that a double holds exactly.
double fingerprint(ConstBatch theta) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (Index j = 0; j < theta.cols(); ++j)
    for (Index i = 0; i < theta.rows(); ++i)
      hash = (hash ^ std::bit_cast<std::uint64_t>(theta(i, j))) * 1099511628211ULL;
  return static_cast<double>(hash >> 12);
}

class SumOfShards final : public Model, public ForeignCode {
 public:
  SumOfShards(std::shared_ptr<const Model> whole, std::shared_ptr<Portions> processes)
      : whole_(std::move(whole)),
        terms_(*whole_),
        processes_(std::move(processes)),
        first_(processes_->first_block(processes_->rank(), shards)),
        end_(processes_->first_block(processes_->rank() + 1, shards)),
        indices_(Eigen::MatrixXd::NullaryExpr(begin_of(end_) - begin_of(first_), 1,
                                              [first = begin_of(first_)](Index k, Index) {
                                                return static_cast<double>(first + k);
                                              })) {}

  std::vector<Parameter> parameters() const override { return whole_->parameters(); }
  std::vector<std::string> remarks() const override { return whole_->remarks(); }
  std::vector<std::string> files() const override { return whole_->files(); }
  std::vector<NamedValues> observed_data() const override { return whole_->observed_data(); }
  std::vector<NamedValues> constant_data() const override { return whole_->constant_data(); }
  std::vector<Labels> labels() const override { return whole_->labels(); }
  std::string trouble_at(ConstBatch theta) const override { return whole_->trouble_at(theta); }
  GradientGrowth gradient_growth() const noexcept override { return whole_->gradient_growth(); }
  bool has_constant_hessian() const noexcept override { return whole_->has_constant_hessian(); }
  bool evaluates_potential_alone() const noexcept override { return true; }
  bool calls_foreign_code() const noexcept override { return mixwell::calls_foreign_code(*whole_); }

 private:
  void offer(Offer& offer) const noexcept override {
    offer.forward<Derived, Generated, Prior, NamedPositions, GaussianPrior, Prediction, Metric,
                  SumOfTerms>(*whole_);
  }
  Index begin_of(Index shard) const { return shard * terms_.terms() / shards; }

  /// Each shard has a column: the fingerprint, then U of each column of theta, then all gradients.
  /// U and gradients are left out if they are not wanted.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const Index us = out.wants_potential() ? theta.cols() : 0;
    const Index gs = out.wants_gradient() ? theta.size() : 0;
    MatrixMap sums = out.scratch.matrix(1 + us + gs, shards);
    parallel_for(end_ - first_, [&](Index k) {
      double* const to = sums.col(first_ + k).data();
      *to = fingerprint(theta);
      sum_shard(first_ + k, theta, us > 0 ? to + 1 : nullptr, gs > 0 ? to + 1 + us : nullptr);
    });
    processes_->share(sums);
    require_one_position(sums);
    for (Index k = 1; k < shards; ++k) sums.col(0) += sums.col(k);
    terms_.evaluate_rest(theta, out);
    Batch gradient = out.gradient;
    if (us > 0) out.u() += sums.col(0).segment(1, us).transpose();
    if (gs > 0) gradient += ConstMatrixMap(sums.data() + 1 + us, theta.rows(), theta.cols());
  }

  void sum_shard(Index shard, ConstBatch theta, double* u, double* g) const {
    Workspace scratch;
    const Index begin = begin_of(shard);
    const auto own = indices_.middleRows(begin - begin_of(first_), begin_of(shard + 1) - begin);
    for (Index j = 0; j < theta.cols(); ++j) {
      MatrixMap gradient(g == nullptr ? nullptr : g + j * theta.rows(), theta.rows(), 1);
      if (own.rows() > 0) {
        terms_.evaluate_terms(theta.col(j), own,
                              {u == nullptr ? nullptr : u + j, gradient, scratch});
        continue;
      }
      if (u != nullptr) u[j] = 0.0;
      if (g != nullptr) gradient.setZero();
    }
  }

  /// Without this check, ranks that round differently would diverge without notice.
  void require_one_position(ConstBatch sums) const {
    if ((sums.row(0).array() == sums(0, 0)).all()) return;
    throw RunError(fmt::format(
        "model `{}`: the ranks evaluated this model at different positions, probably because their "
        "processors differ. Processors that round differently cannot share one run (run.ranks = "
        "\"data\"). Use machines with the same kind of processor",
        name()));
  }

  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    whole_->initial(stream, at, theta);
  }

  std::shared_ptr<const Model> whole_;
  ModelTerms terms_;
  std::shared_ptr<Portions> processes_;
  Index first_;
  Index end_;
  Eigen::MatrixXd indices_;  ///< indices of the cases in this rank's shards
};

}  // namespace

std::shared_ptr<Model> sum_of_shards(std::shared_ptr<const Model> whole,
                                     std::shared_ptr<Portions> processes) {
  if (whole->offers<SumOfTerms>() == nullptr) return nullptr;
  if (processes->ranks() > shards)
    throw InputError(
        fmt::format("{} ranks are too many: the data are divided into {} shards, and each rank "
                    "needs at least one (run.ranks = \"data\"). Start at most {} ranks",
                    processes->ranks(), shards, shards));
  return std::make_shared<SumOfShards>(std::move(whole), std::move(processes));
}

}  // namespace mixwell
