// What models and potentials offer, found by its type.
// SPDX-License-Identifier: Apache-2.0
#include "law/prior_target.hpp"
#include "support.hpp"

#include <mixwell/law/capabilities.hpp>

#include <memory>
#include <optional>

namespace {

using namespace mixwell;

/// A prior that is not the prior of the model itself.
class OtherDraws : public Prior {
 public:
  void draw(const Stream&, Address, Batch theta) const override { theta.setConstant(7.0); }
};
class DerivedDraws final : public OtherDraws {};

/// Base classes with and without a condition, and a part.
class Offers : public Model, public ExactSampler, public Metric {
 public:
  bool has_metric = true;
  std::unique_ptr<DerivedDraws> prior;

  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {}}}; }
  void draw(const Stream&, Address, Batch theta) const override { theta.setZero(); }
  void metric(ConstBatch, Batch G, Workspace&) const override { G.setOnes(); }
  void contract_derivative(ConstBatch, ConstBatch, Batch out, Workspace&) const override {
    out.setZero();
  }
  void contract_crosswise(ConstBatch, ConstBatch, Batch out, Workspace&) const override {
    out.setZero();
  }

 protected:
  void offer(Offer& offer) const noexcept override {
    offer.set<Metric>(has_metric ? this : nullptr);
    offer.set<Prior>(prior.get());
  }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g = theta;
    if (out.wants_potential()) out.u() = 0.5 * theta.colwise().squaredNorm();
  }
};

/// The wrong one: it leaves out what its base offers under a condition.
class Forgetful final : public Offers {
 private:
  void offer(Offer&) const noexcept override {}
};

TEST_CASE("a model offers its public base classes, and what it names") {
  Offers model;
  CHECK(model.offers<ExactSampler>() == &model);
  CHECK(model.offers<Metric>() == &model);
  CHECK(model.offers<Prior>() == nullptr);
  CHECK(model.offers<SumOfTerms>() == nullptr);
  model.prior = std::make_unique<DerivedDraws>();
  CHECK(model.offers<Prior>() == model.prior.get());
  model.has_metric = false;
  CHECK(model.offers<Metric>() == nullptr);
}

TEST_CASE("the pointer is one to the capability, not to the whole object") {
  const Offers model;
  const Model& whole = model;
  Eigen::MatrixXd theta(1, 1);
  whole.offers<ExactSampler>()->draw(Stream(1, "x"), {}, theta);
  CHECK(theta(0, 0) == 0.0);
  Workspace scratch;
  whole.offers<Metric>()->metric(theta, theta, scratch);
  CHECK(theta(0, 0) == 1.0);
}

TEST_CASE("who does not call the offer() of its base offers what the base takes back") {
  Forgetful model;
  model.has_metric = false;
  CHECK(model.offers<Metric>() != nullptr);
}

TEST_CASE("a wrapper passes on what it names, and nothing else") {
  const auto model = std::make_shared<Offers>();
  model->prior = std::make_unique<DerivedDraws>();
  const auto target = prior_target(model);
  CHECK(target->offers<Prior>() == model->prior.get());
  CHECK(target->offers<ExactSampler>() == nullptr);
  CHECK(target->offers<Metric>() == nullptr);
  CHECK(hessian_products(target.get()) == nullptr);
}

}  // namespace
