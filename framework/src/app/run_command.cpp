// mixwell run: from a manifest to a folder of results, and what came of it.
// SPDX-License-Identifier: Apache-2.0
#include "advice/advice.hpp"
#include "advice/run_json.hpp"
#include "app/command.hpp"
#include "app/join_ranks.hpp"
#include "app/progress.hpp"
#include "app/report.hpp"
#include "app/signals.hpp"
#include "base/ranks.hpp"
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

/// With a registry, which must outlive it.
struct Loaded {
  Registry registry;
  Composition composition;
};

/// `ranks` null: here alone. Nothing on another rank than 0.
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
      "  `mixwell run --resume {}` goes on from the last checkpoint, if there was one\n",
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

/// "compositor.c.memory = \"others\" (exact)", with " or " between several; "" for none.
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
      "Warning: the draws are not certified exact. {}`mixwell check` tells the rule and the "
      "path.\n",
      better.empty() ? "" : "Cure: " + text_of(better) + ". ");
}

void print_report(const Composition& composition, const RunResult& result,
                  const Registry& registry) {
  if (result.summary)
    fmt::print("{}", summary_text(*result.summary, Advice(composition.effective_manifest),
                                  {short_table, "mixwell summary " + result.folder + " --all"}));
  // Cures evaluate the model. One that ranks divide has no other ranks any more.
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

/// Where a signal came before the summary was made: how to make it.
std::string words_on_summary(const RunResult& result) {
  if (result.summary) return "";
  return fmt::format("; the summary is left out: `mixwell summary {}` makes it", result.folder);
}

std::optional<Error> fault_of(const RunResult& result) {
  const bool complete = result.record.outcome == Outcome::complete;
  if (complete && result.summary) return std::nullopt;
  const bool goes_on = result.resumable && !complete;
  return RunError(fmt::format(
      "interrupted; {} in {}{}{}",
      complete ? "all draws are" : "the draws recorded so far are kept", draws_file(result),
      goes_on ? fmt::format("; `mixwell run --resume {}` goes on", result.folder) : "",
      words_on_summary(result)));
}

Composition load_for(const Arguments& arguments, const Registry& registry, Ranks* ranks) {
  if (!arguments.resumed.empty()) return load_interrupted(arguments.resumed, registry, ranks);
  ManifestArguments manifest = arguments.manifest;
  if (arguments.prior) manifest.settings.emplace_back("run.prior=true");
  return load(manifest, registry, ranks);
}

/// `ranks` null: for this process by itself.
Loaded loaded(const Arguments& arguments, Ranks* ranks) {
  Registry registry = load_registry();
  Composition composition = load_for(arguments, registry, ranks);
  return {std::move(registry), std::move(composition)};
}

/// Options that all ranks must have alike, beside the manifest's.
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

/// Rank 0 tells of what another failed with, and its exit code is that of all.
ExitCode run_manifest(const Arguments& arguments) {
  const std::unique_ptr<Ranks> ranks = join_ranks();
  try {
    return run_manifest(arguments, ranks.get());
  } catch (const OtherRankFailed&) {
    return ExitCode::ok;
  }
}

std::vector<Argument> run_arguments(Arguments& given) {
  std::vector<Argument> all = manifest_and(
      given.manifest,
      {{"--out DIR", &given.options.folder,
        "Folder for the results (default: out/NAME; of the prior out/NAME-prior)"},
       {"--prior", &given.prior,
        "Sample the prior in the place of the posterior, as run.prior = true does"},
       {"--threads",
        &given.options.threads,
        "Threads to use, at most eight for each core (default: one for each); results do not "
        "depend on it",
        {.is_positive = true}},
       {"--force", &given.options.force, "Replace the results of an earlier run"},
       {"--checked", &given.options.checked,
        "Look for code of plugins that writes where it may not, or whose gradient is another the "
        "second time; takes about twice as long"},
       {"--resume DIR",
        &given.resumed,
        "Go on with the interrupted run in that folder, instead of a manifest; the draws are those "
        "of a run without interruption",
        {.excludes = {"manifest", "--set", "--out", "--force", "--prior"}}},
       {"--quiet", &given.quiet, "Print nothing but errors, and with --json the result"},
       {"--json", &given.json, "Print progress and result as lines of JSON"}});
  all.front().required_unless = "--resume";
  return all;
}

}  // namespace

Command run_command() {
  const auto given = std::make_shared<Arguments>();
  return {.name = "run",
          .purpose = "Run a manifest and report what came of it",
          .arguments = run_arguments(*given),
          .example = "mixwell run manifest.toml --set run.draws=5000 --out out/long",
          .notes =
              "Replicates, or with run.ranks = \"data\" the data, are divided among processes of "
              "MPI where there are several:\n"
              "  mpirun -n 4 mixwell run manifest.toml --set run.replicates=32",
          .json = &given->json,
          .action = [given] { return run_manifest(*given); }};
}

}  // namespace mixwell::app
