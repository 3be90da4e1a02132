// Compositor `lagged`: slots whose preconditioners use the others' last moves or current values.
// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include "provided_memory.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace mixwell;

/// The start and the end of a slot's last move, and the gradients at both, d x w each. All four are
/// variables of kind history.
struct Displacement {
  Variable from;
  Variable to;
  Variable g_from;
  Variable g_to;
};

/// The position or gradient at one end of a move, from the current values or from the history.
struct MoveEnd : edge::Numbers<Role::parameter> {};

/// Inputs and outputs are in the order of the members of Displacement. O(d). With `keeps`, a column
/// that did not move keeps its last displacement.
class RememberMove {
 public:
  explicit RememberMove(bool keeps) : keeps_(keeps) {}
  void operator()(edge::List<edge::History> before, edge::List<MoveEnd> ends,
                  edge::OutList<edge::History> next) const {
    const MoveEnd from = ends[0];
    const MoveEnd to = ends[1];
    for (Index j = 0; j < from.cols(); ++j) {
      const bool moved = !std::equal(from.col(j).begin(), from.col(j).end(), to.col(j).begin());
      for (std::size_t k = 0; k < next.size(); ++k) {
        const bool taken = moved || !keeps_;
        const double* const source = taken ? ends[k].data() : before[k].data();
        edge::Out<edge::History> out = next[k];
        if (out.data() != source)
          std::copy_n(source + j * out.rows(), out.rows(), out.col(j).data());
      }
    }
  }

 private:
  bool keeps_;
};

/// Reproducible row by row if the kernel is reproducible row by row, because all rows then agree on
/// whether a slot moved.
class Lagged final : public Compositor, public RowByRow {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Kernel> kernel;
    std::shared_ptr<const Oracle> oracle;
    std::int64_t slots = 3;
    std::string memory = "cross";
    std::string rejected = "drop";

    void declare(Fields& fields) {
      fields.component("model", model).help("the model that every slot samples");
      fields.component("kernel", kernel).help("the kernel that moves each slot");
      fields.component("oracle", oracle)
          .or_default("exact")
          .help("source of the gradients in the memory");
      fields.integer("slots", slots)
          .at_least(2)
          .at_most(1000)
          .help("number M of slots; each slot is one chain of the results");
      fields.text("memory", memory)
          .one_of({"cross", "displacements"})
          .help("source of the pairs: the current values of the other slots, or their last moves");
      fields.text("rejected", rejected)
          .one_of({"drop", "keep"})
          .only_with("memory", {"displacements"})
          .help(
              "after a rejected move, leave out the slot's pair until the slot moves again, or "
              "keep it");
    }
  };

  explicit Lagged(const Params& params)
      : params_(params),
        cross_(params.memory == "cross"),
        slots_(static_cast<Index>(params.slots)) {
    if (cross_ && slots_ < 3) {
      throw ParameterError("slots",
                           "must be at least 3 for memory = \"cross\", because a pair needs two "
                           "slots besides the slot that moves.");
    }
  }

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    if (!cross_) provided_memory::require_reader("memory", {params_.kernel}, params_.model, phase);
    const Value target = target_law(graph, params_.model->name(), params_.model);
    const std::vector<Variable> slots = add_slots(graph, target);
    if (cross_) {
      move_by_cross(graph, target, slots, phase);
    } else {
      move_by_displacements(graph, target, slots, phase);
    }
    for (Index i = 0; i < slots_; ++i) record_slot(graph, at(slots, i), i, params_.model, target);
  }
  const Model& model() const noexcept override { return *params_.model; }
  std::vector<std::string> slots() const override { return parts::numbered(slots_); }

 private:
  template <class T>
  static const T& at(const std::vector<T>& all, Index i) {
    return all[static_cast<std::size_t>(i)];
  }

  std::vector<Variable> add_slots(KernelGraph& graph, Value target) const {
    std::vector<Variable> all;
    for (const std::string& name : slots()) {
      all.push_back(graph.slot(name, params_.model->dimension()));
      graph.factor(target, {all.back()});
    }
    return all;
  }

  /// The gradients of a pair share one minibatch, which is not the minibatch of the moves.
  void move_by_cross(KernelGraph& graph, Value target, const std::vector<Variable>& slots,
                     PhaseKind phase) const {
    const Value law = params_.oracle->law(graph, "memory/oracle", target);
    for (Index i = 0; i < slots_; ++i) {
      Site site = parts::site(*params_.kernel, at(slots, i), i, target, phase);
      for (Index k = 1; k < slots_; ++k) {
        provided_memory::see(graph, law, at(slots, (i + k) % slots_), site.memory);
      }
      params_.kernel->describe(graph, site);
    }
  }

  void move_by_displacements(KernelGraph& graph, Value target, const std::vector<Variable>& slots,
                             PhaseKind phase) const {
    std::vector<Displacement> moves;
    for (const std::string& name : this->slots()) moves.push_back(add_history(graph, name));
    for (Index i = 0; i < slots_; ++i) {
      Site site = parts::site(*params_.kernel, at(slots, i), i, target, phase);
      site.memory = last_moves(graph, moves, i);
      const Variable slot = site.slot;
      const Value law = params_.oracle->law(graph, site.path + "/oracle", target);
      const Value from = graph.current(slot);
      const Value g_from = graph.evaluation(law, slot).g;
      params_.kernel->describe(graph, site);
      remember(graph, at(moves, i),
               {from, graph.current(slot), g_from, graph.evaluation(law, slot).g});
    }
  }

  Displacement add_history(KernelGraph& graph, const std::string& slot) const {
    const auto add = [&](const char* what) {
      return graph.history(slot + "/last-move/" + what,
                           Eigen::VectorXd::Zero(params_.model->dimension()), Forgets::window);
    };
    return {add("from"), add("to"), add("g-from"), add("g-to")};
  }

  void remember(KernelGraph& graph, const Displacement& move,
                const std::vector<Value>& ends) const {
    std::vector<Edge<edge::History>> before;
    std::vector<Write<edge::History>> next;
    for (const Variable v : {move.from, move.to, move.g_from, move.g_to}) {
      before.push_back({graph.current(v)});
      next.push_back({Output::next(v)});
    }
    add_operation(graph, "remember " + graph[move.to].name, OperationKind::observe, {},
                  RememberMove(params_.rejected == "keep"), before, edges<MoveEnd>(ends), next);
  }

  /// The last moves of the other slots; the slot that moved longest ago is first. H is continuous
  /// if d = 1 or if the Hessian is constant. For d = 1, y / s has a limit as the displacement s
  /// tends to 0. With a constant Hessian, y depends only on s and not on the position of s.
  MemoryValues last_moves(const KernelGraph& graph, const std::vector<Displacement>& moves,
                          Index i) const {
    MemoryValues memory;
    memory.displacements = true;
    memory.continuous = params_.model->dimension() == 1 || params_.model->has_constant_hessian();
    for (Index k = 1; k < slots_; ++k) {
      const Displacement& move = at(moves, (i + k) % slots_);
      memory.points.push_back(graph.current(move.from));
      memory.points.push_back(graph.current(move.to));
      memory.gradients.push_back(graph.current(move.g_from));
      memory.gradients.push_back(graph.current(move.g_to));
    }
    return memory;
  }

  Params params_;
  bool cross_;
  Index slots_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Lagged>(
      {.id = "lagged",
       .summary = "M slots with a preconditioner from the moves or the current values of the "
                  "others (HAMCMC)",
       .details =
           "Update t moves slot t mod M from theta_{t-M} to theta_t with a preconditioner H that "
           "is not fitted to theta_{t-M}. The M slots take turns, and the step size is constant "
           "during a sweep, which is one turn of all M slots. With memory = \"displacements\" the "
           "pairs of an estimator such as lbfgs (regularisation = lambda) are the last moves of "
           "the M - 1 other slots: s = theta_t - theta_{t-M} and y = the difference of the "
           "gradients at the two ends of s. As in the paper, a move and its pair share one "
           "minibatch if the kernel uses the same oracle as the memory. The published theorem "
           "claims that a sampler with these pairs leaves the target invariant as eps -> 0. The "
           "theorem is wrong for d >= 2 unless the Hessian is constant. The reason is that the "
           "direction of s depends on the position of the slot that moves next, however small the "
           "step size is. On U = sum theta_i^4 / 4 with d = 2 and M = 2, E theta_i^2 should be "
           "0.676. At small eps it is 0.66, 0.72 and 0.58 for the values 1, 0.2 and 4 of the "
           "estimator's key `gamma`. With memory = \"cross\" the pairs are differences between "
           "current values of other slots, so M must be at least 3. The memory has its own "
           "minibatch in each sweep. With these pairs the sampler leaves the target invariant as "
           "eps -> 0, and at every eps if the kernel has a Metropolis decision. Each replicate "
           "stores O(M d) numbers, and each of its sweeps costs O(M^2 d) operations in addition to "
           "the gradients. With memory = \"displacements\" each move uses two gradients if the "
           "pair shares the kernel's minibatch. With memory = \"cross\" each move uses 1 + 2 (M - "
           "1) / M gradients.",
       .sources = {"Simsekli, Badeau, Cemgil & Richard 2016, ICML, section 3.2 (displacements)"},
       .provides_memory = true});
}
