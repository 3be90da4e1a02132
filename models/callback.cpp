// Model `callback`: a C function computes U and its gradient.
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

/// Calls a function at test points, uniform on (-2, 2).
class Trial {
 public:
  /// `key`: the manifest key that messages name.
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
    if (!same(first.u, again.u))
      refuse("returns a different U when it is called again at the same points");
    if (!same(first.gradient, again.gradient))
      refuse("returns a different gradient when it is called again at the same points");
    require_near(first.u, alone(theta));
  }

 private:
  static constexpr Index columns = 3;
  /// A NaN that no computation produces. A number that still has this value was not written.
  static constexpr auto unwritten = std::bit_cast<double>(std::uint64_t{0x7ff8000000abcdef});

  struct Values {
    Eigen::MatrixXd u;
    Eigen::MatrixXd gradient;
  };

  [[noreturn]] void refuse(const std::string& what) const {
    throw ParameterError(
        key_, function_.words() + " " + what +
                  ". Correct the function so that it follows the rules in <mixwell/callback.h>.");
  }

  Eigen::MatrixXd points(std::uint32_t draw) const {
    Eigen::MatrixXd theta(dimension_, columns);
    Stream(0, "callback/trial").uniforms({0, draw, 0}, theta);
    return (4.0 * theta.array() - 2.0).matrix();
  }

  void call(const Eigen::MatrixXd& theta, double* u, double* gradient) const {
    const int code = function_(theta, u, gradient);
    if (code != 0)
      refuse("returned " + std::to_string(code) +
             " at points with coordinates in (-2, 2), but it must return 0");
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
        refuse("does not write U for point " + std::to_string(j) + " of " +
               std::to_string(columns));
      if (!std::isfinite(values.u(0, j))) continue;
      for (Index i = 0; i < dimension_; ++i)
        if (!is_written(values.gradient(i, j)))
          refuse("does not write derivative " + std::to_string(i) + " of " +
                 std::to_string(dimension_) + " for point " + std::to_string(j));
    }
  }

  /// Numbers that neither call wrote count as equal.
  static bool same(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return (a.array() == b.array() || (a.array().isNaN() && b.array().isNaN())).all();
  }

  void require_near(const Eigen::MatrixXd& u, const Eigen::MatrixXd& alone) const {
    for (Index j = 0; j < columns; ++j) {
      const bool is_same =
          u(0, j) == alone(0, j) || (std::isnan(u(0, j)) && std::isnan(alone(0, j)));
      if (!is_same && !(std::abs(u(0, j) - alone(0, j)) <= 1e-9 * (1.0 + std::abs(u(0, j)))))
        refuse("returns a different U when it is called without a gradient (gradient = NULL)");
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
      fields.flag("threads", threads)
          .help("let several threads call the function at the same time");
      fields.text("gradient_growth", gradient_growth)
          .one_of({"undeclared", "lipschitz", "locally-lipschitz", "singular"})
          .help(
              "growth of the gradient; used in certificates of kernels without a Metropolis step");
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
                    " is part of the embedding program. Without the key `version`, the results do "
                    "not record which version ran.");
    if (takes_turns_)
      all.emplace_back(
          "only one thread at a time calls the function. Set `threads = true` if the function is "
          "thread-safe.");
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

  /// One lock serves all functions, because two functions of a library may share the data that they
  /// write.
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
      throw RunError(
          function_.words() + " returned " + std::to_string(code) + " for " +
          std::to_string(theta.cols()) +
          " points. A result other than 0 means that the function cannot evaluate the points. "
          "Correct the function. Outside the support, it must write U = +inf and return 0.");
  }

  ForeignFunction function_;
  std::vector<Parameter> parameters_;
  bool has_record_;  ///< whether results record which code ran
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
           "Computes U(theta) and its gradient with\n"
           "  int f(size_t dimension, size_t columns, const double* theta, double* u,\n"
           "        double* gradient, void* user_data)\n"
           "theta holds `columns` points with `dimension` coordinates each, one point after "
           "another, and gradient has the same layout. gradient is null if Mixwell needs only U. A "
           "result other than 0 ends the run. <mixwell/callback.h> has the full description.\n"
           "A parameter listed in `exponential`, `logistic` or `absolute` is recorded as "
           "exp(theta), 1 / (1 + exp(-theta)) or |theta|. U must be the negative log density of "
           "theta, up to a constant. If a parameter is recorded through one of these maps, U "
           "therefore includes -log |Jacobian| of the map.\n"
           "gradient_growth declares how the gradient grows. `lipschitz`: at most linearly. "
           "`locally-lipschitz`: the gradient is bounded on bounded sets. `singular`: the gradient "
           "may be unbounded on a bounded set.\n"
           "Before a run, Mixwell tests the function at points with coordinates in (-2, 2). "
           "Mixwell refuses the function if repeated calls give different results, or if the "
           "function does not write U or a derivative. Only one thread at a time calls the "
           "function unless `threads` is true. Certificates list the function's properties as "
           "`declared`, which means that its author vouches for them. The function runs inside "
           "this process and can do everything that Mixwell can, so use only a function that you "
           "trust.",
       .sources = {}});
}
