// A model that breaks a promise of evaluate() in a way of choice; its draws look as good as ever.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <atomic>

namespace {

using namespace mixwell;

/// Independent standard normals.
class DishonestModel final : public Model {
 public:
  struct Params {
    std::string how = "none";

    void declare(Fields& fields) {
      fields.text("how", how)
          .one_of({"none", "changes-theta", "after-gradient", "before-gradient", "after-u",
                   "other-gradient", "other-u"});
    }
  };

  explicit DishonestModel(const Params& params) : how_(params.how) {}

  std::vector<Parameter> parameters() const override { return {{"x", {3}, {}}}; }

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
