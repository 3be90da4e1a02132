// A model that ends its process in a way of choice, for what must survive it.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/flat_model.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

namespace {

using namespace mixwell;

/// Uses up the stack: what it adds up afterwards keeps the calls apart.
int deepen(int depth) {  // NOLINT(misc-no-recursion)
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : deepen(depth + 1) + frame[0];
}

/// A standard normal coordinate; `fault` happens after so many evaluations, or when it is made.
class FaultyModel final : public Model {
 public:
  struct Params {
    std::string fault = "none";
    std::int64_t after = 0;

    void declare(Fields& fields) {
      fields.text("fault", fault)
          .one_of({"none", "segfault", "segfault-when-made", "abort", "bus", "divide", "illegal",
                   "overflow", "exit", "exit-as-well", "quick-exit", "memory", "sleep", "slow",
                   "held", "throw", "throw-number", "throw-number-when-made"});
      fields.integer("after", after);
    }
  };

  explicit FaultyModel(const Params& params) : fault_(params.fault), after_(params.after) {
    if (fault_ == "segfault-when-made") std::raise(SIGSEGV);
    if (fault_ == "throw-number-when-made") throw 42;
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
    if (done_++ < after_) return;
    if (fault_ == "bus") std::raise(SIGBUS);
    if (fault_ == "divide") std::raise(SIGFPE);
    if (fault_ == "illegal") std::raise(SIGILL);
    if (fault_ == "overflow") deepen(0);
    if (fault_ == "exit-as-well") std::exit(0);
    if (fault_ == "quick-exit") ::_exit(0);
    if (fault_ == "throw-number") throw 42;
    if (fault_ == "segfault") std::raise(SIGSEGV);
    if (fault_ == "exit") std::exit(7);
    if (fault_ == "throw") throw std::runtime_error("the model gives up");
    if (fault_ == "sleep") std::fputs("asleep\n", stderr);
    if (fault_ == "sleep") std::this_thread::sleep_for(std::chrono::hours(1));
    if (fault_ == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(20));
    // Slow as long as a file `held` is in the working folder: a run that ends when its test wants
    // it to.
    if (fault_ == "held" && std::filesystem::exists("held"))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (fault_ == "memory") std::vector<char>(std::size_t{1} << 33, 'x').swap(hoard_);
    if (fault_ != "abort") return;
    std::fputs("assertion `cat is alive' failed\n", stderr);
    std::abort();
  }

  std::string fault_;
  std::int64_t after_;
  mutable std::atomic<std::int64_t> done_{0};
  mutable std::vector<char> hoard_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<FaultyModel>({.id = "faulty", .summary = "ends its process"});
}
