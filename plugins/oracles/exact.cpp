// The oracle that returns the target's own law.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

class Exact final : public Oracle {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit Exact(const Params&) {}
  Value law(KernelGraph&, const std::string&, Value factor) const override { return factor; }
  bool divides_rows() const noexcept override { return true; }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Exact>({.id = "exact",
                        .summary = "U and grad U of the whole model, deterministic",
                        .details = "One evaluation counts as one gradient.",
                        .sources = {}});
}
