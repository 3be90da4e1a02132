// An oracle whose law is the target raised to a power, and which declares that its density is pi.
// SPDX-License-Identifier: Apache-2.0
#include "../../../plugins/oracles/known_law.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

class MisnamedDensity final : public Oracle {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit MisnamedDensity(const Params&) {}

  Value law(KernelGraph& graph, const std::string& path, Value factor) const override {
    if (const Value known = known_law(graph, path, factor)) return known;
    const auto base = std::dynamic_pointer_cast<const Potential>(graph[factor].function);
    Traits traits;
    traits.density = "pi";
    return graph.view(path, std::make_shared<TemperedPotential>(base, 0.5), factor, traits);
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<MisnamedDensity>(
      {.id = "misnamed-density", .summary = "pi^0.5 under the name of pi"});
}
