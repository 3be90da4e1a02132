// The prior of a model, as a separate model.
// SPDX-License-Identifier: Apache-2.0
#include "law/prior_target.hpp"

#include "law/model_terms.hpp"

#include <mixwell/law/capabilities.hpp>

#include <optional>
#include <utility>

namespace mixwell {
namespace {

class PriorTarget final : public Model, public ForeignCode {
 public:
  explicit PriorTarget(std::shared_ptr<const Model> of) : of_(std::move(of)) {
    set_name(of_->name());
    const SumOfTerms* const sum = of_->offers<SumOfTerms>();
    if (sum != nullptr && sum->rest_is_prior()) terms_.emplace(*of_);
  }

  std::vector<Parameter> parameters() const override { return of_->parameters(); }
  std::vector<NamedValues> observed_data() const override { return of_->observed_data(); }
  std::vector<NamedValues> constant_data() const override { return of_->constant_data(); }
  std::vector<Labels> labels() const override { return of_->labels(); }
  bool calls_foreign_code() const noexcept override { return mixwell::calls_foreign_code(*of_); }

 private:
  void offer(Offer& offer) const noexcept override {
    offer.forward<Derived, Generated, Prior, NamedPositions>(*of_);
  }
  bool evaluates_potential_alone() const noexcept override {
    return of_->evaluates_potential_alone();
  }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    if (terms_) return terms_->evaluate_rest(theta, out);
    if (out.wants_potential()) out.u().setZero();
    Batch gradient = out.gradient;
    if (out.wants_gradient()) gradient.setZero();
  }
  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    if (offers<Prior>() != nullptr) return offers<Prior>()->draw(stream, at, theta);
    of_->initial(stream, at, theta);
  }

  std::shared_ptr<const Model> of_;
  std::optional<ModelTerms> terms_;
};

}  // namespace

PriorSource prior_source(const Model& model) noexcept {
  if (model.offers<Prior>() != nullptr) return PriorSource::draws;
  const bool has_density =
      model.offers<SumOfTerms>() != nullptr && model.offers<SumOfTerms>()->rest_is_prior();
  return has_density ? PriorSource::density : PriorSource::none;
}

std::shared_ptr<const Model> prior_target(std::shared_ptr<const Model> of) {
  return std::make_shared<PriorTarget>(std::move(of));
}

}  // namespace mixwell
