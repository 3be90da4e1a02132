// Oracle `tempered`: the target density raised to a power.
// SPDX-License-Identifier: Apache-2.0
#include "known_law.hpp"

#include <mixwell/plugin.hpp>

#include <sstream>

namespace {

using namespace mixwell;

class Tempered final : public Oracle {
 public:
  struct Params {
    double beta = 0.5;

    void declare(Fields& fields) {
      fields.number("beta", beta)
          .above(0)
          .help("inverse temperature (1: the target itself; below 1: a flatter density)");
    }
  };
  explicit Tempered(const Params& params) : beta_(params.beta) {}

  Value law(KernelGraph& graph, const std::string& path, Value factor) const override {
    if (const Value known = known_law(graph, path, factor)) return known;
    Traits traits;
    if (beta_ != 1.0) traits.density = "pi^" + to_text(beta_);
    traits.unbiased = beta_ == 1.0;
    return graph.view(path, std::make_shared<TemperedPotential>(graph.potential(factor), beta_),
                      factor, traits);
  }

 private:
  /// The decimal text that std::ostream writes for the number.
  static std::string to_text(double value) {
    std::ostringstream text;
    text << value;
    return text.str();
  }

  double beta_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Tempered>(
      {.id = "tempered",
       .summary = "The target density raised to a power: exp(-beta U)",
       .details = "U becomes beta U and grad U becomes beta grad U. One evaluation counts as one "
                  "gradient. A kernel with this oracle samples the density proportional to "
                  "exp(-beta U), which the certificate calls pi^beta. To sample the target itself, "
                  "use compositor `tempering`, whose other slots have flatter densities.",
       .sources = {"Geyer 1991, Computing Science and Statistics 23"}});
}
