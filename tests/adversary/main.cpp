// An adversary of the certificate: composes and wires at random, and compares verdict and draws.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "compositions/workers.hpp"
#include "judge.hpp"
#include "shrink.hpp"

#include <mixwell/lab/registry.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace adversary;

struct Arguments {
  CaseSettings cases_of{.folder = "out/adversary"};
  double seconds = 120.0;
  std::size_t cases = 1'000'000;
  double alpha = 1e-3;
  double case_seconds = 30.0;
  std::size_t shrink = 5;
  int jobs = 1;
  std::size_t show = 0;
  bool list = false;
  std::size_t at_least = 0;
};

/// Of case n: over all cases together alpha.
double level(double alpha, std::size_t n) {
  const double k = std::numbers::pi * static_cast<double>(n);
  return 6.0 * alpha / (k * k);
}

Judgement of_dead(const std::string& how) {
  Judgement found;
  found.outcome = how.starts_with("stopped") ? Outcome::slow : Outcome::broken;
  found.remark = how;
  return found;
}

/// What `judge` says of numbers 0 .. count - 1, each in a process of its own; through a file.
std::map<std::size_t, Judgement> in_processes(const Arguments& arguments, std::size_t count,
                                              double minutes, const std::string& file,
                                              const std::function<Judgement(std::size_t)>& judge) {
  std::filesystem::remove(file);
  compositions::Work work;
  work.count = count;
  work.jobs = arguments.jobs;
  work.minutes = minutes;
  work.cpu_seconds = arguments.case_seconds;
  work.line = [&](std::size_t k) { return to_line(k, judge(k)); };
  work.line_of_dead = [](std::size_t k, const std::string& how) {
    return to_line(k, of_dead(how));
  };
  work.progress = [](std::size_t) {};
  compositions::run(work, file);
  std::ifstream in(file);
  std::map<std::size_t, Judgement> all;
  for (std::string line; std::getline(in, line);) all.insert(from_line(line));
  return all;
}

bool is_finding(const Judgement& j) {
  return j.outcome == Outcome::disagrees || j.outcome == Outcome::broken;
}

class Session {
  static constexpr double try_seconds = 5.0;  ///< a try that takes longer is not smaller

 public:
  Session(const Arguments& arguments, const mixwell::Registry& registry)
      : arguments_(arguments), registry_(registry), cases_(arguments.cases_of, registry) {}

  int run() {
    const auto all =
        in_processes(arguments_, arguments_.cases, arguments_.seconds / 60.0,
                     fmt::format("{}/{}.tsv", arguments_.cases_of.folder, arguments_.cases_of.seed),
                     [&](std::size_t k) {
                       return judged(cases_.at(k + 1).manifest, registry_, settings(k + 1));
                     });
    tell(all);
    std::fflush(stdout);
    std::size_t findings = 0;
    for (const auto& [k, judgement] : all) {
      if (is_finding(judgement)) report(k + 1, judgement, ++findings <= arguments_.shrink);
    }
    fmt::print("{} findings\n", findings);
    return findings == 0 ? 0 : 4;
  }

  void show(std::size_t n) const {
    const std::string manifest = cases_.at(n).manifest;
    fmt::print("{}", manifest);
    fmt::print("\n# {}", to_line(n, judged(manifest, registry_, settings(n))));
  }

  /// How many cases of each field claim something; draws nothing.
  int list() const {
    std::map<std::string, std::size_t> made;
    std::map<std::string, std::size_t> claim;
    for (std::size_t n = 1; n <= arguments_.cases; ++n) {
      const Case one = cases_.at(n);
      ++made[one.field];
      if (one.claims) ++claim[one.field];
    }
    bool enough = true;
    for (const std::string& field : cases_.fields()) {
      fmt::print("{:7} {}, {} of them claim something\n", made[field], field, claim[field]);
      enough = enough && claim[field] >= arguments_.at_least;
    }
    return enough ? 0 : 1;
  }

 private:
  std::string path() const { return arguments_.cases_of.folder + "/case.toml"; }
  JudgeSettings settings(std::size_t n) const {
    return {level(arguments_.alpha, n), arguments_.cases_of.lie == Lie::none, cases_.is_wired(n),
            path()};
  }

  static void tell(const std::map<std::size_t, Judgement>& all) {
    std::map<std::string, std::size_t> counts;
    for (const auto& [k, j] : all) {
      ++counts["all"];
      ++counts["  " + to_string(j.outcome)];
      if (!j.verdict.empty()) {
        const std::string label = j.verdict.substr(0, j.verdict.find(','));
        ++counts[fmt::format("    {}: {}", to_string(j.outcome), label)];
      }
    }
    for (const auto& [what, count] : counts) fmt::print("{:7} {}\n", count, what);
  }

  void report(std::size_t n, const Judgement& j, bool shrinks) {
    const std::string file =
        fmt::format("{}/{}-{}.toml", arguments_.cases_of.folder, arguments_.cases_of.seed, n);
    const std::string manifest = shrinks ? smallest(n, j) : cases_.at(n).manifest;
    const std::string head =
        fmt::format("# {}: {}\n# {}, z = {:.3g}, after {} sweeps {}\n", to_string(j.outcome),
                    j.verdict, j.sight.statistic, j.sight.z, j.sight.sweeps, j.remark);
    std::ofstream(file) << head << manifest;
    fmt::print("\n{}, case {}{}\n{}{}\n", file, n, shrinks ? ", shrunk" : "", head, manifest);
    std::fflush(stdout);
  }

  std::string smallest(std::size_t n, const Judgement& j) {
    const std::string whole = cases_.at(n).manifest;
    const Again again{path(), j.sight.sweeps, fewest_that_show(whole, n, j)};
    return shrunk(whole, [&](const std::vector<std::string>& tries) {
      std::size_t k = 0;
      while (k < tries.size() && !shows(tries[k], n, j.outcome, again)) ++k;
      return k;
    });
  }

  /// What is plain is seen with few, and a try is the cheaper.
  std::int64_t fewest_that_show(const std::string& manifest, std::size_t n, const Judgement& j) {
    constexpr std::array counts = {4093, 32749, 131071};
    const auto found = std::find_if(counts.begin(), counts.end(), [&](std::int64_t replicates) {
      return shows(manifest, n, j.outcome, {path(), j.sight.sweeps, replicates});
    });
    return found == counts.end() ? 524287 : *found;
  }

  bool shows(const std::string& manifest, std::size_t n, Outcome outcome, const Again& again) {
    Arguments small = arguments_;
    small.case_seconds = try_seconds;
    const auto found = in_processes(
        small, 1, 0.0, arguments_.cases_of.folder + "/shrinking.tsv", [&](std::size_t) {
          return outcome == Outcome::disagrees ? judged_again(manifest, registry_, again)
                                               : judged(manifest, registry_, settings(n));
        });
    return found.at(0).outcome == outcome;
  }

  const Arguments& arguments_;
  const mixwell::Registry& registry_;
  Cases cases_;
};

int main_of(const Arguments& arguments) {
  std::vector<std::string> folders = mixwell::Registry::default_folders();
  folders.emplace_back(MIXWELL_BUILD_DIR "/tests/adversary/plugins");
  const auto registry = mixwell::Registry::load(folders);
  compositions::write_fixtures(arguments.cases_of.folder);
  Session session(arguments, registry);
  if (arguments.list) return session.list();
  if (arguments.show == 0) return session.run();
  session.show(arguments.show);
  return 0;
}

void declare(CLI::App& program, Arguments& arguments) {
  program
      .add_option("--seed", arguments.cases_of.seed, "Of all cases; the same seed, the same cases")
      ->capture_default_str();
  program.add_option("--seconds", arguments.seconds, "Begin no case after so long")
      ->capture_default_str();
  program.add_option("--cases", arguments.cases, "At most so many")->capture_default_str();
  program
      .add_option("--alpha", arguments.alpha,
                  "Chance that any right verdict of this session is called wrong: case n may spend "
                  "6 alpha / (pi n)^2 of it")
      ->capture_default_str();
  program
      .add_option("--from", arguments.cases_of.from,
                  "registry: components and keys drawn from all that are registered; wirings: "
                  "programs of the kernel wired-steps; both, in turn")
      ->check(CLI::IsMember({"both", "registry", "wirings"}))
      ->capture_default_str();
  program
      .add_option(
          "--lie", arguments.cases_of.lie,
          "Kernels of wirings do not do what they declare, which must be found. ratio: they "
          "accept by the ratio to the power 0.6; momentum: momenta have a standard "
          "deviation of 1.3")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Lie>{
          {"none", Lie::none}, {"ratio", Lie::ratio}, {"momentum", Lie::momentum}}));
  program.add_option("--show", arguments.show,
                     "Print the manifest of this case and judge it alone");
  program.add_flag("--list", arguments.list,
                   "Count cases by the field that they were made to have, instead of judging them");
  program.add_option("--at-least", arguments.at_least,
                     "With --list: fail if fewer of a field claim something");
  program.add_option("--shrink", arguments.shrink, "Shrink so many findings")
      ->capture_default_str();
  program.add_option("--case-seconds", arguments.case_seconds, "Of the processor, for a case")
      ->capture_default_str();
  program.add_option("--jobs", arguments.jobs, "Processes")->capture_default_str();
  program
      .add_option("--out", arguments.cases_of.folder,
                  "Gets SEED.tsv, a line for each case, and SEED-CASE.toml for each finding")
      ->capture_default_str();
  program.footer(R"(
A case is a manifest made at random. Its certificate is derived, and what it claims is compared with
draws: from exact draws of its law a composition that is exact stays there. A finding is a claim that
draws refute (disagrees) or a process that died (broken); it is shrunk to the smallest manifest that
still shows it. Exit 0: nothing was found. 4: there are findings. 2: a mistake in the call.

  ./dev adversary                              two minutes of seed 1
  ./dev adversary --seconds 600 --seed 7       ten minutes of other cases
  ./dev adversary --seed 7 --show 123          one of them, alone
  ./dev adversary --lie ratio --from wirings --cases 40    does it see a lie?

docs/adversary.md says how to read a finding and how the error rate is kept.)");
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App program("Composes and wires at random, and compares certificates with draws");
  declare(program, arguments);
  CLI11_PARSE(program, argc, argv);
  try {
    return main_of(arguments);
  } catch (const std::exception& fault) {
    fmt::print(stderr, "adversary: {}\n", fault.what());
    return 2;
  }
}
