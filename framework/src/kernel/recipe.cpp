// Steps of a recipe: a diffusion with symmetric D, skew-symmetric Q and correction Gamma.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>
#include <mixwell/kernel/flow.hpp>
#include <mixwell/recipe.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

namespace mixwell {

Recipe::~Recipe() = default;
void Recipe::coefficients(const Potential&, ConstBatch, Batch, Workspace&) const {}
void Recipe::Q(ConstBatch, ConstBatch, Batch out, Workspace&) const { out.setZero(); }
void Recipe::gamma(const Potential&, ConstBatch, ConstBatch, Batch out, Workspace&) const {
  out.setZero();
}

namespace {

/// D and Q at z: the drift, the noise and Gamma all use the same numbers.
struct RecipeDrift : edge::Numbers<Role::drift> {};
struct RecipeDiffusion : edge::Numbers<Role::diffusion> {};
struct RecipeNumbers : edge::Numbers<Role::parameter> {};
struct PointAuxiliary : edge::Numbers<Role::parameter> {};

/// r_i ~ N(mean_i, sd_i^2).
class AuxiliaryNormals final : public Potential {
 public:
  explicit AuxiliaryNormals(Recipe::Auxiliaries of) : of_(std::move(of)) {}

  void evaluate(const Numbers&, ConstBatch r, const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index j = 0; j < r.cols(); ++j) {
      const auto scaled = ((r.col(j) - of_.mean).array() / of_.sd.array());
      if (out.wants_potential()) out.u()(j) = 0.5 * scaled.square().sum();
      if (out.wants_gradient()) g.col(j) = scaled / of_.sd.array();
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }
  double gradient_cost() const noexcept override { return 0.0; }

  Index rows() const noexcept { return of_.mean.size(); }
  /// Transforms a standard normal x.
  template <class Column>
  auto draw(const Column& x) const {
    return of_.mean + of_.sd.cwiseProduct(x);
  }

 private:
  Recipe::Auxiliaries of_;
};

/// Draws the columns that are still 0, because these columns have never been drawn.
void draw_first(Columns& block, edge::LawOf<AuxiliaryNormals> law, edge::Noise noise,
                edge::Auxiliary before, edge::Out<edge::Auxiliary> r) {
  edge::begin(before, r);
  if ((r.array() != 0.0).colwise().any().all()) return;
  MatrixMap x = block.scratch().matrix(r.rows(), r.cols());
  noise.normals(x);
  for (Index j = 0; j < r.cols(); ++j)
    if ((r.col(j).array() == 0.0).all()) r.col(j) = law.function.draw(x.col(j));
}

std::shared_ptr<const Component> author(const std::shared_ptr<const Recipe>& recipe) {
  return {recipe, &recipe->rests_on()};
}

/// (top, bottom), in scratch memory.
MatrixMap stacked(ConstBatch top, const ConstMatrixMap* bottom, Workspace& scratch) {
  const Index below = bottom == nullptr ? 0 : bottom->rows();
  MatrixMap z = scratch.matrix(top.rows() + below, top.cols());
  z.topRows(top.rows()) = top;
  if (below > 0) z.bottomRows(below) = *bottom;
  return z;
}
template <class Edges>
MatrixMap position(const edge::PointPosition& theta, const std::optional<Edges>& r,
                   Workspace& scratch) {
  return stacked(theta, r ? &*r : nullptr, scratch);
}

enum class Stepped { diverging };
constexpr StatisticTable<Stepped, 1> step_statistics{
    {{Stepped::diverging,
      {"diverging", RecordType::boolean, "",
       "whether the step was dropped because its displacement was not finite"}}}};

class StepByRecipe {
 public:
  explicit StepByRecipe(std::shared_ptr<const Recipe> recipe) : recipe_(std::move(recipe)) {}
  const Component& acts_for() const noexcept { return recipe_->rests_on(); }

  void operator()(Columns& block, edge::Position theta, std::optional<edge::Auxiliary> r,
                  edge::Law law, std::optional<edge::AuxiliaryLaw<edge::Here>> law_of_r,
                  edge::StepSize eps, std::optional<RecipeDrift> numbers,
                  std::optional<RecipeDiffusion>, std::optional<edge::DriftCorrection> gamma,
                  std::optional<edge::Friction>, edge::Noise noise, edge::Out<edge::Position> next,
                  std::optional<edge::Out<edge::Auxiliary>> next_r,
                  edge::Statistics<Stepped> out) const {
    Workspace& scratch = block.scratch();
    const Index d = theta.rows();
    const MatrixMap move = step(slope(theta, r, law, law_of_r, scratch), eps,
                                numbers ? *numbers : ConstMatrixMap(nullptr, 0, theta.cols()),
                                gamma ? &*gamma : nullptr, noise, scratch);
    edge::begin(theta, next);
    if (r) edge::begin(*r, *next_r);
    for (Index j = 0; j < theta.cols(); ++j) {
      const bool fine = move.col(j).allFinite();
      out[Stepped::diverging](j) = fine ? 0.0 : 1.0;
      if (!fine) {
        block.report(lost(j, move.topRows(d)), theta);
        continue;
      }
      next.col(j) += move.col(j).head(d);
      if (r) next_r->col(j) += move.col(j).tail(r->rows());
    }
  }

 private:
  /// grad E.
  static MatrixMap slope(const edge::Position& theta, const std::optional<edge::Auxiliary>& r,
                         const edge::Law& law,
                         const std::optional<edge::AuxiliaryLaw<edge::Here>>& law_of_r,
                         Workspace& scratch) {
    MatrixMap g = scratch.matrix(theta.rows(), theta.cols());
    law.evaluate(theta, {nullptr, g, scratch, 1});
    MatrixMap g_r = scratch.matrix(r ? r->rows() : 0, theta.cols());
    if (r) law_of_r->evaluate(*r, {nullptr, g_r, scratch});
    const ConstMatrixMap below(g_r.data(), g_r.rows(), g_r.cols());
    return stacked(g, &below, scratch);
  }

  MatrixMap step(const MatrixMap& slope, const edge::StepSize& eps, const ConstMatrixMap& numbers,
                 const ConstMatrixMap* gamma, const edge::Noise& noise, Workspace& scratch) const {
    const Index n = slope.rows();
    const Index w = slope.cols();
    MatrixMap drift = scratch.matrix(n, w);
    MatrixMap other = scratch.matrix(n, w);
    recipe_->D(numbers, slope, drift, scratch);
    recipe_->Q(numbers, slope, other, scratch);
    flat(drift) += flat(other);
    if (gamma != nullptr) flat(drift) -= flat(*gamma);
    MatrixMap x = scratch.matrix(n, w);
    noise.normals(x);
    recipe_->root(numbers, x, other, scratch);
    for (Index j = 0; j < w; ++j)
      drift.col(j) = std::sqrt(2.0 * eps(j)) * other.col(j) - eps(j) * drift.col(j);
    return drift;
  }

  std::shared_ptr<const Recipe> recipe_;
};

/// The edges by which the operations of one transition read and write r. Empty if m = 0.
struct RecipeAuxiliaries {
  Index rows = 0;
  std::optional<Edge<edge::Auxiliary>> r{};
  std::optional<Edge<PointAuxiliary>> point{};
  std::optional<Edge<edge::AuxiliaryLaw<edge::Here>>> law{};
  std::optional<Write<edge::Auxiliary>> next{};
};

RecipeAuxiliaries add_auxiliaries(Transition& t, const Recipe& recipe) {
  const auto normals = std::make_shared<AuxiliaryNormals>(recipe.auxiliaries(t.dimension()));
  if (normals->rows() == 0) return {};
  const Variable variable = t.graph().auxiliary(t.path("auxiliaries"), normals->rows());
  const Value law = t.graph().constant(t.path("auxiliaries-law"), normals);
  const auto r = t.add(
      "refresh", OperationKind::refresh, {.keeps_law = true},
      [](Columns& block, edge::LawOf<AuxiliaryNormals> of, edge::Noise noise,
         edge::Auxiliary before,
         edge::Out<edge::Auxiliary> now) { draw_first(block, of, noise, before, now); },
      Edge<edge::LawOf<AuxiliaryNormals>>{law}, t.noise("refresh"),
      Edge<edge::Auxiliary>{t.graph().current(variable)},
      Write<edge::Auxiliary>{Output::next(variable)});
  return {.rows = normals->rows(),
          .r = r,
          .point = Edge<PointAuxiliary>{r.value},
          .law = Edge<edge::AuxiliaryLaw<edge::Here>>{law},
          .next = Write<edge::Auxiliary>{Output::next(variable)}};
}

Value add_coefficients(Transition& t, const std::shared_ptr<const Recipe>& recipe,
                       std::optional<Edge<PointAuxiliary>> r) {
  return t
      .add("coefficients", OperationKind::pure, recipe->coefficients_traits(),
           acting_for(author(recipe),
                      [recipe](Columns& block, edge::TargetLaw target, edge::PointPosition theta,
                               std::optional<PointAuxiliary> at, edge::Out<RecipeNumbers> numbers) {
                        recipe->coefficients(target.potential(),
                                             position(theta, at, block.scratch()), numbers,
                                             block.scratch());
                      }),
           Edge<edge::TargetLaw>{t.target().value}, Edge<edge::PointPosition>{t.position().value},
           r, t.derived<RecipeNumbers>("D-and-Q", recipe->rows(t.dimension())))
      .value;
}

Edge<edge::DriftCorrection> add_gamma(Transition& t, const std::shared_ptr<const Recipe>& recipe,
                                      std::optional<Edge<PointAuxiliary>> r, Value numbers,
                                      Index rows) {
  return t.add("drift-correction", OperationKind::pure, recipe->gamma_traits(),
               acting_for(author(recipe),
                          [recipe](Columns& block, edge::TargetLaw target,
                                   edge::PointPosition theta, std::optional<PointAuxiliary> at,
                                   RecipeNumbers given, edge::Out<edge::DriftCorrection> gamma) {
                            recipe->gamma(target.potential(), position(theta, at, block.scratch()),
                                          given, gamma, block.scratch());
                          }),
               Edge<edge::TargetLaw>{t.target().value},
               Edge<edge::PointPosition>{t.position().value}, r, Edge<RecipeNumbers>{numbers},
               t.derived<edge::DriftCorrection>("Gamma", rows));
}

void require_target(const Transition& t, const Recipe& recipe) {
  const auto target = t.graph().potential(t.target().value);
  const std::string refusal = target == nullptr ? "" : recipe.refusal(*target);
  if (!refusal.empty()) throw InputError(fmt::format("kernel `{}`: {}", t.site().path, refusal));
}

}  // namespace

void step_by_recipe(Transition& t, Edge<edge::Law> law, Edge<edge::StepSize> eps,
                    std::shared_ptr<const Recipe> recipe) {
  require_target(t, *recipe);
  const RecipeAuxiliaries own = add_auxiliaries(t, *recipe);
  std::optional<Edge<RecipeDrift>> drift;
  std::optional<Edge<RecipeDiffusion>> diffusion;
  std::optional<Edge<edge::DriftCorrection>> gamma;
  if (recipe->rows(t.dimension()) > 0) {
    const Value numbers = add_coefficients(t, recipe, own.point);
    drift = {numbers};
    diffusion = {numbers};
    if (recipe->has_gamma())
      gamma = add_gamma(t, recipe, own.point, numbers, t.dimension() + own.rows);
  }
  std::optional<Edge<edge::Friction>> friction;
  if (recipe->has_friction()) friction = {t.graph().constant(t.path("friction"), nullptr)};
  t.add("step", OperationKind::move, {.order = 1, .local = true}, StepByRecipe(recipe),
        t.position(), own.r, law, own.law, eps, drift, diffusion, gamma, friction, t.noise("step"),
        t.next(), own.next, t.statistics(step_statistics));
}

}  // namespace mixwell
