// What a person reads at the end of a run: tables, warnings with their cures, ways to the draws.
// SPDX-License-Identifier: Apache-2.0
#include "app/report.hpp"

#include "app/text_table.hpp"

#include <mixwell/lab/ess.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mixwell::app {
namespace {

/// Limits beyond which a run deserves a warning: Vehtari et al. 2021 (rank-normalised split R-hat
/// and ESS), Betancourt 2016 (E-BFMI).
constexpr double high_rhat = 1.01;
constexpr double low_ess = 400.0;
constexpr double low_ebfmi = 0.3;
constexpr double low_acceptance = 0.2;
constexpr double below_target = 0.1;
/// Steps that are too small cost only time, and averaging over the end of warm-up makes them so.
constexpr double above_target = 0.15;

/// In units of the variable, or with a format of its own.
struct Statistic {
  const char* name;
  const char* format = nullptr;
};
constexpr std::array<Statistic, 9> statistics = {{{"mean"},
                                                  {"sd"},
                                                  {"q5"},
                                                  {"q50"},
                                                  {"q95"},
                                                  {"ess_bulk", "{:.0f}"},
                                                  {"ess_tail", "{:.0f}"},
                                                  {"rhat", "{:.3f}"},
                                                  {"mcse_mean", "{:.2g}"}}};

/// A number of a JSON object, or NaN when it is missing or null.
double number(const Json& object, const char* name) {
  const auto found = object.find(name);
  const bool known = found != object.end() && found->is_number();
  return known ? found->get<double>() : std::nan("");
}

std::string shown(double value, const char* format) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

bool is_indexed(const std::string& name) { return name.find('[') != std::string::npos; }

std::size_t scalars_in(const Json& variables) {
  std::size_t count = 0;
  for (const auto& [name, value] : variables.items()) count += is_indexed(name) ? 0 : 1;
  return count;
}

/// As many decimals as the Monte Carlo error leaves standing: its first digit is the last shown.
std::string unit_format(const Json& variable) {
  constexpr double most_decimals = 8;
  const double decimals = -std::floor(std::log10(number(variable, "mcse_mean")));
  const bool fits = decimals <= most_decimals && std::abs(number(variable, "mean")) < 1e8;
  if (!fits) return "{:.4g}";
  return fmt::format("{{:.{}f}}", std::max(0, static_cast<int>(decimals)));
}

/// Whether the row's standard effective sample sizes are too small to rely on.
bool is_unreliable(const Json& variable) {
  const Json keys = variable.value("unreliable", Json::array());
  return std::any_of(keys.begin(), keys.end(), [](const Json& key) {
    return std::any_of(statistics.begin(), statistics.end(),
                       [&](const Statistic& s) { return key == s.name; });
  });
}

std::vector<std::string> row_of(const std::string& name, const Json& variable) {
  std::vector<std::string> cells = {name};
  const std::string own_unit = unit_format(variable);
  for (const Statistic& s : statistics) {
    const char* const format = s.format == nullptr ? own_unit.c_str() : s.format;
    cells.push_back(shown(number(variable, s.name), format));
  }
  if (is_unreliable(variable)) cells.push_back("too few to trust");
  return cells;
}

using PaperEstimators = std::vector<const diagnostics::PaperEstimator*>;

/// Those that the rows have figures of.
PaperEstimators papers_in(const Json& variables) {
  PaperEstimators papers;
  for (const diagnostics::PaperEstimator& paper : diagnostics::paper_estimators())
    if (!variables.empty() && variables.front().contains(paper.definition.key))
      papers.push_back(&paper);
  return papers;
}

std::vector<std::string> paper_row(const std::string& name, const Json& variable,
                                   const PaperEstimators& papers) {
  std::vector<std::string> cells = {name, shown(number(variable, "ess_bulk"), "{:.0f}")};
  for (const diagnostics::PaperEstimator* const paper : papers)
    cells.push_back(
        shown(number(variable, paper->definition.key), paper->is_size ? "{:.0f}" : "{:.2f}"));
  std::string keys;
  for (const Json& key : variable.at("unreliable"))
    keys += (keys.empty() ? "not to rely on: " : ", ") + key.get<std::string>();
  cells.push_back(keys);
  return cells;
}

/// The rows of a table: all scalars, and the first indexed names; `more` says how to see the rest.
template <class RowOf>
std::string filled(TextTable table, const Json& variables, const Cut& cut, const RowOf& row_of) {
  std::size_t indexed = cut.rows - std::min(cut.rows, scalars_in(variables));
  std::size_t hidden = 0;
  for (const auto& [name, variable] : variables.items()) {
    if (is_indexed(name) && indexed == 0) {
      ++hidden;
      continue;
    }
    if (is_indexed(name)) --indexed;
    table.add(row_of(name, variable));
  }
  const std::string rest =
      hidden == 0 ? "" : fmt::format("... {} more rows: {}\n", hidden, cut.more);
  return table.text() + rest;
}

/// A table of the papers' estimators; nothing if there are none.
std::string paper_table(const Json& variables, const std::string& heading, const Cut& cut) {
  const PaperEstimators papers = papers_in(variables);
  if (papers.empty()) return {};
  std::vector<TextTable::Heading> headings = {{heading, Align::left}, {"ess_bulk", Align::right}};
  for (const auto* const paper : papers) headings.push_back({paper->definition.key, Align::right});
  headings.push_back({"", Align::left});
  const auto row = [&](const std::string& name, const Json& variable) {
    return paper_row(name, variable, papers);
  };
  return "\n" + filled(TextTable(std::move(headings)), variables, cut, row);
}

std::string paper_notes(const Json& variables) {
  std::string notes;
  for (const auto* const paper : papers_in(variables))
    notes +=
        fmt::format("\n{}, version {}: {}\n  {}", paper->definition.key, paper->definition.version,
                    paper->definition.name, paper->definition.source);
  return notes.empty() ? notes : notes + "\n";
}

/// The largest weights of a direction as a sum: `0.71 x[3] - 0.70 x[7] + 98 smaller terms`.
std::string combination(const Json& weights) {
  constexpr std::size_t most = 5;
  std::vector<std::pair<std::string, double>> terms;
  for (const auto& [name, weight] : weights.items()) terms.emplace_back(name, weight);
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

std::string figure_or_none(const Json& figure) {
  return figure.is_null() ? "not available" : fmt::format("{:.4g}", figure.get<double>());
}

std::string reference_text(const Json& reference) {
  const std::size_t left_out = reference.at("left_out").size();
  std::string text = fmt::format(
      "\nAgainst {} ({} draws), {} elements", reference.at("from").get<std::string>(),
      reference.at("draws").get<std::int64_t>(), reference.at("coordinates").get<std::size_t>());
  if (left_out > 0)
    text += fmt::format("; {} left out, which one side lacks (the first: {})", left_out,
                        reference.at("left_out").front().get<std::string>());
  text += fmt::format(
      "\n  relative error of the mean (REM)        {}\n"
      "  relative error of the covariance (REC)  {}\n",
      figure_or_none(reference.at("rem")), figure_or_none(reference.at("rec")));
  if (!reference.contains("amari")) return text;
  for (const auto& [name, distance] : reference.at("amari").items())
    text += fmt::format("  Amari distance of {:<21} {}\n", name, figure_or_none(distance));
  return text;
}

std::string directions_heading(const Json& directions) {
  const std::size_t left_out = directions.at("left_out").size();
  const int degenerate = directions.at("degenerate").get<int>();
  std::string text = fmt::format(
      "\nAlong {} directions ({}) of {} coordinates", directions.at("along").size(),
      directions.at("from").get<std::string>(), directions.at("coordinates").get<std::size_t>());
  if (left_out > 0)
    text += fmt::format("; {} left out, constant or not finite, {} first", left_out,
                        directions.at("left_out").front().get<std::string>());
  if (degenerate > 0) text += fmt::format("; {} more have no variance", degenerate);
  return text + "\n";
}

std::string directions_text(const Json& directions, const Cut& cut) {
  const Json& rows = directions.at("along");
  std::string text = directions_heading(directions) + variable_table(rows, cut, "direction") +
                     paper_table(rows, "direction", cut);
  const Json& smallest = directions.at("smallest");
  if (smallest.is_null()) return text;
  return text + fmt::format("smallest ess_bulk {:.0f} along {} = {}\n",
                            smallest.at("ess_bulk").get<double>(),
                            smallest.at("name").get<std::string>(),
                            combination(smallest.at("weights")));
}

/// Variables on the wrong side of a limit: the worst one and how many there are.
struct Offenders {
  std::string worst;
  double value = 0.0;
  std::size_t count = 0;

  std::string who() const {
    return count == 1 ? worst : fmt::format("{} and {} more", worst, count - 1);
  }
};

template <class IsBad, class IsWorse>
Offenders offenders(const Json& variables, const char* statistic, IsBad is_bad, IsWorse is_worse) {
  Offenders found;
  for (const auto& [name, variable] : variables.items()) {
    const double value = number(variable, statistic);
    if (!is_bad(value)) continue;
    if (found.count == 0 || is_worse(value, found.value)) {
      found.worst = name;
      found.value = value;
    }
    ++found.count;
  }
  return found;
}

void warn_of_rhat(const Json& variables, std::vector<std::string>& texts) {
  const Offenders bad = offenders(
      variables, "rhat", [](double r) { return r > high_rhat; }, std::greater<>());
  if (bad.count == 0) return;
  texts.push_back(fmt::format(
      "R-hat of {} is {:.3f}, above {}: the chains have not mixed. Give more warmup and draws; if "
      "that does not help, look for several modes or rescale the parameters.",
      bad.who(), bad.value, high_rhat));
}

void warn_of_ess(const Json& variables, const char* statistic, const char* what,
                 std::vector<std::string>& texts) {
  const Offenders bad = offenders(
      variables, statistic, [](double ess) { return ess < low_ess; }, std::less<>());
  if (bad.count == 0) return;
  const char* const rough =
      is_unreliable(variables.at(bad.worst))
          ? " The number itself is too small to be estimated well, and may be far off."
          : "";
  texts.push_back(fmt::format(
      "The {} effective sample size of {} is {:.0f}, below {:.0f}: its summary is not reliable.{} "
      "Set run.draws about {} times as large, or make trajectories longer (more steps).",
      what, bad.who(), bad.value, low_ess, rough,
      static_cast<int>(std::ceil(low_ess / std::max(bad.value, 1.0)))));
}

void warn_of_constants(const Json& variables, std::vector<std::string>& texts) {
  const Offenders bad = offenders(
      variables, "sd", [](double sd) { return sd == 0.0; }, std::less<>());
  if (bad.count == 0) return;
  texts.push_back(fmt::format(
      "{} never moved: every proposal may have been rejected. Reduce the step size.", bad.who()));
}

void warn_of_divergences(const Json& sampler, std::vector<std::string>& texts) {
  const double count = number(sampler, "divergences");
  if (!(count > 0)) return;
  texts.push_back(fmt::format(
      "{:.0f} transitions diverged: the draws may miss a region of high curvature. Reduce the step "
      "size (or raise target_acceptance), or reparametrise the model; run.json holds positions.",
      count));
}

void warn_of_energy(const Json& sampler, std::vector<std::string>& texts) {
  const double ebfmi = number(sampler, "ebfmi");
  if (!(ebfmi < low_ebfmi)) return;
  texts.push_back(fmt::format(
      "E-BFMI is {:.2f}, below {}: momentum draws move the energy too little to explore the tails. "
      "Reparametrise the model so that its tails are lighter.",
      ebfmi, low_ebfmi));
}

void warn_of_acceptance(const Summary& summary, std::vector<std::string>& texts) {
  const double acceptance = number(summary.json.at("sampler"), "acceptance");
  if (summary.target_acceptance) {
    const double excess = acceptance - *summary.target_acceptance;
    if (excess >= -below_target && excess <= above_target) return;
    texts.push_back(fmt::format(
        "The acceptance {:.2f} is far from its target {:.2f}: warm-up ended before the step size "
        "settled. Raise run.warmup.",
        acceptance, *summary.target_acceptance));
  } else if (acceptance < low_acceptance) {
    texts.push_back(fmt::format(
        "The acceptance {:.2f} is low: most work is thrown away. Reduce the step size, or let "
        "target_acceptance choose it.",
        acceptance));
  }
}

/// "beta[1,2]" in R, where dimensions run the other way round and count from 1: `[3, 2, , ]`.
std::string r_subscript(const std::string& name) {
  const std::size_t open = name.find('[');
  if (open == std::string::npos) return {};
  std::string subscript;
  std::string_view rest = std::string_view(name).substr(open + 1, name.size() - open - 2);
  while (!rest.empty()) {
    const std::string_view index = rest.substr(0, rest.find(','));
    subscript = std::to_string(std::stol(std::string(index)) + 1) + ", " + subscript;
    rest.remove_prefix(std::min(index.size() + 1, rest.size()));
  }
  return "[" + subscript + ", ]";
}

/// Before the table, what its columns mean where draws have weights.
std::string weights_line(const Json& summary) {
  if (!summary.value("weighted", false)) return {};
  return "weighted by `weight`: mean, sd, quantiles, mcse; of the draws without weights: ess, "
         "rhat\n";
}

}  // namespace

std::optional<double> target_acceptance(const std::string& effective_manifest) {
  const toml::table manifest = toml::parse(effective_manifest);
  std::optional<double> target;
  const toml::table* const kernels = manifest["kernel"].as_table();
  if (kernels == nullptr) return target;
  for (const auto& [name, kernel] : *kernels) {
    const toml::node_view keys(kernel);
    if (!keys["learn_step_size"].value_or(true)) continue;
    const auto found = keys["target_acceptance"].value<double>();
    if (found && target) return std::nullopt;
    if (found) target = found;
  }
  return target;
}

std::string variable_table(const Json& variables, const Cut& cut, const std::string& heading) {
  std::vector<TextTable::Heading> headings = {{heading, Align::left}};
  for (const Statistic& s : statistics) headings.push_back({s.name, Align::right});
  if (std::any_of(variables.begin(), variables.end(), is_unreliable))
    headings.push_back({"", Align::left});
  return filled(TextTable(std::move(headings)), variables, cut, row_of);
}

std::string sampler_lines(const Json& sampler) {
  const auto value = [&](const char* name, const char* format) {
    return shown(number(sampler, name), format);
  };
  const double mcse = number(sampler, "min_ess_mcse");
  const std::string error =
      std::isnan(mcse) ? "" : " ± " + value("min_ess_mcse", mcse < 10 ? "{:.1g}" : "{:.0f}");
  return fmt::format(
      "acceptance {}   divergences {}   E-BFMI {}\n"
      "min ESS {}{}   per gradient {}   per second {}\n",
      value("acceptance", "{:.3f}"), value("divergences", "{:.0f}"), value("ebfmi", "{:.2f}"),
      value("min_ess", "{:.0f}"), error, value("min_ess_per_gradient", "{:.3g}"),
      value("min_ess_per_second", "{:.3g}"));
}

std::vector<std::string> warnings(const Summary& summary) {
  const Json& variables = summary.json.at("variables");
  const Json& sampler = summary.json.at("sampler");
  std::vector<std::string> texts;
  warn_of_constants(variables, texts);
  warn_of_acceptance(summary, texts);
  warn_of_divergences(sampler, texts);
  warn_of_energy(sampler, texts);
  warn_of_rhat(variables, texts);
  warn_of_ess(variables, "ess_bulk", "bulk", texts);
  warn_of_ess(variables, "ess_tail", "tail", texts);
  if (!summary.json.contains("directions")) return texts;
  const Json& along = summary.json.at("directions").at("along");
  warn_of_rhat(along, texts);
  warn_of_ess(along, "ess_bulk", "bulk", texts);
  return texts;
}

std::string opening_lines(const std::string& file, const Json& variables) {
  const std::string first = variables.empty() ? "lp" : variables.begin().key();
  const std::string base = first.substr(0, first.find('['));
  return fmt::format(
      "Python:\n"
      "  import xarray; posterior = xarray.open_dataset(\"{0}\", group=\"posterior\")\n"
      "  import arviz; data = arviz.from_netcdf(\"{0}\"); print(arviz.summary(data))\n"
      "R:\n"
      "  library(ncdf4); library(posterior); draws <- nc_open(\"{0}\")\n"
      "  x <- ncvar_get(draws, \"posterior/{1}\", collapse_degen = FALSE)\n"
      "  rhat(x{2}); ess_bulk(x{2})  # iterations x chains of {3}\n",
      file, base, r_subscript(first), first);
}

std::string summary_text(const Summary& summary, std::size_t rows, const std::string& more) {
  const Json& variables = summary.json.at("variables");
  const Cut cut{rows, more};
  std::string text = weights_line(summary.json) + variable_table(variables, cut, "variable") +
                     "\n" + sampler_lines(summary.json.at("sampler")) +
                     paper_table(variables, "variable", cut);
  if (summary.json.contains("directions"))
    text += directions_text(summary.json.at("directions"), cut);
  if (summary.json.contains("reference")) text += reference_text(summary.json.at("reference"));
  text += paper_notes(variables);
  for (const std::string& warning : warnings(summary)) text += "\nWarning: " + warning + "\n";
  return text;
}

}  // namespace mixwell::app
