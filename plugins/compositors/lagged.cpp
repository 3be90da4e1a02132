// Slots that lend one another where they moved last, or where they are.
// SPDX-License-Identifier: Apache-2.0
#include "lent_memory.hpp"
#include "parts.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace mixwell;

/// The ends of a slot's last move and the gradients there, d x w each: registers.
struct Displacement {
  Variable from;
  Variable to;
  Variable g_from;
  Variable g_to;
};

/// A move's two ends, positions and then gradients: as they are, or as the registers have them.
struct MoveEnd : edge::Numbers<Role::parameter> {};

/// Inputs and outputs in the order of Displacement. O(d). `keeps`: where nothing moved, the last
/// displacement stays.
class RememberMove {
 public:
  explicit RememberMove(bool keeps) : keeps_(keeps) {}
  void operator()(edge::List<edge::Register> before, edge::List<MoveEnd> ends,
                  edge::OutList<edge::Register> next) const {
    const MoveEnd from = ends[0];
    const MoveEnd to = ends[1];
    for (Index j = 0; j < from.cols(); ++j) {
      const bool moved = !std::equal(from.col(j).begin(), from.col(j).end(), to.col(j).begin());
      for (std::size_t k = 0; k < next.size(); ++k) {
        const bool taken = moved || !keeps_;
        const double* const source = taken ? ends[k].data() : before[k].data();
        edge::Out<edge::Register> out = next[k];
        if (out.data() != source)
          std::copy_n(source + j * out.rows(), out.rows(), out.col(j).data());
      }
    }
  }

 private:
  bool keeps_;
};

/// All rows agree whether a slot moved, as they do in the kernels that work row by row.
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
      fields.component("model", model).help("what every slot samples");
      fields.component("kernel", kernel).help("the transition of each slot");
      fields.component("oracle", oracle)
          .or_default("exact")
          .help(
              "where the gradients of the memory come from. displacements: where it is the "
              "kernel's too, a slot's move and its pair share one minibatch, as published; cross: "
              "a minibatch of its own, one a sweep");
      fields.integer("slots", slots)
          .at_least(2)
          .at_most(1000)
          .help(
              "M: slot t mod M is theta_t, moved from theta_{t-M}; each slot is a chain of the "
              "results");
      fields.text("memory", memory)
          .one_of({"cross", "displacements"})
          .help(
              "cross: differences of the current values of the others, M >= 3, which is right. "
              "displacements: the last moves theta_t - theta_{t-M} of the M - 1 others, as "
              "published; wrong at every step size for d >= 2 unless the Hessian is constant");
      fields.text("rejected", rejected)
          .one_of({"drop", "keep"})
          .only_with("memory", {"displacements"})
          .help(
              "when a move was rejected, under a kernel with Metropolis: drop the slot's pair "
              "until "
              "it moves, or keep the last one");
    }
  };

  explicit Lagged(const Params& params)
      : params_(params),
        cross_(params.memory == "cross"),
        slots_(static_cast<Index>(params.slots)) {
    if (cross_ && slots_ < 3) {
      throw ParameterError("slots",
                           "must be at least 3 for memory = \"cross\": a pair is made from two "
                           "slots other than the one that moves");
    }
  }

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    if (!cross_) lent_memory::require_reader("memory", {params_.kernel}, params_.model, phase);
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

  /// The gradients of a pair have one minibatch, and it is not the one of the moves.
  void move_by_cross(KernelGraph& graph, Value target, const std::vector<Variable>& slots,
                     PhaseKind phase) const {
    const Value law = params_.oracle->law(graph, "memory/oracle", target);
    for (Index i = 0; i < slots_; ++i) {
      Site site = parts::site(*params_.kernel, at(slots, i), i, target, phase);
      for (Index k = 1; k < slots_; ++k) {
        lent_memory::see(graph, law, at(slots, (i + k) % slots_), site.memory);
      }
      params_.kernel->describe(graph, site);
    }
  }

  void move_by_displacements(KernelGraph& graph, Value target, const std::vector<Variable>& slots,
                             PhaseKind phase) const {
    std::vector<Displacement> moves;
    for (const std::string& name : this->slots()) moves.push_back(add_registers(graph, name));
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

  Displacement add_registers(KernelGraph& graph, const std::string& slot) const {
    const auto add = [&](const char* what) {
      return graph.history(slot + "/last-move/" + what,
                           Eigen::VectorXd::Zero(params_.model->dimension()), Forgets::window);
    };
    return {add("from"), add("to"), add("g-from"), add("g-to")};
  }

  void remember(KernelGraph& graph, const Displacement& move,
                const std::vector<Value>& ends) const {
    std::vector<Edge<edge::Register>> before;
    std::vector<Write<edge::Register>> next;
    for (const Variable v : {move.from, move.to, move.g_from, move.g_to}) {
      before.push_back({graph.current(v)});
      next.push_back({Output::next(v)});
    }
    add_operation(graph, "remember " + graph[move.to].name, OperationKind::observe, {},
                  RememberMove(params_.rejected == "keep"), before, edges<MoveEnd>(ends), next);
  }

  /// Of the others, from the one that waited longest for its move to the one that moved last.
  /// Along a vanishing displacement y / s has a limit that the direction of s does not enter where
  /// there is one direction; and where the Hessian is constant H does not depend on where s was.
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
       .summary = "M slots with a curvature from the moves or the places of the others (HAMCMC)",
       .details =
           "theta_t is moved from theta_{t-M} with an H that does not see theta_{t-M}: M slots "
           "take turns, and a step size stays the same for a sweep, one turn of all M. With memory "
           "= "
           "\"displacements\" the pairs of an estimator such as lbfgs (regularisation = lambda) "
           "are s = theta_t - theta_{t-M} and y = the difference of the gradients at its ends. The "
           "published theorem that this is right as eps -> 0 does not hold for d >= 2 with a "
           "Hessian that changes: the direction of s has a law that the moved slot's own place "
           "entered, at every step size. On U = sum theta_i^4 / 4, d = 2, M = 2, E theta_i^2 comes "
           "out as 0.66, 0.72, 0.58 for gamma = 1, 0.2, 4 instead of 0.676. With memory = "
           "\"cross\" "
           "pairs are differences of current values of other slots: right as eps -> 0, and exact "
           "under a kernel with Metropolis. M d numbers and O(M^2 d) a sweep and replicate beyond "
           "the gradients: two a move where displacements share the kernel's minibatch, and 1 + 2 "
           "(M - 1) / M for cross.",
       .sources = {"Simsekli, Badeau, Cemgil & Richard 2016, ICML, section 3.2 (displacements)"},
       .lends_memory = true});
}
