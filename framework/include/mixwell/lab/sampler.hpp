// Composes, compiles and advances a sampler from C++ code.
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
  Index coordinate = -1;  ///< coordinate of the model
  double value = 0.0;
  std::vector<double> position;  ///< position of the moved slot, before the operation
};

/// The graphs of both phases and their certificate.
struct Program {
  KernelGraph warmup;
  KernelGraph sampling;
  Certificate certificate;
};

/// Composes and certifies both phases without running them. The graphs record the posterior and the
/// statistics. They record each of the groups log_likelihood and posterior_predictive only if
/// `cases` contains it.
MIXWELL_EXPORT Program compose(const Compositor& compositor,
                               const std::vector<RecordGroup>& cases = {});

/// Throws Refused with the reason and the fix if the class of the verdict is `biased` or `none` and
/// `allow` does not contain this class.
MIXWELL_EXPORT void refuse_unless_allowed(const Verdict& verdict,
                                          const std::vector<std::string>& allow);

/// Runs one sweep of each phase with one replicate, so that the code of every operation is called
/// once. Throws WiringError if this code uses an edge in the wrong role or as the wrong kind.
/// Ignores other errors, because the run itself reports them. Costs one or two transitions of one
/// column.
MIXWELL_EXPORT void probe_wiring(std::shared_ptr<const Compositor> compositor);

/// Buffers for the recorded draws of a stretch of sweeps. There is one buffer for each Record of
/// the phase's graph, with layout [draw][replicate][element]. The buffer of a Record with `once` =
/// true has the layout [replicate][element] in the stretch that contains draw 0 of the sampling
/// phase, and is empty in all other stretches.
struct DrawBuffers {
  std::vector<std::vector<double>> data;
  std::int64_t draws = 0;
};

/// All replicates of one composition in RAM. The draws are bitwise identical for any number of
/// threads, and for any number of sweeps in each call to advance().
class MIXWELL_EXPORT Sampler {
 public:
  /// `joint` connects this process with the other ranks of an MPI run. Null for a single process.
  Sampler(std::shared_ptr<const Compositor> compositor, const RunSettings& settings,
          Program program, NoiseGrid noise = {}, JointRun* joint = nullptr);
  ~Sampler();
  Sampler(Sampler&&) noexcept;

  /// Places every slot according to `settings.init` and evaluates its laws there. evaluations()
  /// includes these evaluations. Throws InputError if U or grad U is not finite at a start
  /// position. The error names the replicate, the parameter and the quantity. A later call uses new
  /// random numbers for the start positions, and keeps everything that the sampler has learnt.
  void initialise();
  /// Advances a phase by `sweeps` sweeps. Records every thin-th draw into `buffers`, unless it is
  /// null.
  void advance(PhaseKind phase, std::int64_t sweeps, DrawBuffers* buffers = nullptr);
  /// Sets a function that is called before every operation of a block, from several threads. Once
  /// the function returns true, `advance` and `initialise` throw Stopped, and the sampler can no
  /// longer be used. The function must not throw.
  void stop_when(std::function<bool()> is_late);
  /// Lets `visitor` visit every number that a checkpoint must store.
  void visit_state(StateVisitor& visitor);

  /// True if any operation uses the variable. Unused variables are not stored.
  bool has(const std::string& name) const;
  /// The current values of a variable, as a matrix (rows x replicates).
  MatrixMap variable(const std::string& name);
  /// True if any operation uses a slot of the position.
  bool has_position(const std::string& name) const;
  /// The current values of all coordinates of a position (d x replicates). Several slots may hold
  /// the position together.
  Eigen::MatrixXd position(const std::string& name);
  /// Moves a position to theta (d x replicates). The laws of the position are evaluated at
  /// theta before the next sweep.
  void move(const std::string& position, ConstBatch theta);
  /// Computes U (1 x w) of a law of the sampling phase at the w columns of theta (d x w). If the
  /// law reads histories, it reads their current values for replicate number `replicate`. Throws
  /// InputError if the law depends on anything else that changes during sampling, such as a slot.
  /// Allocates memory.
  void evaluate(Value law, Index replicate, ConstBatch theta, Row u);
  const KernelGraph& graph(PhaseKind phase) const;
  std::uint64_t sweeps() const noexcept;
  /// Evaluations of all laws, in gradients of the full U, including the evaluations at the initial
  /// positions.
  Evaluations evaluations() const;
  /// The total of evaluations(), in gradients of the full U.
  double gradients() const;
  /// The first divergences (at most 100), sorted by sweep and then by chain. divergence_count() is
  /// the number of all divergences.
  const std::vector<Divergence>& divergences() const;
  std::int64_t divergence_count() const;
  std::vector<OperationTime> operation_times() const;
  /// RAM for variables and values, in bytes.
  std::size_t memory() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws InputError if there is not enough RAM for the variables, values and records of this many
/// replicates. Sampler calls this before it allocates.
MIXWELL_EXPORT void check_memory(const Program& program, const RunSettings& settings);

/// Returns the largest allowed number of threads: eight for each core. More threads start slowly
/// and can stall the machine.
MIXWELL_EXPORT int most_threads();

/// Runs `body`, and all parallel work in it, on `threads` threads. 0 means one thread for each
/// core. Throws InputError if `threads` is below 0 or above most_threads().
MIXWELL_EXPORT void with_threads(int threads, const std::function<void()>& body);

}  // namespace mixwell
