// An exact draw of a block given the rest, where the model offers it.
// SPDX-License-Identifier: Apache-2.0
#include "model-part/model_part.hpp"

#include <mixwell/plugin.hpp>

#include <cstddef>
#include <utility>

namespace {

using namespace mixwell;
using model_part::listed;
using model_part::ModelPart;

/// The slot becomes a draw of the model's given the rest, which are the numbers of the law.
class DrawGivenRest {
 public:
  DrawGivenRest(ModelPart part, std::size_t which)
      : part_(std::move(part)), draws_(*part_.model()->offers<ConditionalDraws>()), which_(which) {}

  const Component& acts_for() const noexcept { return *part_.model(); }

  void operator()(Columns& block, edge::Law law, edge::Noise noise,
                  edge::Out<edge::Position> next) const {
    // What the written rows hold is not read; next is memory of another version.
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
      throw InputError("kernel `" + name() + "`: the law of `" + part.slot() +
                       "` offers no draws given the rest; use another kernel there");
    }
    const auto offered = part.model()->offers<ConditionalDraws>()->conditionals();
    for (std::size_t k = 0; k < offered.size(); ++k) {
      if (select_coordinates(part.model()->parameters(), offered[k]) == part.coordinates())
        return k;
    }
    throw InputError("kernel `" + name() + "`: model `" + part.model()->name() +
                     "` offers no draw of [" + part.held() + "] given the rest; it offers " +
                     listed(offered) +
                     ": an update of compositor `blocks` has one of these as its parameters");
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Conditional>(
      {.id = "conditional",
       .summary = "an exact draw of a block of parameters given the rest",
       .details =
           "The parameters of an update of compositor `blocks` are drawn anew from their law given "
           "all others, by the model (ConditionalDraws); which ones a model offers, its details "
           "say. It evaluates nothing and has no step size. What the model draws is held to the "
           "law by `mixwell verify`, and by the contract of models.",
       .sources = {"Geman & Geman 1984, IEEE Trans. PAMI 6",
                   "Gelfand & Smith 1990, J. Am. Stat. Ass. 85"}});
}
