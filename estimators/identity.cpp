// Estimator `identity`: no preconditioner, H = I.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

class IdentityRepresentation final : public Representation {
 public:
  bool is_identity() const noexcept override { return true; }
  void H(const Numbers&, ConstBatch v, Batch out, Workspace&) const override { out = v; }
  void B(const Numbers&, ConstBatch v, Batch out, Workspace&) const override { out = v; }
  void S(const Numbers&, ConstBatch z, Batch out, Workspace&) const override { out = z; }
  void St(const Numbers&, ConstBatch v, Batch out, Workspace&) const override { out = v; }
  void C(const Numbers&, ConstBatch z, Batch out, Workspace&) const override { out = z; }
  void log_det_H(const Numbers&, Index, Row out, Workspace&) const override { out.setZero(); }
};

class Identity final : public ConstantPreconditioner, public RowByRow {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit Identity(const Params&) : representation_(std::make_shared<IdentityRepresentation>()) {}

  std::shared_ptr<const Representation> representation() const override { return representation_; }

 private:
  std::shared_ptr<const Representation> representation_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Identity>(
      {.id = "identity",
       .summary = "No preconditioner: H = B = I",
       .details = "This estimator costs nothing, because Mixwell skips the products with I.",
       .sources = {}});
}
