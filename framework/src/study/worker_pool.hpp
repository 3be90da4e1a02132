// The worker pool of a study starts workers when needed, reuses them, and replaces dead workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.hpp"
#include "study/task.hpp"

#include <mixwell/lab/stop_request.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::study {

struct WorkItem {
  std::size_t id = 0;
  WorkerRequest request;
};

/// Supplies tasks and receives answers. Called by the thread that runs the pool.
class Work {
 public:
  virtual ~Work();
  /// The next task, or nothing if there is none now.
  virtual std::optional<WorkItem> next() = 0;
  /// Whether `next` may return a task later, even if it has none now and no task is running.
  virtual bool waits() = 0;
  /// Receives the answer of a worker. If the worker died, the answer is `failed` with a reason.
  virtual void answered(std::size_t id, WorkerAnswer answer) = 0;
  /// Whether to abandon this task. If so, its worker is killed, and the answer is `suspended`.
  virtual bool gives_up(std::size_t /*id*/) { return false; }
  /// Called after every answer and several times per second.
  virtual void tick(std::size_t running) = 0;
};

struct PoolSettings {
  std::string program;
  int jobs = 1;
  std::optional<double> memory;   ///< MiB
  std::optional<double> seconds;  ///< time limit of a task
  int lock = -1;                  ///< a descriptor that workers keep open while they live
  const StopRequest* stop = nullptr;
};

class WorkerPool {
 public:
  explicit WorkerPool(PoolSettings settings);
  /// Kills all workers immediately.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Runs until no task is left and none is running. When `stop` is made, running tasks are asked
  /// to suspend and no new task starts.
  void run(Work& work);
  /// Runs a fixed list of tasks. Answers may arrive in any order.
  void run(std::vector<WorkItem> tasks, std::function<void(std::size_t, WorkerAnswer)> answered,
           std::function<void(std::size_t running)> tick);

 private:
  struct WorkerProcess;

  bool stopped() const { return is_made(settings_.stop); }
  std::size_t running() const;
  void feed(Work& work);
  WorkerProcess* idle_worker();
  std::unique_ptr<WorkerProcess> spawn() const;
  void listen();
  void check_time();
  void end_given_up(Work& work);
  void suspend_all();
  void bury(WorkerProcess& worker);

  PoolSettings settings_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  std::vector<std::pair<std::size_t, WorkerAnswer>> answers_;  ///< id of the task, answer
  bool suspending_ = false;
};

}  // namespace mixwell::study
