// Computes the conditional law of one slot given the others, and joins slots into a position.
// SPDX-License-Identifier: Apache-2.0
#include "graph/row_runs.hpp"

#include <mixwell/kernel/position.hpp>
#include <mixwell/law/conditional_potential.hpp>
#include <mixwell/oracle.hpp>

#include <algorithm>
#include <utility>

namespace mixwell {
namespace {

std::vector<Index> shifted(std::vector<Index> rows, Index by) {
  for (Index& row : rows) row += by;
  return rows;
}

/// A law of the whole position, used as the law of a part.
class PartPotential : public Potential {
 public:
  explicit PartPotential(std::shared_ptr<const Potential> whole) : whole_(std::move(whole)) {}
  double gradient_cost() const noexcept final { return whole_->gradient_cost(); }
  bool has_constant_hessian() const noexcept final { return whole_->has_constant_hessian(); }
  GradientGrowth gradient_growth() const noexcept final { return whole_->gradient_growth(); }

 protected:
  std::shared_ptr<const Potential> whole_;
};

/// Its numbers are the numbers of the law of the whole, followed by a whole position (d rows). The
/// rows of the part in this position are not used.
class PotentialGivenRest final : public PartPotential {
 public:
  PotentialGivenRest(std::shared_ptr<const Potential> whole, Index numbers, Index dimension,
                     const std::vector<Index>& coordinates)
      : PartPotential(std::move(whole)),
        numbers_(numbers),
        dimension_(dimension),
        coordinates_(coordinates) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const Index w = theta.cols();
    MatrixMap position = out.scratch.matrix(dimension_, w);
    for (Index j = 0; j < w; ++j) {
      std::copy_n(numbers.column(j) + numbers_, dimension_, position.col(j).data());
    }
    coordinates_.put(theta, position);
    const bool wants_gradient = out.wants_gradient();
    MatrixMap g =
        wants_gradient ? out.scratch.matrix(dimension_, w) : MatrixMap(nullptr, dimension_, w);
    whole_->evaluate(of_whole(numbers, w, out.scratch), position,
                     {out.potential, g, out.scratch, out.draw});
    if (wants_gradient) coordinates_.take(g, out.gradient);
  }

  bool evaluates_potential_alone() const noexcept override {
    return whole_->evaluates_potential_alone();
  }

 private:
  /// Valid until the caller's Frame ends.
  Numbers of_whole(const Numbers& numbers, Index w, Workspace& scratch) const {
    if (numbers_ == 0) return {ConstMatrixMap(nullptr, 0, w)};
    MatrixMap own = scratch.matrix(numbers_, w);
    for (Index j = 0; j < w; ++j) std::copy_n(numbers.column(j), numbers_, own.col(j).data());
    return {ConstMatrixMap(own.data(), numbers_, w)};
  }

  Index numbers_;
  Index dimension_;
  RowRuns coordinates_;
};

/// Inputs: a law, then slots. Output: the law's numbers, followed by a position with the slots in
/// their places; all other rows are 0.
class RestBody final : public Body {
 public:
  RestBody(Index numbers, std::vector<RowRuns> slots)
      : numbers_(numbers), slots_(std::move(slots)) {}

  void run(ColumnBlock& block) const override {
    MatrixMap out = block.out(0);
    out.setZero();
    if (numbers_ > 0) {
      const ConstMatrixMap law = block.in(0);
      for (Index j = 0; j < out.cols(); ++j) {
        out.col(j).head(numbers_) = law.col(law.cols() == 1 ? 0 : j);
      }
    }
    for (std::size_t k = 0; k < slots_.size(); ++k) slots_[k].put(block.in(k + 1), out);
  }

 private:
  Index numbers_;
  std::vector<RowRuns> slots_;
};

/// Inputs: slots. Output: the position.
class JoinBody final : public Body {
 public:
  explicit JoinBody(std::vector<RowRuns> slots) : slots_(std::move(slots)) {}
  void run(ColumnBlock& block) const override {
    for (std::size_t k = 0; k < slots_.size(); ++k) slots_[k].put(block.in(k), block.out(0));
  }

 private:
  std::vector<RowRuns> slots_;
};

/// The law of a part from the model's own conditional potential. Its numbers are a whole position,
/// in which the rows of the part are not used, followed by the cache.
class CachedConditional final : public PartPotential {
 public:
  CachedConditional(std::shared_ptr<const Potential> whole,
                    std::shared_ptr<const ConditionalPotential> block, Index dimension)
      : PartPotential(std::move(whole)), block_(std::move(block)), dimension_(dimension) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    block_->evaluate({numbers, dimension_}, theta, out);
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

 private:
  std::shared_ptr<const ConditionalPotential> block_;
  Index dimension_;
};

/// Like RestBody, but for a law without numbers, and with the cache after the position.
class CachedRestBody final : public Body {
 public:
  CachedRestBody(std::vector<RowRuns> slots, std::shared_ptr<const ConditionalPotential> block,
                 Index dimension)
      : slots_(std::move(slots)), block_(std::move(block)), dimension_(dimension) {}

  void run(ColumnBlock& block) const override {
    MatrixMap out = block.out(0);
    MatrixMap rest = block.scratch().matrix(dimension_, out.cols());
    MatrixMap caches = block.scratch().matrix(out.rows() - dimension_, out.cols());
    rest.setZero();
    for (std::size_t k = 0; k < slots_.size(); ++k) slots_[k].put(block.in(k + 1), rest);
    block_->prepare(rest, caches, block.scratch());
    out.topRows(dimension_) = rest;
    out.bottomRows(caches.rows()) = caches;
  }

 private:
  std::vector<RowRuns> slots_;
  std::shared_ptr<const ConditionalPotential> block_;
  Index dimension_;
};

/// The definition of the law of a part. The body computes its numbers from a law and slots.
struct ConditionalParts {
  Index rows;
  std::shared_ptr<const Potential> function;
  std::shared_ptr<const Body> body;
};

ConditionalParts conditional_parts(std::shared_ptr<const Potential> whole, Index numbers,
                                   Index dimension, const std::vector<Index>& coordinates,
                                   std::vector<RowRuns> rest) {
  const Model* const model = whole->as_model();
  auto block = model == nullptr ? nullptr : model->conditional_potential(coordinates);
  if (block) {
    return {dimension + block->cache_rows(),
            std::make_shared<CachedConditional>(std::move(whole), block, dimension),
            std::make_shared<CachedRestBody>(std::move(rest), block, dimension)};
  }
  return {numbers + dimension,
          std::make_shared<PotentialGivenRest>(std::move(whole), numbers, dimension, coordinates),
          std::make_shared<RestBody>(numbers, std::move(rest))};
}

bool has_exact_potential(const KernelGraph& graph, Value law) {
  const std::int32_t by = graph[law].producer;
  return by >= 0 && graph.operations()[static_cast<std::size_t>(by)].traits.exact_potential;
}

}  // namespace

Value conditional_law(KernelGraph& graph, std::string name, Value law, Variable slot,
                      const std::vector<Value>& rest) {
  const Index numbers = graph[law].rows;
  Index dimension = 0;
  for (const Variable held : slots_of(graph, graph[slot].position)) dimension += graph[held].rows;
  std::vector<Input> inputs{{law, Role::law}};
  std::vector<RowRuns> places;
  for (const Value version : rest) {
    const Variable other = graph[version].variable;
    inputs.push_back({version, Role::parameter});
    places.emplace_back(shifted(held_coordinates(graph[other]), numbers));
  }
  const Traits traits{
      .continuous = true,  // U is a continuous function of real numbers
      .unbiased = true,
      .exact_potential = has_exact_potential(graph, law),
  };
  ConditionalParts parts = conditional_parts(graph.potential(law), numbers, dimension,
                                             held_coordinates(graph[slot]), std::move(places));
  const std::string output = name + "/rest";
  return graph
      .add(std::move(name), OperationKind::pure, traits, std::move(inputs),
           {Output::derived(output, parts.rows, std::move(parts.function))}, std::move(parts.body))
      .front();
}

Value law_for_part(KernelGraph& graph, const Site& site, const Oracle& oracle) {
  if (!site.part.law) return oracle.law_for(graph, site);
  const Value law = oracle.law(graph, site.path + "/oracle", site.part.law);
  if (law == site.part.law) return site.target;
  return conditional_law(graph, site.path + "/conditional", law, site.slot, site.part.rest);
}

Value whole_position(KernelGraph& graph, const std::string& position) {
  std::vector<Input> inputs;
  std::vector<RowRuns> places;
  Index dimension = 0;
  for (const Variable slot : slots_of(graph, position)) {
    inputs.push_back({graph.current(slot), Role::parameter});
    places.emplace_back(held_coordinates(graph[slot]));
    dimension += graph[slot].rows;
  }
  const std::string name = "join " + position;
  return graph
      .add(name, OperationKind::pure, {}, std::move(inputs),
           {Output::derived(name + "/whole", dimension)},
           std::make_shared<JoinBody>(std::move(places)))
      .front();
}

}  // namespace mixwell
