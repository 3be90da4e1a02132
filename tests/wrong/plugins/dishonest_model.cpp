// A model that breaks a promise of evaluate(), or of its terms, in a way of choice; its draws look
// as good as ever.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <atomic>
#include <stdexcept>

namespace {

using namespace mixwell;

/// Independent standard normals: a half of U belongs to each of two cases.
class DishonestModel final : public Model, public SumOfTerms {
 public:
  struct Params {
    std::string how = "none";

    void declare(Fields& fields) {
      fields.text("how", how)
          .one_of({"none", "changes-theta", "after-gradient", "before-gradient", "after-u",
                   "other-gradient", "other-u", "terms-change-theta", "after-terms", "other-terms",
                   "other-rest", "after-term-gradients", "terms-throw"});
    }
  };

  explicit DishonestModel(const Params& params) : how_(params.how) {}

  std::vector<Parameter> parameters() const override { return {{"x", {3}, {}}}; }

  Index terms() const noexcept override { return 2; }
  void evaluate_rest(ConstBatch, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient.setZero();
    if (out.wants_potential()) out.u().setZero();
    if (how_ == "other-rest") gradient(0, 0) = 1e-15 * static_cast<double>(++evaluations_);
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    if (how_ == "terms-throw") throw std::runtime_error("no terms today");
    const double share = 0.5 * static_cast<double>(indices.rows());
    Batch gradient = out.gradient;
    gradient = share * theta;
    if (out.wants_potential()) out.u() = 0.5 * share * theta.colwise().squaredNorm();
    if (how_ == "terms-change-theta") const_cast<double*>(theta.data())[1] *= 1.0 + 1e-12;
    if (how_ == "after-terms") gradient.data()[gradient.size() + 2] = 0.0;
    if (how_ == "other-terms") gradient(0, 0) += 1e-15 * static_cast<double>(++evaluations_);
  }
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace&) const override {
    out = 0.5 * theta.replicate(1, indices.rows());
    if (how_ == "after-term-gradients") out.data()[out.size() + 2] = 0.0;
  }

 protected:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient = theta;
    if (out.wants_potential()) out.u() = 0.5 * theta.colwise().squaredNorm();
    const double least = 1e-15 * static_cast<double>(1 + evaluations_++);
    double* const after = gradient.data() + gradient.size();
    if (how_ == "changes-theta") const_cast<double*>(theta.data())[1] *= 1.0 + 1e-12;
    if (how_ == "after-gradient") after[2] = least;
    if (how_ == "before-gradient") gradient.data()[-1] = least;
    if (how_ == "after-u" && out.wants_potential()) out.potential[theta.cols()] = least;
    if (how_ == "other-gradient") gradient(0, 0) += least;
    if (how_ == "other-u" && out.wants_potential()) out.potential[0] += 1.0 + least;
  }

 private:
  std::string how_;
  mutable std::atomic<int> evaluations_{0};
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<DishonestModel>({.id = "dishonest", .summary = "writes where it may not"});
}
