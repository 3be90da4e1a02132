// mixwell summary: the summary table of draws on disk.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/report.hpp"

#include <mixwell/lab/ess.hpp>
#include <mixwell/lab/summary.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace mixwell::app {
namespace {

struct Arguments {
  std::string path;
  SummaryOptions options;
  bool json = false;
  bool all = false;
};

std::string explanation() {
  std::string text =
      "Figures follow R's package posterior 1.4 (Vehtari et al. 2021); summary.json names the\n"
      "estimator of each, its version and its source. An effective sample size below 100, or "
      "below\n"
      "20 for each chain, is itself too rough to trust, and marked so.\n\n"
      "Where the run recorded a `weight` for each draw (a step size that falls), mean, sd,\n"
      "quantiles and mcse are weighted by it; --unweighted leaves the weights out.\n\n"
      "--ess adds estimators of single papers, for comparison with their tables:\n";
  for (const diagnostics::PaperEstimator& paper : diagnostics::paper_estimators())
    text += fmt::format("  {:<20} {}\n                       {}\n", paper.id, paper.definition.name,
                        paper.definition.source);
  return text +
         "\n--directions adds rows for projections of the draws, as a sampler may move well along\n"
         "every coordinate and badly along a combination of them:\n"
         "  principal            eigenvectors of the covariance of the draws; all of them, the\n"
         "                       worst one spelled out. Directions depend on units: choose\n"
         "                       variables on one scale with --of\n"
         "  FILE.csv             one direction a row: columns are elements (x[3], or x[Ulm] by\n"
         "                       label), slices (x[0:3]) or whole arrays (x: the same weight for\n"
         "                       each element), and `name` if wanted. Two lines, `name,x` and\n"
         "                       `all,1`, are the direction (1, ..., 1)\n"
         "\n--reference compares mean and covariance with those of other draws (all elements that\n"
         "both have, or those of --of), in the same coordinates: a run, or a FILE.csv with a row\n"
         "for each draw and columns like those of --directions FILE.csv, elements only:\n"
         "  REM                  sum |mean - mean0| / sum |mean0| over the elements\n"
         "  REC                  the same of their covariances; needs two draws\n"
         "--amari NAME adds how far the mean of a square matrix is from the reference's, 0 where\n"
         "they are equal up to order, sign and scale of rows, at most 1.";
}

/// What was allowed once is not forgotten.
void print_mark(const std::string& certificate) {
  const std::optional<CertificateClass> found = certificate_class_from(certificate);
  if (found == CertificateClass::exact) return;
  const bool sampler = found != CertificateClass::biased && found != CertificateClass::none;
  fmt::print("\ncertificate {}{}\n", certificate,
             sampler ? "" : ": these are not draws of the target, whatever the figures above say");
}

ExitCode summary(const Arguments& arguments) {
  const Summary found = summarise(arguments.path, arguments.options);
  if (arguments.json) {
    fmt::print("{}\n", summary_json(found));
    return ExitCode::ok;
  }
  fmt::print("{}", summary_text(found, Advice::of_run(arguments.path),
                                {arguments.all ? whole_table : short_table,
                                 "mixwell summary " + arguments.path + " --all"}));
  if (!found.certificate.empty()) print_mark(found.certificate);
  return ExitCode::ok;
}

std::vector<std::string> estimator_names() {
  std::vector<std::string> names;
  for (const diagnostics::PaperEstimator& paper : diagnostics::paper_estimators())
    names.emplace_back(paper.id);
  return names;
}

std::vector<Argument> summary_arguments(Arguments& given) {
  SummaryOptions& options = given.options;
  return {
      {"draws DIR|FILE.nc", &given.path, "Folder of a run, or a draws.nc"},
      {"--ess NAME[,NAME...]",
       &options.ess,
       "Estimators of single papers to show as well (below)",
       {.words = estimator_names(), .comma_separates = true}},
      {"--directions principal|FILE.csv", &options.directions,
       "Summarise projections of the draws as well (below)"},
      {"--reference DIR|FILE.nc|FILE.csv", &options.reference,
       "Compare mean and covariance with those of other draws (below)"},
      {"--amari NAME[,NAME...]",
       &options.amari,
       "Matrices to compare with those of --reference (below)",
       {.comma_separates = true}},
      {"--of NAME[,NAME...]",
       &options.of,
       "Variables that make up the vector of --directions and --reference (default: all real ones)",
       {.comma_separates = true}},
      {"--unweighted", &options.unweighted,
       "Let every draw count the same, whatever its recorded `weight`"},
      {"--rows NAME", &options.rows,
       "Variable (x), element (b[2,3], or b[Ulm,3] by label) or slice (b[0,:]) to show where there "
       "are more than 20000 elements and only the worst are shown; may be repeated"},
      {"--table FILE.nc", &options.table,
       "Write the rows of all elements to this file as well, as NetCDF"},
      {"--all", &given.all, "Show every row of a long table"},
      {"--json", &given.json, "Print summary.json"}};
}

}  // namespace

Command summary_command() {
  const auto given = std::make_shared<Arguments>();
  return {.name = "summary",
          .purpose = "Summarise the draws of a run, from its draws.nc",
          .arguments = summary_arguments(*given),
          .example = "mixwell summary out/challenger --ess qnhmc --directions principal",
          .notes = explanation(),
          .json = &given->json,
          .action = [given] { return summary(*given); }};
}

}  // namespace mixwell::app
