// The number of steps that a time of integration takes.
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
              "T of a trajectory: a quarter of a turn, pi / 2, forgets a standard normal's start");
      fields.interval("jitter", jitter)
          .above(0)
          .help("[a, b]: each transition and replicate takes T * U[a, b]; [1, 1]: T itself");
      fields.integer("most", most)
          .at_least(1)
          .at_most(Steps::most)
          .help("no more steps than these, however small eps is");
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
       .summary = "as many steps as a time of integration takes",
       .details = "L = ceil(T f / eps), f uniform on `jitter`: where eps is learnt, trajectories "
                  "stay as long as they were. Without jitter, trajectories of a normal target may "
                  "return to where they started.",
       .sources = {"Neal 2011, MCMC using Hamiltonian dynamics, section 3.2 (jitter)"}});
}
