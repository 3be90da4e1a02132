// A standard normal that throws: exceptions must cross from a plugin to the library and back.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/density/values.hpp>
#include <mixwell/plugin.hpp>

#include <cmath>
#include <filesystem>
#include <string>

namespace {

using namespace mixwell;

class Failing final : public Model {
 public:
  struct Params {
    std::string way = "none";

    void declare(Fields& fields) {
      fields.text("way", way)
          .one_of({"none", "made", "error", "standard", "library", "filesystem"})
          .help("what is thrown");
    }
  };

  explicit Failing(const Params& params) : way_(params.way) {
    if (way_ == "made") throw ParameterError("way", "must not be made");
  }

  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {2}}}; }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    if (way_ == "error") throw RunError("the model has no more data");
    if (way_ == "standard") throw std::domain_error("the model leaves its domain");
    if (way_ == "filesystem") std::filesystem::rename("/nowhere/a", "/nowhere/b");
    if (way_ == "library") {
      try { // the library throws a class of its own, and the plugin knows it
        detail::refuse_element("beta", 12, 10);
      } catch (const RunError& fault) {
        throw RunError(std::string("caught: ") + fault.what());
      }
    }
    Batch gradient = out.gradient;
    gradient = theta;
    if (out.wants_potential()) out.u() = 0.5 * theta.colwise().squaredNorm();
  }

  std::string way_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Failing>({.id = "failing",
                          .summary = "a standard normal that throws",
                          .details = "",
                          .sources = {}});
}
