// Worker processes of a study: started when needed, used again, replaced when they die.
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

/// Where the tasks come from and the answers go to; called by the thread that runs the pool.
class Work {
 public:
  virtual ~Work();
  /// The next task, or none just now.
  virtual std::optional<WorkItem> next() = 0;
  /// Whether `next` may give a task later although it gives none now and none is running.
  virtual bool waits() = 0;
  /// A worker's own answer, or `failed` with a reason where it died.
  virtual void answered(std::size_t id, WorkerAnswer answer) = 0;
  /// Whether this task must not go on: its worker is ended, and it is answered as suspended.
  virtual bool gives_up(std::size_t /*id*/) { return false; }
  /// After every answer, and several times a second.
  virtual void tick(std::size_t running) = 0;
};

struct PoolSettings {
  std::string program;
  int jobs = 1;
  std::optional<double> memory;   ///< MiB
  std::optional<double> seconds;  ///< of a task
  int lock = -1;                  ///< a descriptor that workers keep open as long as they live
  const StopRequest* stop = nullptr;
};

class WorkerPool {
 public:
  explicit WorkerPool(PoolSettings settings);
  /// Ends all workers at once.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Until there is no task left and none running. When `stop` is made, what runs is asked to
  /// suspend and nothing new is begun.
  void run(Work& work);
  /// The same for tasks that are all known, answered in any order.
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
  std::vector<std::pair<std::size_t, WorkerAnswer>> answers_;  ///< with the ids of their tasks
  bool suspending_ = false;
};

}  // namespace mixwell::study
