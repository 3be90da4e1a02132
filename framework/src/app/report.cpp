// What a person reads at the end of a run: tables, warnings with their cures, ways to the draws.
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "text_table.hpp"

namespace mixwell::app {
namespace {

/// Limits beyond which a run deserves a warning: Vehtari et al. 2021 (rank-normalised split R-hat
/// and ESS), Betancourt 2016 (E-BFMI).
constexpr double high_rhat = 1.01;
constexpr double low_ess = 400.0;
constexpr double low_ebfmi = 0.3;
constexpr double low_acceptance = 0.4;
constexpr double missed_target = 0.1;

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

std::vector<std::string> row_of(const std::string& name, const Json& variable) {
  std::vector<std::string> cells = {name};
  const std::string own_unit = unit_format(variable);
  for (const Statistic& s : statistics) {
    const char* const format = s.format == nullptr ? own_unit.c_str() : s.format;
    cells.push_back(shown(number(variable, s.name), format));
  }
  return cells;
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
  texts.push_back(fmt::format(
      "The {} effective sample size of {} is {:.0f}, below {:.0f}: its summary is not reliable. "
      "Set run.draws about {} times as large, or make trajectories longer (more steps).",
      what, bad.who(), bad.value, low_ess,
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
    if (!(std::abs(acceptance - *summary.target_acceptance) > missed_target)) return;
    texts.push_back(fmt::format(
        "The acceptance {:.2f} is far from its target {:.2f}: warm-up ended before the step size "
        "settled. Raise run.warmup.",
        acceptance, *summary.target_acceptance));
  } else if (acceptance < low_acceptance) {
    texts.push_back(fmt::format(
        "The acceptance {:.2f} is low: most work is thrown away. Reduce the step size, or let "
        "target_acceptance = 0.8 choose it.",
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

}  // namespace

std::string variable_table(const Json& variables, std::size_t rows, const std::string& more) {
  std::vector<TextTable::Heading> headings = {{"variable", Align::left}};
  for (const Statistic& s : statistics) headings.push_back({s.name, Align::right});
  TextTable table(std::move(headings));
  std::size_t indexed = rows - std::min(rows, scalars_in(variables));
  std::size_t hidden = 0;
  for (const auto& [name, variable] : variables.items()) {
    if (is_indexed(name) && indexed == 0) {
      ++hidden;
      continue;
    }
    if (is_indexed(name)) --indexed;
    table.add(row_of(name, variable));
  }
  const std::string rest = hidden == 0 ? "" : fmt::format("... {} more rows: {}\n", hidden, more);
  return table.text() + rest;
}

std::string sampler_lines(const Json& sampler) {
  const auto value = [&](const char* name, const char* format) {
    return shown(number(sampler, name), format);
  };
  return fmt::format(
      "acceptance {}   divergences {}   E-BFMI {}\n"
      "min ESS {}   per gradient {}   per second {}\n",
      value("acceptance", "{:.3f}"), value("divergences", "{:.0f}"), value("ebfmi", "{:.2f}"),
      value("min_ess", "{:.0f}"), value("min_ess_per_gradient", "{:.3g}"),
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
  std::string text = variable_table(summary.json.at("variables"), rows, more) + "\n" +
                     sampler_lines(summary.json.at("sampler"));
  for (const std::string& warning : warnings(summary)) text += "\nWarning: " + warning + "\n";
  return text;
}

}  // namespace mixwell::app
