// Runs the workers of a study as Slurm jobs: writes the script, submits it and cancels the jobs.
// SPDX-License-Identifier: Apache-2.0
#include "app/modules/study/slurm.hpp"

#include "files/reading.hpp"
#include "files/whole_file.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace mixwell::app {
namespace {

namespace fs = std::filesystem;

/// Slurm signals the script this many seconds before the time limit of the job.
constexpr int seconds_to_stop = 60;

std::string shell_word(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Shell lines that set `scratch` to the word, with its variables expanded on the node.
std::string scratch_lines(const std::string& word) {
  std::string text;
  for (const char c : word)
    text += (c == '"' || c == '\\' || c == '`' ? "\\" : "") + std::string(1, c);
  return fmt::format(
      "\nscratch=\"{}\"\n"
      "if [ -z \"$scratch\" ]; then\n"
      "  echo \"--scratch: the value of \"{}\" is empty on $(hostname). Use a folder that exists "
      "on this node\" >&2\n"
      "  exit 2\nfi\n",
      text, shell_word(word));
}

struct CommandOutput {
  int status = 0;
  std::string text;  ///< standard output and standard error
};

CommandOutput run_command(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += shell_word(word) + " ";
  std::FILE* const pipe = ::popen((line + "2>&1").c_str(), "r");
  if (pipe == nullptr)
    throw RunError(words.front() +
                   " cannot be started. Check that this program is installed and on PATH");
  CommandOutput answer;
  std::array<char, 4096> bytes;
  for (std::size_t n = 0; (n = std::fread(bytes.data(), 1, bytes.size(), pipe)) > 0;)
    answer.text.append(bytes.data(), n);
  answer.status = ::pclose(pipe);
  while (!answer.text.empty() && answer.text.back() == '\n') answer.text.pop_back();
  return answer;
}

std::string exported(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : fmt::format("export {}={}\n", name, shell_word(value));
}

std::string directive(const std::string& option, const std::string& value) {
  return value.empty() ? "" : fmt::format("#SBATCH {}={}\n", option, value);
}

std::string slurm_folder(const std::string& folder) { return folder + "/slurm"; }
std::string job_file(const std::string& folder) { return slurm_folder(folder) + "/jobs"; }

std::vector<std::string> jobs_of(const std::string& folder) {
  std::ifstream in(job_file(folder));
  std::vector<std::string> jobs;
  for (std::string job; in >> job;) jobs.push_back(job);
  if (jobs.empty()) {
    throw InputError(fmt::format(
        "{}: no Slurm jobs were submitted for this study. Submit jobs with --slurm", folder));
  }
  return jobs;
}

/// The largest number of tasks in a job array.
int largest_array() {
  constexpr int by_default = 1001;
  std::istringstream lines(run_command({"scontrol", "show", "config"}).text);
  for (std::string word, is, value; lines >> word;) {
    if (word == "MaxArraySize" && lines >> is >> value)
      return std::max(1, std::atoi(value.c_str()));
  }
  return by_default;
}

/// Submits the script and returns the number of the job.
std::string submit(const std::vector<std::string>& options, const std::string& script) {
  std::vector<std::string> words = {"sbatch", "--parsable"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(script);
  const CommandOutput answer = run_command(words);
  if (answer.status != 0) {
    throw InputError(fmt::format(
        "Slurm refused the job: {}\n  The script is {}. Change the Slurm options, or change the "
        "script and submit it with `sbatch`",
        answer.text, script));
  }
  const std::string last = answer.text.substr(answer.text.find_last_of('\n') + 1);
  return last.substr(0, last.find(';'));  // "12;cluster" if there are several clusters
}

/// The task numbers of each job array, as in "0-1000" and "0-498". An array has at most `largest`
/// tasks. "0-9%4" means that at most 4 tasks run at a time: each array gets its share of `limit`
/// (0: no limit).
std::vector<std::string> slurm_arrays(int workers, int limit, int largest) {
  std::vector<std::string> arrays;
  const int count = (workers + largest - 1) / largest;
  const int share = limit == 0 ? 0 : std::max(1, limit / count);
  for (int first = 0; first < workers; first += largest) {
    arrays.push_back(fmt::format("0-{}{}", std::min(largest, workers - first) - 1,
                                 share == 0 ? "" : fmt::format("%{}", share)));
  }
  return arrays;
}

/// The text of a job array whose tasks are workers, for the study in `folder`.
std::string slurm_script(const StudyArguments& arguments, const StudyOutline& outline,
                         const std::string& folder, const std::string& program) {
  const SlurmArguments& slurm = arguments.slurm;
  const int cpus = slurm.cpus > 0 ? slurm.cpus : static_cast<int>(outline.threads);
  const int jobs = std::max(1, cpus / static_cast<int>(outline.threads));
  std::string text = fmt::format(
      "#!/bin/bash\n"
      "# Workers of the study {}. Each worker runs cells that no other worker runs, until no\n"
      "# cells remain. Written by `mixwell study --slurm`. You may change this file and submit it\n"
      "# with sbatch.\n",
      outline.name);
  text += directive("--job-name", "mixwell-" + outline.name);
  text += directive("--array", slurm_arrays(slurm.workers, slurm.limit, slurm.workers).front());
  text += directive("--cpus-per-task", std::to_string(cpus));
  text += directive("--time", slurm.time);
  text += directive("--partition", slurm.partition);
  text += directive("--mem", slurm.memory);
  text += directive("--account", slurm.account);
  text += directive("--qos", slurm.qos);
  text += directive("--output", slurm_folder(folder) + "/worker-%A_%a.log");
  text += "#SBATCH --open-mode=append\n#SBATCH --requeue\n";
  text += fmt::format("#SBATCH --signal=B:USR1@{}\n", seconds_to_stop);
  for (const std::string& line : slurm.sbatch) text += "#SBATCH " + line + "\n";
  text += fmt::format("\ncd {}\n", shell_word(fs::current_path().string()));
  for (const char* const name : {"MIXWELL_DATA", "MIXWELL_PLUGIN_PATH", "MIXWELL_MEMORY"})
    text += exported(name);
  if (!slurm.prologue.empty()) {
    text += fmt::format("\n# From {}:\n{}\n", slurm.prologue,
                        read_text_file(slurm.prologue, "prologue"));
  }
  if (!arguments.scratch.empty()) text += scratch_lines(arguments.scratch);
  text += fmt::format("\n{} study {} --out {}{}{}{} --jobs {} --worker --quiet &\nworker=$!\n",
                      shell_word(program), shell_word(arguments.path), shell_word(folder),
                      arguments.quick ? " --quick" : "",
                      arguments.only.empty() ? "" : " --only " + shell_word(arguments.only),
                      arguments.scratch.empty() ? "" : " --scratch \"$scratch\"", jobs);
  text +=
      "\n# Slurm sends USR1 before the time limit, and TERM on scancel and preemption. The\n"
      "# running cell then writes a checkpoint. After USR1, the script requeues the job. Slurm\n"
      "# itself requeues jobs that were preempted or whose node failed.\n"
      "trap 'kill -TERM \"$worker\"' TERM\n"
      "trap 'again=1; kill -TERM \"$worker\"' USR1\n"
      "wait \"$worker\"\nstatus=$?\n"
      "while kill -0 \"$worker\" 2>/dev/null; do wait \"$worker\"; status=$?; done\n"
      "if [ -n \"${again:-}\" ]; then scontrol requeue \"$SLURM_JOB_ID\"; fi\n"
      "exit \"$status\"\n";
  return text;
}

}  // namespace

void submit_to_slurm(const StudyArguments& arguments, const std::string& folder,
                     const std::string& program) {
  const StudyOutline outline = study_outline(arguments.path, arguments.quick);
  const std::string where = fs::absolute(folder).lexically_normal().string();
  const std::string script = slurm_folder(where) + "/workers.sh";
  fs::create_directories(slurm_folder(where));
  write_whole_file(script, slurm_script(arguments, outline, where, program));
  if (run_command({"sh", "-c", "command -v sbatch"}).status != 0) {
    throw InputError(fmt::format(
        "Slurm is not available, because `sbatch` is not on PATH.\n  The script is {}. Submit the "
        "script on a machine with Slurm. Without Slurm, start workers with `mixwell study {} "
        "--worker`",
        script, arguments.path));
  }
  const int stages = 1 + (outline.tunes ? 1 : 0) + (outline.references_first ? 1 : 0);
  const std::vector<std::string> arrays =
      slurm_arrays(arguments.slurm.workers, arguments.slurm.limit, largest_array());
  std::vector<std::string> jobs, before;
  for (int stage = 0; stage < stages; ++stage) {
    std::vector<std::string> now;
    for (const std::string& tasks : arrays) {
      std::vector<std::string> options = {"--array=" + tasks};
      if (!before.empty())
        options.push_back(fmt::format("--dependency=afterany:{}", fmt::join(before, ":")));
      now.push_back(submit(options, script));
    }
    jobs.insert(jobs.end(), now.begin(), now.end());
    before = std::move(now);
  }
  write_whole_file(job_file(where), fmt::format("{}\n", fmt::join(jobs, "\n")));
  fmt::print(
      "Slurm accepted job {} with {} workers{}.\n  The script is {}.\n  `mixwell study {} --out {} "
      "--follow` shows the progress (--table shows the results, --cancel cancels the jobs).\n",
      fmt::join(jobs, " "), arguments.slurm.workers,
      stages == 1 ? "" : fmt::format(" in each of {} stages, one after another", stages), script,
      arguments.path, folder);
}

bool is_in_slurm(const std::string& folder) {
  if (!fs::exists(job_file(folder))) return true;  // workers were started without --slurm
  const CommandOutput queue =
      run_command({"squeue", "--noheader", "--format=%i",
                   fmt::format("--jobs={}", fmt::join(jobs_of(folder), ","))});
  return queue.status == 0 && !queue.text.empty();
}

void cancel_slurm(const std::string& folder) {
  std::vector<std::string> words = {"scancel"};
  for (const std::string& job : jobs_of(folder)) words.push_back(job);
  const CommandOutput answer = run_command(words);
  if (answer.status != 0)
    throw RunError("scancel failed: " + answer.text +
                   ". Repeat the command, or cancel the jobs with `scancel`");
}

}  // namespace mixwell::app
