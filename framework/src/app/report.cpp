// The text printed after a run: tables, warnings and example code that loads the draws.
// SPDX-License-Identifier: Apache-2.0
#include "app/report.hpp"

#include "advice/warnings.hpp"
#include "app/text_layout.hpp"

#include <mixwell/lab/ess.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mixwell::app {
namespace {

using diagnostics::StandardFigures;

/// A column of the table. If it has no format, each row has its own number of decimals.
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
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

std::size_t scalars_in(const std::vector<SummaryRow>& rows) {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const SummaryRow& row) { return !row.is_element(); }));
}

/// A format whose last decimal is the first significant digit of the Monte Carlo error.
std::string unit_format(const StandardFigures& figures) {
  constexpr double most_decimals = 8;
  if (!std::isfinite(figures.mcse_mean)) return "{:.4g}";
  const double decimals = -std::floor(std::log10(figures.mcse_mean));
  const bool fits = decimals <= most_decimals && std::abs(figures.mean) < 1e8;
  if (!fits) return "{:.4g}";
  return fmt::format("{{:.{}f}}", std::max(0, static_cast<int>(decimals)));
}

std::vector<std::string> row_of(const SummaryRow& row) {
  std::vector<std::string> cells = {row.shown_name()};
  const std::string own_unit = unit_format(row.standard);
  for (const Statistic& s : statistics) {
    const char* const format = s.format == nullptr ? own_unit.c_str() : s.format;
    cells.push_back(shown(row.standard.*s.value, format));
  }
  if (is_unreliable(row)) cells.push_back("ESS too small to trust");
  return cells;
}

using PaperEstimators = std::vector<const diagnostics::PaperEstimator*>;

const NamedFigure* figure_of(const SummaryRow& row, const diagnostics::PaperEstimator& paper) {
  const auto found = std::find_if(row.papers.begin(), row.papers.end(), [&](const auto& figure) {
    return figure.first == paper.definition.key;
  });
  return found == row.papers.end() ? nullptr : &*found;
}

/// The paper estimators for which the rows have values.
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
    keys += (keys.empty() ? "unreliable: " : ", ") + key;
  cells.push_back(keys);
  return cells;
}

/// Fills the table with all scalars and the first elements of arrays; see Cut.
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
      hidden == 0 ? "" : fmt::format("... {} more rows; to show all: {}\n", hidden, cut.more);
  return table.text() + rest;
}

/// A table of the papers' estimators; "" if there are none.
std::string paper_table(const std::vector<SummaryRow>& rows, const std::string& heading,
                        const Cut& cut) {
  const PaperEstimators papers = papers_in(rows);
  if (papers.empty()) return {};
  std::vector<std::string> headings = {heading, ">ess_bulk"};
  for (const auto* const paper : papers)
    headings.push_back(fmt::format(">{}", paper->definition.key));
  headings.emplace_back();
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
  return std::isnan(figure) ? "not available" : fmt::format("{:.4g}", figure);
}

std::string reference_text(const ReferenceSummary& reference) {
  std::string text = fmt::format("\nComparison with {} ({} draws), {} elements", reference.from,
                                 reference.draws, reference.coordinates);
  if (!reference.left_out.empty())
    text += fmt::format("; elements in only one of the two sets of draws: {} (the first is {})",
                        reference.left_out.size(), reference.left_out.front());
  const bool no_means = std::isnan(reference.rem) && !std::isnan(reference.rec);
  text += fmt::format(
      "\n  relative error of the mean (REM)        {}{}\n"
      "  relative error of the covariance (REC)  {}\n",
      figure_or_none(reference.rem),
      no_means ? ": the means of the reference cannot be distinguished from 0" : "",
      figure_or_none(reference.rec));
  for (const auto& [name, distance] : reference.amari)
    text += fmt::format("  Amari distance of {:<21} {}\n", name, figure_or_none(distance));
  return text;
}

std::string directions_heading(const DirectionsSummary& directions) {
  std::string text = fmt::format("\nAlong {} directions ({}) of {} coordinates",
                                 directions.along.size(), directions.from, directions.coordinates);
  if (!directions.left_out.empty())
    text += fmt::format("; constant or non-finite elements left out: {} (the first is {})",
                        directions.left_out.size(), directions.left_out.front());
  if (directions.degenerate > 0)
    text += fmt::format("; directions with variance 0 left out: {}", directions.degenerate);
  return text + "\n";
}

std::string directions_text(const DirectionsSummary& directions, const Cut& cut) {
  const std::string text = directions_heading(directions) +
                           variable_table(directions.along, cut, "direction") +
                           paper_table(directions.along, "direction", cut);
  if (!directions.smallest) return text;
  const DirectionsSummary::Smallest& smallest = *directions.smallest;
  return text + fmt::format("the smallest ess_bulk is {:.0f}, along the direction {} = {}\n",
                            smallest.ess_bulk, smallest.name, combination(smallest.weights));
}

/// The subscript of an element in R, where dimensions are reversed and indices start at 1: element
/// [1,2] is `[3, 2, , ]`.
std::string r_subscript(const std::vector<std::int64_t>& indices) {
  if (indices.empty()) return {};
  std::string subscript;
  for (const std::int64_t index : indices) subscript = std::to_string(index + 1) + ", " + subscript;
  return "[" + subscript + ", ]";
}

/// The text escaped for a quoted string in Python or R.
std::string quotable(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

/// The line before the table. It says which columns are weighted, and is empty if the draws have no
/// weights.
std::string weights_line(const Summary& summary) {
  if (!summary.weighted) return {};
  return "mean, sd, quantiles and mcse use the weights in `weight`, but ess and rhat do not\n";
}

/// The lines after the table that say how many elements are left out.
std::string left_out_line(const Summary& summary) {
  if (!summary.left_out) return {};
  return fmt::format(
      "{} of {} elements are left out. The table shows mainly the elements with the smallest ess "
      "or the largest rhat. All elements are in summary.nc in the folder of the run.\nSet "
      "`run.summary_rows`, or use `mixwell summary --rows`, to show particular elements.\n",
      summary.left_out->rows, summary.left_out->of);
}

}  // namespace

std::string variable_table(const std::vector<SummaryRow>& rows, const Cut& cut,
                           const std::string& heading) {
  std::vector<std::string> headings = {heading};
  for (const Statistic& s : statistics) headings.push_back(fmt::format(">{}", s.name));
  if (std::any_of(rows.begin(), rows.end(), is_unreliable)) headings.emplace_back();
  return filled(TextTable(std::move(headings)), rows, cut, row_of);
}

namespace {

/// One line per kernel, if there are several.
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

/// Warnings and statistics that could not be judged. They are printed after all statistics.
std::string judgement_text(const Summary& summary, const Advice& advice) {
  std::string text;
  for (const std::string& warning : warnings(summary, advice))
    text += "\nWarning: " + warning + "\n";
  if (!summary.not_judged.empty()) text += "\nNot judged:\n";
  for (const NotJudged& one : summary.not_judged) text += "  " + in_words(one) + "\n";
  return text;
}

}  // namespace

std::string sampler_lines(const SamplerSummary& sampler) {
  return fmt::format(
      "acceptance {}   divergences {}   E-BFMI {}\n"
      "{}min ESS {}   per gradient {}   per second {}\n",
      shown(sampler.acceptance, "{:.3f}"),
      sampler.divergences ? std::to_string(*sampler.divergences) : "-",
      shown(sampler.ebfmi, "{:.2f}"), kernel_lines(sampler.kernels),
      ess_text(sampler.min_ess, sampler.min_ess_mcse),
      shown(sampler.min_ess_per_gradient, "{:.3g}"), shown(sampler.min_ess_per_second, "{:.3g}"));
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

std::string summary_text(const Summary& summary, const Advice& advice, const Cut& cut) {
  std::string text = weights_line(summary) + variable_table(summary.variables, cut, "variable") +
                     left_out_line(summary) + "\n" + sampler_lines(summary.sampler) +
                     paper_table(summary.variables, "variable", cut);
  if (summary.directions) text += directions_text(*summary.directions, cut);
  if (summary.reference) text += reference_text(*summary.reference);
  return text + paper_notes(summary.variables) + judgement_text(summary, advice);
}

}  // namespace mixwell::app
