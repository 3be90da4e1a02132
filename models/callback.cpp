// Model `callback`: U and its gradient by a C function.
// SPDX-License-Identifier: Apache-2.0
#include "callback/function.hpp"
#include "callback/parameters.hpp"
#include "callback/trial.hpp"

#include <mixwell/plugin.hpp>

#include <mutex>
#include <string>
#include <vector>

namespace mixwell::callback {
namespace {

class Callback final : public Model, public ForeignCode {
 public:
  struct Params {
    Source source;
    Declared declared;
    bool threads = false;
    std::string gradient_growth = "undeclared";

    void declare(Fields& fields) {
      source.declare(fields);
      declared.declare(fields);
      fields.flag("threads", threads).help("the function may be called by several threads at once");
      fields.text("gradient_growth", gradient_growth)
          .one_of({"undeclared", "lipschitz", "locally-lipschitz", "singular"})
          .help(
              "how the gradient grows, which certificates of kernels without Metropolis rest on: "
              "lipschitz no faster than linearly; locally-lipschitz bounded on bounded sets; "
              "singular not even that");
    }
  };

  explicit Callback(const Params& params)
      : function_(params.source),
        parameters_(parameters_of(params.declared)),
        has_record_(!params.source.is_embedded() || params.source.version),
        takes_turns_(!params.threads),
        growth_(growth_in(params.gradient_growth)) {
    const Turn turn = take_turn();
    Trial(function_, params.source.key(), dimension()).run();
  }

  std::vector<Parameter> parameters() const override { return parameters_; }
  GradientGrowth gradient_growth() const noexcept override { return growth_; }
  bool evaluates_potential_alone() const noexcept override { return true; }

  std::vector<std::string> remarks() const override {
    std::vector<std::string> all;
    if (!has_record_)
      all.push_back(function_.words() +
                    " is code of the program that embeds: no record says which it was.");
    if (takes_turns_)
      all.emplace_back(
          "one thread at a time calls the function; `threads = true` lets all of them, where it "
          "can bear that.");
    return all;
  }

 private:
  using Turn = std::unique_lock<std::mutex>;

  static GradientGrowth growth_in(const std::string& word) {
    if (word == "lipschitz") return GradientGrowth::lipschitz;
    if (word == "locally-lipschitz") return GradientGrowth::locally_lipschitz;
    if (word == "singular") return GradientGrowth::singular;
    return GradientGrowth::undeclared;
  }

  /// One lock serves all functions: two of one library may share what they write.
  Turn take_turn() const {
    static std::mutex lock;
    return takes_turns_ ? Turn(lock) : Turn();
  }

  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    double* const u = out.wants_potential() ? out.potential : out.scratch.row(theta.cols()).data();
    Batch gradient = out.gradient;
    const Turn turn = take_turn();
    const int code = function_(theta, u, gradient.data());
    if (code != 0)
      throw RunError(function_.words() + " returned " + std::to_string(code) + " for " +
                     std::to_string(theta.cols()) +
                     " points: by another number than 0 it says that it cannot be evaluated");
  }

  ForeignFunction function_;
  std::vector<Parameter> parameters_;
  bool has_record_;  ///< of which code it was
  bool takes_turns_;
  GradientGrowth growth_;
};

}  // namespace
}  // namespace mixwell::callback

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::callback::Callback>(
      {.id = "callback",
       .summary = "A C function that evaluates a batch of points",
       .details =
           "U(theta) and its gradient by\n"
           "  int f(size_t dimension, size_t columns, const double* theta, double* u,\n"
           "        double* gradient, void* user_data)\n"
           "theta and gradient d x R, column after column; gradient null where U alone is wanted; "
           "another result than 0 ends the run. <mixwell/callback.h> says it in full.\n"
           "A parameter of `exponential`, `logistic` or `absolute` is recorded as that function of "
           "theta; U is that of theta, with the Jacobian in it.\n"
           "Nothing is assumed of the function. It is called at points on (-2, 2) before a run and "
           "refused where it does not repeat itself or leaves numbers unwritten; one thread at a "
           "time calls it unless `threads` is true; what a certificate says is `declared`, the "
           "author's word. It must be trusted as a program is.",
       .sources = {}});
}
