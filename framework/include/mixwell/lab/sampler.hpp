// Composes, compiles and advances a sampler: the way to run one from code.
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
  std::vector<double> position;  ///< position of the moved slot, before the operation
};

/// The graphs of both phases and their certificate.
struct Program {
  KernelGraph warmup;
  KernelGraph sampling;
  Certificate certificate;
};

/// Composes both phases of a composition and certifies them, without running them. The posterior
/// and the statistics are recorded. Of the groups with numbers for each case of the data
/// (log_likelihood and posterior_predictive), only those in `cases` are recorded.
MIXWELL_EXPORT Program compose(const Compositor& compositor,
                               const std::vector<RecordGroup>& cases = {});

/// Throws Refused with the reason and the fix if the class is `biased` or `none` and `allow` does
/// not contain it.
MIXWELL_EXPORT void refuse_unless_allowed(const Verdict& verdict,
                                          const std::vector<std::string>& allow);

/// Runs one sweep of each phase with one replicate, so that every body is called once. Throws the
/// WiringError of a body that uses an edge with the wrong role or kind. Ignores other errors,
/// because the run itself reports them. Cost: one or two transitions of one column.
MIXWELL_EXPORT void probe_wiring(std::shared_ptr<const Compositor> compositor);

/// Memory for the recorded draws of a stretch of sweeps. There is one buffer for each Record of the
/// phase's graph, with layout [draw][replicate][element]. For a Record that is `once`, the layout
/// is [replicate][element] if draw 0 of the phase is among the draws. Otherwise the buffer is
/// empty.
struct DrawBuffers {
  std::vector<std::vector<double>> data;
  std::int64_t draws = 0;
};

/// All replicates of one composition in RAM. The bits do not depend on the number of threads, or on
/// how the sweeps are split into calls.
class MIXWELL_EXPORT Sampler {
 public:
  /// `joint` runs the composition together with other processes. Null if there are none.
  Sampler(std::shared_ptr<const Compositor> compositor, const RunSettings& settings,
          Program program, NoiseGrid noise = {}, JointRun* joint = nullptr);
  ~Sampler();
  Sampler(Sampler&&) noexcept;

  /// Places every slot as `settings.init` says and evaluates its laws. Throws InputError with
  /// replicate, parameter and quantity if U or grad U is not finite at a start. The gradients are
  /// counted. If this function is called again after some sweeps, it starts from new draws and
  /// keeps everything that was learnt.
  void initialise();
  /// Advances a phase by `sweeps` sweeps. If `buffers` is not null, every thin-th draw is recorded
  /// into it.
  void advance(PhaseKind phase, std::int64_t sweeps, DrawBuffers* buffers = nullptr);
  /// Sets a function that is called before every operation of a block, from several threads. Once
  /// it returns true, `advance` and `initialise` throw Stopped, and the sampler can no longer be
  /// used. It must not throw.
  void stop_when(std::function<bool()> is_late);
  /// Visits every number that a checkpoint must store.
  void visit_state(StateVisitor& visitor);

  /// True if any operation uses the variable. Unused variables are not stored.
  bool has(const std::string& name) const;
  /// The current values of a variable: rows x replicates.
  MatrixMap variable(const std::string& name);
  /// True if any operation uses a slot of the position.
  bool has_position(const std::string& name) const;
  /// The current whole position, d x replicates: of a slot, or of several slots that hold it
  /// together.
  Eigen::MatrixXd position(const std::string& name);
  /// Moves a position to theta (d x replicates). Its evaluations are computed again.
  void move(const std::string& position, ConstBatch theta);
  /// Computes U (1 x w) of a law of the sampling phase at theta (d x w), with the current numbers
  /// of `replicate`. Throws InputError if the law depends on positions. Allocates memory.
  void evaluate(Value law, Index replicate, ConstBatch theta, Row u);
  const KernelGraph& graph(PhaseKind phase) const;
  std::uint64_t sweeps() const noexcept;
  /// Evaluations of all laws, in gradients of the full U, including the evaluations at the initial
  /// positions.
  Evaluations evaluations() const;
  /// The total number of evaluations.
  double gradients() const;
  /// The divergences that were kept (at most 100), by sweep, then chain. divergence_count() is the
  /// total number.
  const std::vector<Divergence>& divergences() const;
  std::int64_t divergence_count() const;
  std::vector<OperationTime> operation_times() const;
  /// Heap bytes of variables and values.
  std::size_t memory() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws InputError if there is not enough RAM for the variables, values and records of this many
/// replicates. Sampler calls this before it allocates.
MIXWELL_EXPORT void check_memory(const Program& program, const RunSettings& settings);

/// Eight threads for each core. More threads start slowly and can stall a machine.
MIXWELL_EXPORT int most_threads();

/// Runs `body`, and all parallel work in it, on this many threads; 0 means all cores. Throws
/// InputError if it is below 0 or above most_threads().
MIXWELL_EXPORT void with_threads(int threads, const std::function<void()>& body);

}  // namespace mixwell
