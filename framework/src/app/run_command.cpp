// mixwell run: runs a manifest, writes the results to a folder and prints a report.
// SPDX-License-Identifier: Apache-2.0
#include "advice/advice.hpp"
#include "advice/run_json.hpp"
#include "app/command.hpp"
#include "app/join_ranks.hpp"
#include "app/progress.hpp"
#include "app/report.hpp"
#include "app/signals.hpp"
#include "base/ranks.hpp"
#include "files/instruction_set.hpp"
#include "files/json.hpp"
#include "run/joint.hpp"

#include <mixwell/lab/advice.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/law/portions.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

namespace mixwell::app {
namespace {

struct Arguments {
  ManifestArguments manifest;
  RunOptions options;
  std::string resumed;  ///< folder of an interrupted run
  bool prior = false;
  bool quiet = false;
  bool json = false;
};

/// A composition with its registry, which must outlive it.
struct Loaded {
  Registry registry;
  Composition composition;
};

/// Runs the composition on all ranks, or only in this process if `ranks` is null. Returns a result
/// on rank 0 only.
std::optional<RunResult> carry_out(const Composition& composition, const Arguments& arguments,
                                   Ranks* ranks) {
  const StopSignal stop;
  ProgressDisplay display(arguments.quiet, arguments.json);
  RunOptions options = arguments.options;
  const std::string ending = composition.run.prior ? "-prior" : "";
  if (options.folder.empty()) options.folder = "out/" + composition.name + ending;
  options.resume = !arguments.resumed.empty();
  if (options.resume) options.folder = arguments.resumed;
  set_last_words(fmt::format(
      "  `mixwell run --resume {}` continues from the last checkpoint, if there is one\n",
      options.folder));
  options.progress = [&display](const Progress& progress) { display.show(progress); };
  options.stop = &stop.request();
  if (ranks == nullptr) return run(composition, options);
  options.threads = threads_of(*ranks, options.threads);
  return run_jointly(*ranks, composition, options);
}

std::string draws_file(const RunResult& result) {
  return (std::filesystem::path(result.folder) / "draws.nc").string();
}

/// "compositor.c.memory = \"others\" (exact)". Several cures are joined by " or "; "" for none.
std::string text_of(const std::vector<Cure>& cures) {
  std::string text;
  for (const Cure& cure : cures) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : " or ", cure.change, cure.in_words());
  }
  return text;
}

void print_certificate(const Certificate& certificate, const std::vector<Cure>& better) {
  fmt::print("\n{}\n", certificate.in_words());
  if (certificate.now.certificate_class() == CertificateClass::exact) return;
  fmt::print(
      "Warning: the draws are not certified exact. {}`mixwell check` shows the "
      "rule of the certificate and the path in the kernel graph that lead to this verdict.\n",
      better.empty() ? "" : "Cure: " + text_of(better) + ". ");
}

void print_report(const Composition& composition, const RunResult& result,
                  const Registry& registry) {
  if (result.summary)
    fmt::print("{}", summary_text(*result.summary, Advice(composition.effective_manifest),
                                  {short_table, "mixwell summary " + result.folder + " --all"}));
  // Finding cures evaluates the model. If the ranks divide the model, an evaluation needs all
  // ranks, but the other ranks have ended by now.
  const bool is_whole = composition.division == nullptr || composition.division->ranks() == 1;
  print_certificate(result.certificate, is_whole ? cures(composition, result.certificate, registry)
                                                 : std::vector<Cure>());
  for (const std::string& remark : result.record.remarks) {
    const auto& before = composition.remarks;
    if (std::find(before.begin(), before.end(), remark) == before.end()) print_note(remark);
  }
  fmt::print("\nResults are in {}\n", result.folder);
  if (result.summary)
    fmt::print("{}", opening_lines(draws_file(result), result.summary->variables,
                                   composition.run.prior ? "prior" : "posterior"));
}

/// A text that says how to compute a missing summary; "" if the run has its summary.
std::string words_on_summary(const RunResult& result) {
  if (result.summary) return "";
  return fmt::format(". `mixwell summary {}` computes the missing summary", result.folder);
}

std::optional<Error> fault_of(const RunResult& result) {
  const bool complete = result.record.outcome == Outcome::complete;
  if (complete && result.summary) return std::nullopt;
  const bool goes_on = result.resumable && !complete;
  return RunError(fmt::format(
      "the run was interrupted. {} in {}{}{}",
      complete ? "All draws are" : "The draws recorded so far are", draws_file(result),
      goes_on ? fmt::format(". `mixwell run --resume {}` continues the run", result.folder) : "",
      words_on_summary(result)));
}

Composition load_for(const Arguments& arguments, const Registry& registry, Ranks* ranks) {
  if (!arguments.resumed.empty()) return load_interrupted(arguments.resumed, registry, ranks);
  ManifestArguments manifest = arguments.manifest;
  if (arguments.prior) manifest.settings.emplace_back("run.prior=true");
  return load(manifest, registry, ranks);
}

/// Loads the composition. `ranks` is null if this process runs without other ranks.
Loaded loaded(const Arguments& arguments, Ranks* ranks) {
  Registry registry = load_registry();
  Composition composition = load_for(arguments, registry, ranks);
  return {std::move(registry), std::move(composition)};
}

/// The options that must be the same on all ranks, in addition to the manifest.
std::string options_of(const Arguments& arguments) {
  const RunOptions& options = arguments.options;
  return fmt::format("--out={} --resume={}{}{}", options.folder, arguments.resumed,
                     options.force ? " --force" : "", options.checked ? " --checked" : "");
}

Loaded loaded_by_all(const Arguments& arguments, Ranks& ranks) {
  std::optional<Loaded> all;
  together(ranks, [&] {
    all.emplace(loaded(arguments, &ranks));
    check_same_run(ranks, all->composition, options_of(arguments));
  });
  return std::move(*all);
}

ExitCode run_manifest(const Arguments& arguments, Ranks* ranks) {
  const auto [registry, composition] =
      ranks == nullptr ? loaded(arguments, nullptr) : loaded_by_all(arguments, *ranks);
  const bool tells = ranks == nullptr || ranks->leads();
  if (tells && !arguments.quiet && !arguments.json) {
    for (const std::string& remark : composition.remarks) print_note(remark);
  }
  const std::optional<RunResult> found = carry_out(composition, arguments, ranks);
  if (!found) return ExitCode::ok;
  const RunResult& result = *found;
  const std::optional<Error> fault = fault_of(result);
  if (arguments.json && arguments.quiet)
    return print_only(run_json(result, composition.effective_manifest), fault);
  if (arguments.json) {
    fmt::print("{}\n", json_text(run_json(result, composition.effective_manifest)));
  } else if (!arguments.quiet) {
    print_report(composition, result, registry);
  }
  if (fault) throw *fault;
  return ExitCode::ok;
}

/// Rank 0 reports the failure of another rank. The exit code of rank 0 is the exit code of all
/// ranks.
ExitCode run_manifest(const Arguments& arguments) {
  const std::unique_ptr<Ranks> ranks = join_ranks();
  try {
    return run_manifest(arguments, ranks.get());
  } catch (const OtherRankFailed&) {
    return ExitCode::ok;
  } catch (const OtherInstructionSet& fault) {
    if (ranks == nullptr) throw;
    throw InputError(fault.what());  // a process of MPI cannot start again
  }
}

std::vector<Argument> run_arguments(Arguments& given) {
  std::vector<Argument> all = manifest_and(
      given.manifest,
      {{"--out DIR", &given.options.folder,
        "Folder for the results (default: out/NAME; for the prior, out/NAME-prior)"},
       {"--prior", &given.prior,
        "Sample the prior instead of the posterior (same as run.prior = true)"},
       {"--threads",
        &given.options.threads,
        "Number of threads, at most eight per core (default: one per core); does not change "
        "results",
        {.is_positive = true}},
       {"--force", &given.options.force, "Replace the results of an earlier run"},
       {"--checked", &given.options.checked,
        "Check plugins for out-of-bounds writes and non-repeatable gradients (about twice as "
        "slow)"},
       {"--resume DIR",
        &given.resumed,
        "Continue the interrupted run in DIR, with the same draws as an uninterrupted run",
        {.excludes = {"manifest", "--set", "--out", "--force", "--prior"}}},
       {"--quiet", &given.quiet, "Print only errors (with --json, also the result)"},
       {"--json", &given.json, "Print progress and the result as lines of JSON"}});
  all.front().required_unless = "--resume";
  return all;
}

}  // namespace

Command run_command() {
  const auto given = std::make_shared<Arguments>();
  return {.name = "run",
          .purpose = "Run a manifest and report the results",
          .arguments = run_arguments(*given),
          .example = "mixwell run manifest.toml --set run.draws=5000 --out out/long",
          .notes =
              "If MPI starts several processes, they divide the replicates among themselves. They\n"
              "divide the data instead if run.ranks = \"data\". Example:\n"
              "  mpirun -n 4 mixwell run manifest.toml --set run.replicates=32",
          .json = &given->json,
          .action = [given] { return run_manifest(*given); }};
}

}  // namespace mixwell::app
