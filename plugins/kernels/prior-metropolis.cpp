// Metropolis updates of many independent elements, each proposed from its prior.
// SPDX-License-Identifier: Apache-2.0
#include "model-part/model_part.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <utility>

namespace {

using namespace mixwell;
using model_part::ModelPart;

enum class Taken { acceptance };

constexpr StatisticTable<Taken, 1> shares{
    {{Taken::acceptance,
      {"acceptance_rate", RecordType::real, "", "fraction of the elements that were replaced"}}}};

/// Replaces element e by its draw x*_e with probability min(1, exp(misfit_e(x) - misfit_e(x*))).
class ReplaceElements {
 public:
  ReplaceElements(ModelPart part, std::shared_ptr<const IndependentElements> elements)
      : part_(std::move(part)), elements_(std::move(elements)) {}

  const Component& acts_for() const noexcept { return *part_.model(); }

  void operator()(Columns& block, edge::Position x, edge::Law law, edge::Noise noise,
                  edge::Out<edge::Position> next, edge::Statistics<Taken> out) const {
    Workspace& scratch = block.scratch();
    const Index n = elements_->elements();
    const Index w = x.cols();
    MatrixMap caches = scratch.matrix(elements_->cache_rows(), w);
    elements_->prepare(part_.position(law.numbers(), x, scratch), caches, scratch);
    const ConditionalCaches given(Numbers(ConstMatrixMap(caches.data(), caches.rows(), w)), 0);
    MatrixMap proposed = scratch.matrix(x.rows(), w);
    elements_->draw(noise.stream(), noise.address(), proposed);
    MatrixMap here = scratch.matrix(n, w);
    MatrixMap there = scratch.matrix(n, w);
    MatrixMap v = scratch.matrix(n, w);
    elements_->misfits(given, x, here);
    elements_->misfits(given, proposed, there);
    noise.uniforms(v, 1);
    edge::begin(x, next);
    for (Index j = 0; j < w; ++j) {
      Index taken = 0;
      for (Index e = 0; e < n; ++e) {
        if (!(std::log(v(e, j)) < here(e, j) - there(e, j))) continue;
        ++taken;
        for (Index k = e; k < next.rows(); k += n) next(k, j) = proposed(k, j);
      }
      out[Taken::acceptance](j) = static_cast<double>(taken) / static_cast<double>(n);
      law.count_potentials(1.0);
    }
  }

 private:
  ModelPart part_;
  std::shared_ptr<const IndependentElements> elements_;
};

class PriorMetropolis final : public TransitionKernel {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit PriorMetropolis(const Params&) {}

 protected:
  void transition(Transition& t) const override {
    const ModelPart part(t);
    t.add("replace", OperationKind::move, {.invariant = true},
          ReplaceElements(part, elements(part)), t.position(), t.target(), t.noise("replace"),
          t.next(), t.statistics(shares));
  }

 private:
  std::shared_ptr<const IndependentElements> elements(const ModelPart& part) const {
    auto found = part.model() == nullptr
                     ? nullptr
                     : std::dynamic_pointer_cast<const IndependentElements>(
                           part.model()->conditional_potential(part.coordinates()));
    if (found == nullptr)
      throw InputError("kernel `" + name() + "`: the target density of `" + part.slot() +
                       "` has no independent elements that this kernel can propose from their "
                       "prior. Use a different kernel, or use this kernel in compositor `blocks` "
                       "for the parameters that `mixwell plugins show MODEL` lists for this "
                       "kernel.");
    return found;
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<PriorMetropolis>(
      {.id = "prior-metropolis",
       .summary = "Metropolis within Gibbs for many elements, each proposed from its prior",
       .details = "The kernel updates a block of parameters with many elements, for example one "
                  "scale for each datum. The elements must be independent given the other "
                  "parameters (interface `IndependentElements`). The kernel proposes all elements "
                  "together from their prior. It accepts or rejects each element separately, with "
                  "probability min(1, exp(misfit - misfit*)), where the misfit is minus the log "
                  "likelihood of the element. There is no step size. `acceptance_rate` is the "
                  "fraction of accepted elements. Use the kernel in compositor `blocks`. A "
                  "transition costs about one evaluation of U without its gradient.",
       .sources = {"Tierney 1994, Ann. Stat. 22 (independence chains)",
                   "Simsekli, Badeau, Cemgil & Richard 2016, ICML, section 4.2"}});
}
