// A model whose parameters() nothing can be made of, in a way of choice.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// Independent standard normals.
class MisdeclaredModel final : public Model {
 public:
  struct Params {
    std::string how = "none";

    void declare(Fields& fields) {
      fields.text("how", how)
          .one_of({"none", "empty", "negative", "zero", "huge", "overflow", "many", "no-name",
                   "slash"});
    }
  };

  explicit MisdeclaredModel(const Params& params) : how_(params.how) {}

  std::vector<Parameter> parameters() const override {
    constexpr Index large = Index{1} << 40;
    constexpr Index half = Index{3} << 30;
    if (how_ == "empty") return {};
    if (how_ == "negative") return {{"x", {-1}, {}}};
    if (how_ == "zero") return {{"x", {}, {}}, {"y", {2, 0}, {}}};
    if (how_ == "huge") return {{"x", {large}, {}}};
    if (how_ == "overflow") return {{"x", {large, large}, {}}};
    if (how_ == "many") return {{"x", {half}, {}}, {"y", {half}, {}}};
    if (how_ == "no-name") return {{"", {}, {}}};
    if (how_ == "slash") return {{"a/b", {}, {}}};
    return {{"x", {}, {}}, {"y", {2, 3}, {}}};
  }

 protected:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient = theta;
    if (out.wants_potential()) out.u() = 0.5 * theta.colwise().squaredNorm();
  }

 private:
  std::string how_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<MisdeclaredModel>({.id = "misdeclared", .summary = "has no such parameters"});
}
