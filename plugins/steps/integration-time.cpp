// `integration-time` (kind `steps`): chooses the number of steps for a given integration time.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <optional>

namespace {

using namespace mixwell;

class IntegrationTime final : public StepRule {
 public:
  struct Params {
    double time = 1.5707963267948966;
    std::optional<Interval> jitter = Interval{0.5, 1.5};
    std::int64_t most = 1000;

    void declare(Fields& fields) {
      fields.number("time", time)
          .unit("time")
          .above(0)
          .help(
              "integration time T of a trajectory (pi / 2 gives independent draws on a standard "
              "normal target)");
      fields.interval("jitter", jitter)
          .above(0)
          .help(
              "[a, b]: multiply T by a uniform draw from [a, b] in each transition and replicate");
      fields.integer("most", most)
          .at_least(1)
          .at_most(Steps::most)
          .help("maximum number of steps in a trajectory, however small eps is");
    }
  };

  explicit IntegrationTime(const Params& params) : params_(params) {
    check_interval("jitter", params.jitter, false);
  }

  /// O(w).
  void draw(const BeforeMove& before, Row L) const override {
    const auto [a, b] = *params_.jitter;
    before.noise.uniforms(L);
    L.array() = params_.time * (a + (b - a) * L.array()) / before.eps.array();
    L = L.array().min(static_cast<double>(params_.most));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<IntegrationTime>(
      {.id = "integration-time",
       .summary = "Number of steps for a given integration time",
       .details =
           "L = ceil(T f / eps), where f is uniform on `jitter`. The mean integration time stays "
           "about the same while Mixwell adapts eps. Without jitter, a trajectory may return to "
           "its start if the target is normal.",
       .sources = {"Neal 2011, MCMC using Hamiltonian dynamics, section 3.2 (jitter)"}});
}
