// Composing, compiling and advancing a sampler; the library's own way to run one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/state.hpp>
#include <mixwell/compositor.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/run_settings.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mixwell {

class JointRun;

/// Time spent in one operation, estimated from every 64th sweep of each block.
struct OperationTime {
  std::string phase;
  std::string name;
  double seconds = 0.0;
};

/// A transition that diverged, and where it started.
struct Divergence {
  std::string phase;
  std::int64_t chain = 0;
  std::uint64_t sweep = 0;
  std::string operation;
  std::string quantity;
  Index coordinate = -1;  ///< of the model
  double value = 0.0;
  std::vector<double> position;  ///< of the slot that it moved
};

/// The graphs of both phases and their certificate.
struct Program {
  KernelGraph warmup;
  KernelGraph sampling;
  Certificate certificate;
};

/// Composes both phases of a composition and certifies them. Runs nothing. Recorded are the
/// posterior and the statistics, and of what belongs to cases of the data (log_likelihood and
/// posterior_predictive) the groups in `cases`.
MIXWELL_EXPORT Program compose(const Compositor& compositor,
                               const std::vector<RecordGroup>& cases = {});

/// Throws Refused, with reason and cure, when the class is `biased` or `none` and `allow` does not
/// name it.
MIXWELL_EXPORT void refuse_unless_allowed(const Verdict& verdict,
                                          const std::vector<std::string>& allow);

/// Runs one sweep of each phase with one replicate, so that every body is called once: throws the
/// WiringError of one that takes an edge for another. Other trouble is for the run itself to tell.
/// Costs a transition or two of one column.
MIXWELL_EXPORT void probe_wiring(std::shared_ptr<const Compositor> compositor);

/// Room for recorded draws of one stretch of sweeps; one buffer per Record of the phase's graph,
/// laid out [draw][replicate][element]. The buffer of a Record that is `once` is laid out
/// [replicate][element] if draw 0 of the phase is among the draws, and else empty.
struct DrawBuffers {
  std::vector<std::vector<double>> data;
  std::int64_t draws = 0;
};

/// All replicates of one composition in memory. The same bits for any number of threads and any
/// split of the sweeps into calls.
class MIXWELL_EXPORT Sampler {
 public:
  /// `joint`: what carries out the run together with other processes; null where there are none.
  Sampler(std::shared_ptr<const Compositor> compositor, const RunSettings& settings,
          Program program, NoiseGrid noise = {}, JointRun* joint = nullptr);
  ~Sampler();
  Sampler(Sampler&&) noexcept;

  /// Sets every slot as `settings.init` says and evaluates its laws; throws InputError naming
  /// replicate, parameter and quantity when U or grad U is not finite there. Counts its gradients.
  /// Called again after some sweeps it starts anew, with fresh draws, and keeps what was learnt.
  void initialise();
  /// Advances `sweeps` sweeps of a phase; every thin-th is recorded into `buffers` if not null.
  void advance(PhaseKind phase, std::int64_t sweeps, DrawBuffers* buffers = nullptr);
  /// Asked before every operation of a block, from several threads: once it is true, `advance` and
  /// `initialise` throw Stopped, after which the sampler is of no use. It must not throw.
  void stop_when(std::function<bool()> is_late);
  /// Every number that a checkpoint must hold.
  void visit_state(StateVisitor& visitor);

  /// Whether any operation uses the variable: others are not kept.
  bool has(const std::string& name) const;
  /// The values of a variable now: rows x replicates.
  MatrixMap variable(const std::string& name);
  /// Whether any operation uses a slot of the position.
  bool has_position(const std::string& name) const;
  /// A whole position now, d x replicates: of a slot, or of what several slots hold together.
  Eigen::MatrixXd position(const std::string& name);
  /// Moves a position to theta (d x replicates); what was evaluated is evaluated anew.
  void move(const std::string& position, ConstBatch theta);
  /// U at theta (d x w, u 1 x w) of a law of the sampling phase, with the numbers that `replicate`
  /// has now. Throws InputError for a law that depends on positions. Allocates.
  void evaluate(Value law, Index replicate, ConstBatch theta, Row u);
  const KernelGraph& graph(PhaseKind phase) const;
  std::uint64_t sweeps() const noexcept;
  /// Of all laws, in gradients of the whole U; those of the starting points included.
  Evaluations evaluations() const;
  /// All of them.
  double gradients() const;
  /// Kept ones (at most 100), in order of sweep, then chain; and how many there were.
  const std::vector<Divergence>& divergences() const;
  std::int64_t divergence_count() const;
  std::vector<OperationTime> operation_times() const;
  /// Heap bytes of variables and values.
  std::size_t memory() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws InputError where there is no memory for the variables, values and records of so many
/// replicates. Sampler asks before it allocates.
MIXWELL_EXPORT void check_memory(const Program& program, const RunSettings& settings);

/// Eight for each core: more than that start slowly and stall a machine.
MIXWELL_EXPORT int most_threads();

/// Runs `body`, and all parallel work in it, on that many threads; 0 = all cores. Throws InputError
/// below 0 and above most_threads().
MIXWELL_EXPORT void with_threads(int threads, const std::function<void()>& body);

}  // namespace mixwell
