// Model `callback`: U and its gradient by a C function.
// SPDX-License-Identifier: Apache-2.0
#include "callback/function.hpp"
#include "callback/parameters.hpp"

#include <mixwell/plugin.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace mixwell::callback {
namespace {

/// Calls a function at points of its own, uniform on (-2, 2).
class Trial {
 public:
  /// `key`: of the manifest, for messages.
  Trial(const ForeignFunction& function, std::string key, Index dimension)
      : function_(function), key_(std::move(key)), dimension_(dimension) {
    check_memory("parameters", 8.0 * 6.0 * columns * static_cast<double>(dimension));
  }

  /// Throws ParameterError with what is wrong.
  void run() const {
    const Eigen::MatrixXd theta = points(0);
    const Values first = evaluated(theta);
    require_written(first);
    evaluated(points(1));
    const Values again = evaluated(theta);
    if (!same(first.u, again.u)) refuse("gives another U at the same points the second time");
    if (!same(first.gradient, again.gradient))
      refuse("gives another gradient at the same points the second time");
    require_near(first.u, alone(theta));
  }

 private:
  static constexpr Index columns = 3;
  /// A NaN that no computation makes: what has it still was not written.
  static constexpr auto unwritten = std::bit_cast<double>(std::uint64_t{0x7ff8000000abcdef});

  struct Values {
    Eigen::MatrixXd u;
    Eigen::MatrixXd gradient;
  };

  [[noreturn]] void refuse(const std::string& what) const {
    throw ParameterError(
        key_, function_.words() + " " + what + "; <mixwell/callback.h> says what it has to do");
  }

  Eigen::MatrixXd points(std::uint32_t draw) const {
    Eigen::MatrixXd theta(dimension_, columns);
    Stream(0, "callback/trial").uniforms({0, draw, 0}, theta);
    return (4.0 * theta.array() - 2.0).matrix();
  }

  void call(const Eigen::MatrixXd& theta, double* u, double* gradient) const {
    const int code = function_(theta, u, gradient);
    if (code != 0)
      refuse("returned " + std::to_string(code) + " for points on (-2, 2), and 0 is wanted");
  }

  Values evaluated(const Eigen::MatrixXd& theta) const {
    Values out{Eigen::MatrixXd::Constant(1, columns, unwritten),
               Eigen::MatrixXd::Constant(dimension_, columns, unwritten)};
    call(theta, out.u.data(), out.gradient.data());
    return out;
  }

  Eigen::MatrixXd alone(const Eigen::MatrixXd& theta) const {
    Eigen::MatrixXd u = Eigen::MatrixXd::Constant(1, columns, unwritten);
    call(theta, u.data(), nullptr);
    return u;
  }

  static bool is_written(double value) {
    return std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(unwritten);
  }

  void require_written(const Values& values) const {
    for (Index j = 0; j < columns; ++j) {
      if (!is_written(values.u(0, j)))
        refuse("writes no U of point " + std::to_string(j) + " of " + std::to_string(columns));
      if (!std::isfinite(values.u(0, j))) continue;
      for (Index i = 0; i < dimension_; ++i)
        if (!is_written(values.gradient(i, j)))
          refuse("writes no derivative " + std::to_string(i) + " of " + std::to_string(dimension_) +
                 " of point " + std::to_string(j));
    }
  }

  /// What was not written in both is the same.
  static bool same(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return (a.array() == b.array() || (a.array().isNaN() && b.array().isNaN())).all();
  }

  void require_near(const Eigen::MatrixXd& u, const Eigen::MatrixXd& alone) const {
    for (Index j = 0; j < columns; ++j) {
      const bool is_same =
          u(0, j) == alone(0, j) || (std::isnan(u(0, j)) && std::isnan(alone(0, j)));
      if (!is_same && !(std::abs(u(0, j) - alone(0, j)) <= 1e-9 * (1.0 + std::abs(u(0, j)))))
        refuse("gives another U where the gradient is not wanted");
    }
  }

  const ForeignFunction& function_;
  std::string key_;
  Index dimension_;
};

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
        has_record_(!params.source.function || params.source.version),
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
