// A model that ends its process in a way of choice, for what must survive it.
// SPDX-License-Identifier: Apache-2.0
#include "flat_model.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using namespace mixwell;

/// A standard normal coordinate; `fault` happens at the first gradient, or when it is made.
class FaultyModel final : public Model {
 public:
  struct Params {
    std::string fault = "none";

    void declare(Fields& fields) {
      fields.text("fault", fault)
          .one_of({"none", "segfault", "segfault-when-made", "abort", "exit", "memory", "sleep",
                   "slow", "throw"});
    }
  };

  explicit FaultyModel(const Params& params) : fault_(params.fault) {
    if (fault_ == "segfault-when-made") std::raise(SIGSEGV);
  }
  std::vector<Parameter> parameters() const override { return {{"x", {}, {}}}; }

 protected:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    happen();
    Batch gradient = out.gradient;
    gradient = theta;
    if (out.wants_potential()) out.u() = 0.5 * theta.cwiseProduct(theta);
  }

 private:
  void happen() const {
    if (fault_ == "segfault") std::raise(SIGSEGV);
    if (fault_ == "exit") std::exit(7);
    if (fault_ == "throw") throw std::runtime_error("the model gives up");
    if (fault_ == "sleep") std::this_thread::sleep_for(std::chrono::hours(1));
    if (fault_ == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (fault_ == "memory") std::vector<char>(std::size_t{1} << 33, 'x').swap(hoard_);
    if (fault_ != "abort") return;
    std::fputs("assertion `cat is alive' failed\n", stderr);
    std::abort();
  }

  std::string fault_;
  mutable std::vector<char> hoard_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<FaultyModel>({.id = "faulty", .summary = "ends its process"});
}
