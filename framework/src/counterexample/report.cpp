// Reports what finite worlds show about the certificate of a composition.
// SPDX-License-Identifier: Apache-2.0
#include "counterexample/counter_example.hpp"
#include "files/json.hpp"

#include <mixwell/lab/worlds.hpp>
#include <mixwell/lab/worlds_report.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;
using Judgement = WorldsJudgement;

/// The work limit for all phases together, about 20 ms on a machine of 2020.
constexpr std::int64_t quick = 600'000;

struct PhaseReading {
  std::string name;
  const KernelGraph& graph;
  const Verdict& verdict;
  WorldsComparison seen;
};

bool learns(const KernelGraph& graph) {
  return std::ranges::any_of(graph.operations(),
                             [](const auto& o) { return o.kind == OperationKind::observe; });
}

/// Reads the phases of the certificate. Other phases are read only if the certificate promises
/// something about them.
std::vector<PhaseReading> read_phases(const Program& program) {
  const Certificate& of = program.certificate;
  std::vector<PhaseReading> all{{"sampling", program.sampling, of.now, {}}};
  if (is_promise(program.warmup, of.warmup))
    all.push_back({"warmup", program.warmup, of.warmup, {}});
  if (learns(program.sampling) && is_promise(program.sampling, of.frozen))
    all.push_back({"frozen", program.sampling, of.frozen, {}});
  WorldsEffort effort{.most_work = quick};
  for (PhaseReading& phase : all) {
    effort.frozen = phase.name == "frozen";
    phase.seen = compare_with_worlds(phase.graph, phase.verdict, effort);
    effort.most_work -= phase.seen.finite.work;
  }
  return all;
}

std::string counted(int worlds) {
  return fmt::format("{} finite world{}", worlds, worlds == 1 ? "" : "s");
}

/// The limit in which the finding holds, if there is one.
std::string limit(const WorldsComparison& seen) {
  if (seen.effort.first_order) return " to first order in the step";
  return seen.limit ? " in the limit of small steps" : "";
}

/// "exactly invariant in 20 finite worlds"
std::string invariance(const WorldsComparison& seen) {
  return fmt::format("{}invariant in {}{}{}", seen.limit ? "" : "exactly ",
                     counted(seen.finite.worlds), seen.effort.joint ? "" : ", slot by slot",
                     limit(seen));
}

/// Why finite worlds do not support a verdict.
std::string silence(const Verdict& verdict, const WorldsComparison& seen) {
  if (seen.finite.worlds > 0)
    return fmt::format("{} showed no departure from the target{}", counted(seen.finite.worlds),
                       limit(seen));
  if (verdict.certificate_class() == CertificateClass::biased)
    return "finite worlds only test whether the distribution of a slot stays unchanged, so they "
           "cannot show this bias";
  return fmt::format("finite worlds cannot test compositions of class `{}`", verdict.label());
}

std::string beside_evidence(const PhaseReading& phase) {
  const FiniteReadingResult& finite = phase.seen.finite;
  switch (phase.seen.judgement) {
    case Judgement::right:
      return ", and " + invariance(phase.seen);
    case Judgement::strict:
      return ", but " + invariance(phase.seen);
    case Judgement::hole:
    case Judgement::wrong:
      return fmt::format(
          "{} in a finite world the distribution of the slots departs from the target in sweep {}",
          phase.seen.judgement == Judgement::hole ? ", but" : ", and", finite.departure->sweep);
    case Judgement::silent:
      return "; " + silence(phase.verdict, phase.seen);
    case Judgement::unread:
      return "; finite worlds cannot represent this composition: " + finite.unread;
  }
  return {};
}

/// Why there is no script, if no phase has an example.
std::string why_none(const PhaseReading& phase) {
  if (phase.seen.finite.departure) return "no small finite world shows a departure from the target";
  if (phase.seen.finite.invariant() && phase.seen.finite.worlds > 0)
    return "the composition is " + invariance(phase.seen);
  return beside_evidence(phase).substr(2);
}

std::optional<CounterExample> example_of(const PhaseReading& phase) {
  if (!phase.seen.finite.departure) return std::nullopt;
  WorldsEffort effort = phase.seen.effort;
  effort.most_work = WorldsEffort().most_work;
  return counter_example(phase.graph, effort);
}

/// "the probability of x0 = 0 is 5/8 under the target and 9/16 after 3 sweeps"
std::string in_words(const CounterExample& example) {
  return fmt::format("the probability of {} is {} under the target and {} after {} sweep{}",
                     state_in_words(example), example.expected, example.found,
                     example.departure.sweep, example.departure.sweep == 1 ? "" : "s");
}

std::string contradiction(const PhaseReading& phase, const CounterExample& example) {
  return fmt::format(
      "the rules call the {} phase {} (rule {}), but a finite world of the kernel graph "
      "contradicts this verdict: {}. Either a rule or a declared trait is wrong. Write this world "
      "to a script with `--counterexample FILE`, and report the script together with the manifest",
      phase.name, phase.verdict.label(), to_string(phase.verdict.rule), in_words(example));
}

Json json_of(const PhaseReading& phase) {
  const FiniteReadingResult& finite = phase.seen.finite;
  Json json{{"phase", phase.name},
            {"judgement", to_string(phase.seen.judgement)},
            {"worlds", finite.worlds},
            {"first_order", phase.seen.effort.first_order},
            {"joint", phase.seen.effort.joint},
            {"unread", finite.unread.empty() ? Json(nullptr) : Json(finite.unread)},
            {"departure", nullptr}};
  if (const auto& off = finite.departure)
    json["departure"] = {{"world", off->world},
                         {"places", off->places},
                         {"sweep", off->sweep},
                         {"difference", off->size}};
  return json;
}

void add_script(const std::vector<PhaseReading>& phases, const std::string& name,
                WorldsReport& report) {
  for (const PhaseReading& phase : phases) {
    const auto example = example_of(phase);
    if (!example) continue;
    report.script = script_of(*example, fmt::format("{}, {}", name, phase.name));
    report.example = in_words(*example);
    report.example_json = Json{{"phase", phase.name},
                               {"state", state_in_words(*example)},
                               {"expected", example->expected},
                               {"found", example->found},
                               {"sweeps", example->departure.sweep}}
                              .dump();
    return;
  }
  report.why_no_script = why_none(phases.front());
}

}  // namespace

WorldsReport worlds_report(const Program& program, const std::string& name, bool wants_example) {
  const std::vector<PhaseReading> phases = read_phases(program);
  WorldsReport report;
  report.beside_evidence = beside_evidence(phases.front());
  if (phases.front().seen.judgement == Judgement::strict)
    report.note =
        fmt::format("rule {} may be too strict here, because the composition is {}",
                    to_string(phases.front().verdict.rule), invariance(phases.front().seen));
  Json all = Json::array();
  for (const PhaseReading& phase : phases) {
    all.push_back(json_of(phase));
    if (phase.seen.judgement != Judgement::hole || !report.contradiction.empty()) continue;
    if (const auto example = example_of(phase))
      report.contradiction = contradiction(phase, *example);
  }
  report.json = all.dump();
  if (wants_example) add_script(phases, name, report);
  return report;
}

}  // namespace mixwell
