// What a person reads at the end of a run: tables, warnings with their cures, ways to the draws.
// SPDX-License-Identifier: Apache-2.0
#include "app/report.hpp"

#include "app/ess_text.hpp"
#include "app/text_table.hpp"

#include <mixwell/lab/ess.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace mixwell::app {
namespace {

/// Limits beyond which a run deserves a warning, as unmixed_rhat is: Vehtari et al. 2021
/// (rank-normalised split R-hat and ESS), Betancourt 2016 (E-BFMI).
constexpr double high_rhat = 1.01;
constexpr double low_ess = 400.0;
constexpr double low_ebfmi = 0.3;
constexpr double low_acceptance = 0.2;
constexpr double below_target = 0.1;
/// Steps that are too small cost only time, and averaging over the end of warm-up makes them so,
/// above all after a metric that was learnt: 50 sweeps are left then.
constexpr double above_target = 0.2;

using diagnostics::StandardFigures;

/// In units of the variable, or with a format of its own.
struct Statistic {
  const char* name;
  double StandardFigures::*value;
  const char* format = nullptr;
};
constexpr std::array<Statistic, 9> statistics = {
    {{"mean", &StandardFigures::mean},
     {"sd", &StandardFigures::sd},
     {"q5", &StandardFigures::q5},
     {"q50", &StandardFigures::q50},
     {"q95", &StandardFigures::q95},
     {"ess_bulk", &StandardFigures::ess_bulk, "{:.0f}"},
     {"ess_tail", &StandardFigures::ess_tail, "{:.0f}"},
     {"rhat", &StandardFigures::rhat, "{:.3f}"},
     {"mcse_mean", &StandardFigures::mcse_mean, "{:.2g}"}}};

std::string shown(double value, const char* format) {
  return !std::isfinite(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

std::size_t scalars_in(const std::vector<SummaryRow>& rows) {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const SummaryRow& row) { return !row.is_element(); }));
}

/// As many decimals as the Monte Carlo error leaves standing: its first digit is the last shown.
std::string unit_format(const StandardFigures& figures) {
  constexpr double most_decimals = 8;
  if (!std::isfinite(figures.mcse_mean)) return "{:.4g}";
  const double decimals = -std::floor(std::log10(figures.mcse_mean));
  const bool fits = decimals <= most_decimals && std::abs(figures.mean) < 1e8;
  if (!fits) return "{:.4g}";
  return fmt::format("{{:.{}f}}", std::max(0, static_cast<int>(decimals)));
}

/// Whether the row's standard effective sample sizes are too small to rely on.
bool is_unreliable(const SummaryRow& row) {
  return std::any_of(row.unreliable.begin(), row.unreliable.end(), [](const std::string& key) {
    return std::any_of(statistics.begin(), statistics.end(),
                       [&](const Statistic& s) { return key == s.name; });
  });
}

std::vector<std::string> row_of(const SummaryRow& row) {
  std::vector<std::string> cells = {row.shown_name()};
  const std::string own_unit = unit_format(row.standard);
  for (const Statistic& s : statistics) {
    const char* const format = s.format == nullptr ? own_unit.c_str() : s.format;
    cells.push_back(shown(row.standard.*s.value, format));
  }
  if (is_unreliable(row)) cells.push_back("too few to trust");
  return cells;
}

using PaperEstimators = std::vector<const diagnostics::PaperEstimator*>;

const NamedFigure* figure_of(const SummaryRow& row, const diagnostics::PaperEstimator& paper) {
  const auto found = std::find_if(row.papers.begin(), row.papers.end(), [&](const auto& figure) {
    return figure.first == paper.definition.key;
  });
  return found == row.papers.end() ? nullptr : &*found;
}

/// Those that the rows have figures of.
PaperEstimators papers_in(const std::vector<SummaryRow>& rows) {
  PaperEstimators papers;
  if (rows.empty()) return papers;
  for (const diagnostics::PaperEstimator& paper : diagnostics::paper_estimators())
    if (figure_of(rows.front(), paper) != nullptr) papers.push_back(&paper);
  return papers;
}

std::vector<std::string> paper_row(const SummaryRow& row, const PaperEstimators& papers) {
  std::vector<std::string> cells = {row.shown_name(), shown(row.standard.ess_bulk, "{:.0f}")};
  for (const diagnostics::PaperEstimator* const paper : papers)
    cells.push_back(shown(figure_of(row, *paper)->second, paper->is_size ? "{:.0f}" : "{:.2f}"));
  std::string keys;
  for (const std::string& key : row.unreliable)
    keys += (keys.empty() ? "not to rely on: " : ", ") + key;
  cells.push_back(keys);
  return cells;
}

/// The rows of a table: all scalars, and the first indexed names; `more` says how to see the rest.
template <class RowOf>
std::string filled(TextTable table, const std::vector<SummaryRow>& rows, const Cut& cut,
                   const RowOf& row_of) {
  std::size_t indexed = cut.rows - std::min(cut.rows, scalars_in(rows));
  std::size_t hidden = 0;
  for (const SummaryRow& row : rows) {
    if (row.is_element() && indexed == 0) {
      ++hidden;
      continue;
    }
    if (row.is_element()) --indexed;
    table.add(row_of(row));
  }
  const std::string rest =
      hidden == 0 ? "" : fmt::format("... {} more rows: {}\n", hidden, cut.more);
  return table.text() + rest;
}

/// A table of the papers' estimators; nothing if there are none.
std::string paper_table(const std::vector<SummaryRow>& rows, const std::string& heading,
                        const Cut& cut) {
  const PaperEstimators papers = papers_in(rows);
  if (papers.empty()) return {};
  std::vector<TextTable::Heading> headings = {{heading, Align::left}, {"ess_bulk", Align::right}};
  for (const auto* const paper : papers) headings.push_back({paper->definition.key, Align::right});
  headings.push_back({"", Align::left});
  return "\n" + filled(TextTable(std::move(headings)), rows, cut,
                       [&](const SummaryRow& row) { return paper_row(row, papers); });
}

std::string paper_notes(const std::vector<SummaryRow>& rows) {
  std::string notes;
  for (const auto* const paper : papers_in(rows))
    notes +=
        fmt::format("\n{}, version {}: {}\n  {}", paper->definition.key, paper->definition.version,
                    paper->definition.name, paper->definition.source);
  return notes.empty() ? notes : notes + "\n";
}

/// The largest weights of a direction as a sum: `0.71 x[3] - 0.70 x[7] + 98 smaller terms`.
std::string combination(std::vector<NamedFigure> terms) {
  constexpr std::size_t most = 5;
  const std::size_t count = std::min(most, terms.size());
  std::partial_sort(
      terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(count), terms.end(),
      [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  std::string text;
  for (std::size_t k = 0; k < count; ++k) {
    const char* const sign = terms[k].second < 0 ? (k == 0 ? "-" : " - ") : (k == 0 ? "" : " + ");
    text += fmt::format("{}{:.3g} {}", sign, std::abs(terms[k].second), terms[k].first);
  }
  const std::size_t rest = terms.size() - count;
  return rest == 0 ? text : text + fmt::format(" + {} smaller terms", rest);
}

std::string figure_or_none(double figure) {
  return std::isfinite(figure) ? fmt::format("{:.4g}", figure) : "not available";
}

std::string reference_text(const ReferenceSummary& reference) {
  std::string text = fmt::format("\nAgainst {} ({} draws), {} elements", reference.from,
                                 reference.draws, reference.coordinates);
  if (!reference.left_out.empty())
    text += fmt::format("; {} left out, which one side lacks (the first: {})",
                        reference.left_out.size(), reference.left_out.front());
  text += fmt::format(
      "\n  relative error of the mean (REM)        {}\n"
      "  relative error of the covariance (REC)  {}\n",
      figure_or_none(reference.rem), figure_or_none(reference.rec));
  for (const auto& [name, distance] : reference.amari)
    text += fmt::format("  Amari distance of {:<21} {}\n", name, figure_or_none(distance));
  return text;
}

std::string directions_heading(const DirectionsSummary& directions) {
  std::string text = fmt::format("\nAlong {} directions ({}) of {} coordinates",
                                 directions.along.size(), directions.from, directions.coordinates);
  if (!directions.left_out.empty())
    text += fmt::format("; {} left out, constant or not finite, {} first",
                        directions.left_out.size(), directions.left_out.front());
  if (directions.degenerate > 0)
    text += fmt::format("; {} more have no variance", directions.degenerate);
  return text + "\n";
}

std::string directions_text(const DirectionsSummary& directions, const Cut& cut) {
  const std::string text = directions_heading(directions) +
                           variable_table(directions.along, cut, "direction") +
                           paper_table(directions.along, "direction", cut);
  if (!directions.smallest) return text;
  const DirectionsSummary::Smallest& smallest = *directions.smallest;
  return text + fmt::format("smallest ess_bulk {:.0f} along {} = {}\n", smallest.ess_bulk,
                            smallest.name, combination(smallest.weights));
}

/// Variables on the wrong side of a limit: the worst one and how many there are.
struct Offenders {
  std::string worst{};
  double value = 0.0;
  bool is_rough = false;  ///< the worst one's value is not to be relied on
  std::size_t count = 0;

  std::string who() const {
    return count == 1 ? worst : fmt::format("{} and {} more", worst, count - 1);
  }
};

template <class IsBad, class IsWorse>
Offenders offenders(const std::vector<SummaryRow>& rows, double StandardFigures::*statistic,
                    IsBad is_bad, IsWorse is_worse) {
  Offenders found;
  for (const SummaryRow& row : rows) {
    const double value = row.standard.*statistic;
    if (!std::isfinite(value) || !is_bad(value)) continue;
    if (found.count == 0 || is_worse(value, found.value)) {
      found.worst = row.shown_name();
      found.value = value;
      found.is_rough = is_unreliable(row);
    }
    ++found.count;
  }
  return found;
}

void warn_of_rhat(const std::vector<SummaryRow>& rows, std::vector<std::string>& texts) {
  const Offenders bad = offenders(
      rows, &StandardFigures::rhat, [](double r) { return r > high_rhat; }, std::greater<>());
  if (bad.count == 0) return;
  if (bad.value <= unmixed_rhat) {
    texts.push_back(fmt::format(
        "R-hat of {} is {:.3f}, above {}: the chains do not agree yet. Give more draws.", bad.who(),
        bad.value, high_rhat));
    return;
  }
  texts.push_back(fmt::format(
      "R-hat of {} is {:.3f}, above {}: the chains have not mixed. Give more warmup and draws; if "
      "that does not help, look for several modes or rescale the parameters.",
      bad.who(), bad.value, unmixed_rhat));
}

void warn_of_ess(const std::vector<SummaryRow>& rows, double StandardFigures::*statistic,
                 const char* what, std::vector<std::string>& texts) {
  const Offenders bad = offenders(
      rows, statistic, [](double ess) { return ess < low_ess; }, std::less<>());
  if (bad.count == 0) return;
  const char* const rough =
      bad.is_rough ? " The number itself is too small to be estimated well, and may be far off."
                   : "";
  texts.push_back(fmt::format(
      "The {} effective sample size of {} is {:.0f}, below {:.0f}: its summary is not reliable.{} "
      "Set run.draws about {} times as large, or make trajectories longer (more steps).",
      what, bad.who(), bad.value, low_ess, rough,
      static_cast<int>(std::ceil(low_ess / std::max(bad.value, 1.0)))));
}

/// Whole numbers may have one value alone that is likely at all.
void warn_of_constants(const std::vector<SummaryRow>& all, std::vector<std::string>& texts) {
  std::vector<SummaryRow> rows;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
               [](const SummaryRow& row) { return !row.whole; });
  const Offenders bad = offenders(
      rows, &StandardFigures::sd, [](double sd) { return sd == 0.0; }, std::less<>());
  if (bad.count == 0) return;
  texts.push_back(fmt::format(
      "{} never moved: every proposal may have been rejected. Reduce the step size.", bad.who()));
}

void warn_of_divergences(const SamplerSummary& sampler, std::vector<std::string>& texts) {
  const std::int64_t count = sampler.divergences.value_or(0);
  if (count <= 0) return;
  texts.push_back(fmt::format(
      "{} transitions diverged: the draws may miss a region of high curvature. Reduce the step "
      "size (or raise target_acceptance), or reparametrise the model; run.json holds positions.",
      count));
}

void warn_of_energy(const SamplerSummary& sampler, std::vector<std::string>& texts) {
  const double ebfmi = sampler.ebfmi;
  if (!std::isfinite(ebfmi) || ebfmi >= low_ebfmi) return;
  texts.push_back(fmt::format(
      "E-BFMI is {:.2f}, below {}: momentum draws move the energy too little to explore the tails. "
      "Reparametrise the model so that its tails are lighter.",
      ebfmi, low_ebfmi));
}

void warn_of_acceptance(double acceptance, std::optional<double> target,
                        std::vector<std::string>& texts) {
  if (std::isnan(acceptance)) return;  // draws that nothing accepted
  if (target) {
    const double excess = acceptance - *target;
    if (excess >= -below_target && excess <= above_target) return;
    texts.push_back(fmt::format(
        "The acceptance {:.2f} is far from its target {:.2f}: warm-up ended before the step size "
        "settled. Raise run.warmup.",
        acceptance, *target));
  } else if (acceptance < low_acceptance) {
    texts.push_back(fmt::format(
        "The acceptance {:.2f} is low: most work is thrown away. Reduce the step size, or let "
        "target_acceptance choose it.",
        acceptance));
  }
}

/// Element [1,2] in R, where dimensions run the other way round and count from 1: `[3, 2, , ]`.
std::string r_subscript(const std::vector<std::int64_t>& indices) {
  if (indices.empty()) return {};
  std::string subscript;
  for (const std::int64_t index : indices) subscript = std::to_string(index + 1) + ", " + subscript;
  return "[" + subscript + ", ]";
}

/// Inside of quotes in Python or R.
std::string quotable(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

/// Before the table, what its columns mean where draws have weights.
std::string weights_line(const Summary& summary) {
  if (!summary.weighted) return {};
  return "weighted by `weight`: mean, sd, quantiles, mcse; of the draws without weights: ess, "
         "rhat\n";
}

/// After the table, which rows it has not.
std::string left_out_line(const Summary& summary) {
  if (!summary.left_out) return {};
  return fmt::format(
      "{} of {} elements are left out, none of them among the worst. summary.nc in the folder of "
      "the run has all;\nrun.summary_rows, and --rows of `mixwell summary`, name those to show.\n",
      summary.left_out->rows, summary.left_out->of);
}

}  // namespace

std::optional<double> target_acceptance(const std::string& effective_manifest) {
  const toml::table manifest = toml::parse(effective_manifest);
  std::optional<double> target;
  const toml::table* const kernels = manifest["kernel"].as_table();
  if (kernels == nullptr) return target;
  for (const auto& [name, kernel] : *kernels) {
    const toml::node_view keys(kernel);
    const auto found = keys["target_acceptance"].value<double>();
    if (found && target) return std::nullopt;
    if (found) target = found;
  }
  return target;
}

std::string variable_table(const std::vector<SummaryRow>& rows, const Cut& cut,
                           const std::string& heading) {
  std::vector<TextTable::Heading> headings = {{heading, Align::left}};
  for (const Statistic& s : statistics) headings.push_back({s.name, Align::right});
  if (std::any_of(rows.begin(), rows.end(), is_unreliable)) headings.push_back({"", Align::left});
  return filled(TextTable(std::move(headings)), rows, cut, row_of);
}

namespace {

/// A line for each of several kernels.
std::string kernel_lines(const std::vector<KernelFigures>& kernels) {
  std::size_t width = 0;
  for (const KernelFigures& one : kernels) width = std::max(width, one.kernel.size());
  std::string text;
  for (const KernelFigures& one : kernels) {
    text += fmt::format("  {:<{}}  acceptance {}   divergences {}\n", one.kernel, width,
                        shown(one.acceptance, "{:.3f}"),
                        one.divergences ? std::to_string(*one.divergences) : "-");
  }
  return text;
}

}  // namespace

std::string sampler_lines(const SamplerSummary& sampler) {
  return fmt::format(
      "acceptance {}   divergences {}   E-BFMI {}\n"
      "{}"
      "min ESS {}   per gradient {}   per second {}\n",
      shown(sampler.acceptance, "{:.3f}"),
      sampler.divergences ? std::to_string(*sampler.divergences) : "-",
      shown(sampler.ebfmi, "{:.2f}"), kernel_lines(sampler.kernels),
      ess_text(sampler.min_ess, sampler.min_ess_mcse),
      shown(sampler.min_ess_per_gradient, "{:.3g}"), shown(sampler.min_ess_per_second, "{:.3g}"));
}

std::vector<std::string> warnings(const Summary& summary, std::optional<double> target) {
  const std::vector<SummaryRow>& variables = summary.variables;
  std::vector<std::string> texts;
  warn_of_constants(variables, texts);
  // Of several kernels the mean is no figure that one target is for.
  warn_of_acceptance(summary.sampler.acceptance,
                     summary.sampler.kernels.size() > 1 ? std::nullopt : target, texts);
  warn_of_divergences(summary.sampler, texts);
  warn_of_energy(summary.sampler, texts);
  warn_of_rhat(variables, texts);
  warn_of_ess(variables, &StandardFigures::ess_bulk, "bulk", texts);
  warn_of_ess(variables, &StandardFigures::ess_tail, "tail", texts);
  if (!summary.directions) return texts;
  const std::vector<SummaryRow>& along = summary.directions->along;
  warn_of_rhat(along, texts);
  warn_of_ess(along, &StandardFigures::ess_bulk, "bulk", texts);
  return texts;
}

std::string opening_lines(const std::string& file, const std::vector<SummaryRow>& variables,
                          const std::string& group) {
  if (variables.empty())
    return fmt::format("Python:\n  import arviz; print(arviz.from_netcdf(\"{}\"))\n",
                       quotable(file));
  const SummaryRow& first = variables.front();
  return fmt::format(
      "Python:\n"
      "  import xarray; {4} = xarray.open_dataset(\"{0}\", group=\"{4}\")\n"
      "  import arviz; data = arviz.from_netcdf(\"{0}\"); print(arviz.summary(data))\n"
      "R:\n"
      "  library(ncdf4); library(posterior); draws <- nc_open(\"{0}\")\n"
      "  x <- ncvar_get(draws, \"{4}/{1}\", collapse_degen = FALSE)\n"
      "  rhat(x{2}); ess_bulk(x{2})  # iterations x chains of {3}\n",
      quotable(file), quotable(first.variable()), r_subscript(first.indices), first.name, group);
}

std::string summary_text(const Summary& summary, std::optional<double> target, const Cut& cut) {
  std::string text = weights_line(summary) + variable_table(summary.variables, cut, "variable") +
                     left_out_line(summary) + "\n" + sampler_lines(summary.sampler) +
                     paper_table(summary.variables, "variable", cut);
  if (summary.directions) text += directions_text(*summary.directions, cut);
  if (summary.reference) text += reference_text(*summary.reference);
  text += paper_notes(summary.variables);
  for (const std::string& warning : warnings(summary, target))
    text += "\nWarning: " + warning + "\n";
  return text;
}

}  // namespace mixwell::app
