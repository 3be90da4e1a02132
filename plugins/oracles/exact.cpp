// Oracle `exact`: the target density itself.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

class Exact final : public Oracle, public RowByRow {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit Exact(const Params&) {}
  Value law(KernelGraph&, const std::string&, Value factor) const override { return factor; }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Exact>({.id = "exact",
                        .summary = "The full U and grad U, without noise",
                        .details = "One evaluation counts as one gradient.",
                        .sources = {}});
}
