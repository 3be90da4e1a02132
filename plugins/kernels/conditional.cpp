// An exact draw of a block of parameters given the others, if the model offers such draws.
// SPDX-License-Identifier: Apache-2.0
#include "model-part/model_part.hpp"

#include <mixwell/plugin.hpp>

#include <cstddef>
#include <utility>

namespace {

using namespace mixwell;
using model_part::listed;
using model_part::ModelPart;

/// Replaces the slot by the model's draw given the rest of the position. The numbers of the law
/// hold this rest.
class DrawGivenRest {
 public:
  DrawGivenRest(ModelPart part, std::size_t which)
      : part_(std::move(part)), draws_(*part_.model()->offers<ConditionalDraws>()), which_(which) {}

  const Component& acts_for() const noexcept { return *part_.model(); }

  void operator()(Columns& block, edge::Law law, edge::Noise noise,
                  edge::Out<edge::Position> next) const {
    // The model does not read the old values of these rows, so zeros replace them. `next` cannot
    // replace them, because it holds another version of the slot.
    MatrixMap unread = block.scratch().matrix(next.rows(), next.cols());
    unread.setZero();
    MatrixMap position = part_.position(law.numbers(), unread, block.scratch());
    draws_.draw_conditional(which_, noise.stream(), noise.address(), position, block.scratch());
    part_.take(position, next);
  }

 private:
  ModelPart part_;
  const ConditionalDraws& draws_;
  std::size_t which_;
};

class Conditional final : public TransitionKernel {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit Conditional(const Params&) {}

 protected:
  void transition(Transition& t) const override {
    const ModelPart part(t);
    const std::size_t which = choose(part);
    t.add("draw", OperationKind::refresh, {.keeps_law = true, .full = true, .whole_numbers = true},
          DrawGivenRest(part, which), t.target(), t.noise("draw"), t.next());
  }

 private:
  std::size_t choose(const ModelPart& part) const {
    if (part.model() == nullptr || part.model()->offers<ConditionalDraws>() == nullptr) {
      throw InputError("kernel `" + name() + "`: the target density of `" + part.slot() +
                       "` offers no exact draws given the other parameters. Use a kernel that does "
                       "not need exact draws.");
    }
    const auto offered = part.model()->offers<ConditionalDraws>()->conditionals();
    for (std::size_t k = 0; k < offered.size(); ++k) {
      if (select_coordinates(part.model()->parameters(), offered[k]) == part.coordinates())
        return k;
    }
    throw InputError(
        "kernel `" + name() + "`: model `" + part.model()->name() + "` offers no exact draw of [" +
        part.held() + "] given the other parameters. It offers exact draws of " + listed(offered) +
        ". In compositor `blocks`, give an update one of these lists as its parameters.");
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Conditional>(
      {.id = "conditional",
       .summary = "Exact draw of a block of parameters given the other parameters",
       .details =
           "Each update of compositor `blocks` moves some parameters. With this kernel, the model "
           "draws these parameters from their conditional distribution given all other parameters "
           "(interface `ConditionalDraws`). The details of each model say which parameters the "
           "model can draw. The kernel does not evaluate U, and has no step size. `mixwell verify` "
           "and the contract tests for models check whether the draws agree with the model's "
           "density.",
       .sources = {"Geman & Geman 1984, IEEE Trans. PAMI 6",
                   "Gelfand & Smith 1990, J. Am. Stat. Ass. 85"}});
}
