// Elements that are proposed from their prior, with a mistake of decision.
// SPDX-License-Identifier: Apache-2.0
#include "../../../plugins/kernels/model-part/model_part.hpp"
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <utility>

namespace {

using namespace mixwell;
using model_part::ModelPart;

/// As kernel `prior-metropolis`; by mistake every proposal is taken, or the misfits of the next
/// element decide.
class WrongElements final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) { mistake.declare(fields, {"always", "neighbour"}); }
  };
  explicit WrongElements(const Params& params) : mistake_(params.mistake) {}

 protected:
  void transition(Transition& t) const override {
    const ModelPart part(t);
    const auto elements = std::dynamic_pointer_cast<const IndependentElements>(
        part.model()->conditional_potential(part.coordinates()));
    if (elements == nullptr) throw InputError("kernel `wrong-elements`: there are no elements");
    t.add(
        "replace", OperationKind::move, wrong::claims_exact(),
        [part, elements, mistake = mistake_](Columns& block, edge::Position x, edge::Law law,
                                             edge::Noise noise, edge::Out<edge::Position> next) {
          Workspace& scratch = block.scratch();
          const Index n = elements->elements();
          MatrixMap caches = scratch.matrix(elements->cache_rows(), x.cols());
          elements->prepare(part.position(law.numbers(), x, scratch), caches, scratch);
          const ConditionalCaches given(
              Numbers(ConstMatrixMap(caches.data(), caches.rows(), caches.cols())), 0);
          MatrixMap proposed = scratch.matrix(x.rows(), x.cols());
          elements->draw(noise.stream(), noise.address(), proposed);
          MatrixMap here = scratch.matrix(n, x.cols());
          MatrixMap there = scratch.matrix(n, x.cols());
          MatrixMap v = scratch.matrix(n, x.cols());
          elements->misfits(given, x, here);
          elements->misfits(given, proposed, there);
          noise.uniforms(v, 1);
          edge::begin(x, next);
          for (Index j = 0; j < x.cols(); ++j)
            for (Index e = 0; e < n; ++e) {
              const Index by = mistake.is("neighbour") ? (e + 1) % n : e;
              const bool takes =
                  mistake.is("always") || std::log(v(e, j)) < here(by, j) - there(by, j);
              for (Index k = e; takes && k < next.rows(); k += n) next(k, j) = proposed(k, j);
            }
        },
        t.position(), t.target(), t.noise("replace"), t.next());
  }

 private:
  wrong::Mistake mistake_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongElements>(
      {.id = "wrong-elements",
       .summary = "elements proposed from their prior, with a mistake of decision"});
}
