// mixwell summary: prints the summary table of the draws in a folder or file.
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
      "The statistics are defined as in version 1.4 of the R package `posterior` (Vehtari et al.\n"
      "2021). summary.json gives the estimator of each statistic, with its version and source.\n"
      "An effective sample size (ESS) below 100 in total, or below 20 per chain, is too imprecise\n"
      "to trust. The table marks rows with such an ESS.\n\n"
      "If the run recorded a `weight` for each draw (as runs with a decreasing step size do),\n"
      "mean, sd, quantiles and mcse use these weights. --unweighted ignores the weights.\n\n"
      "If there are more than 20000 elements, the summary shows only some, mainly those with the\n"
      "smallest ESS or the largest rhat. --rows adds the rows of a variable (x), an element\n"
      "(b[2,3], or b[Ulm,3] by label) or a slice (b[0,:]).\n\n"
      "--ess adds estimators that papers define, for comparison with the tables in these papers:\n";
  for (const diagnostics::PaperEstimator& paper : diagnostics::paper_estimators())
    text += fmt::format("  {:<20} {}\n                       {}\n", paper.id, paper.definition.name,
                        paper.definition.source);
  return text +
         "\n--directions adds rows for projections of the draws. A sampler may mix well along\n"
         "every coordinate and badly along a combination of coordinates:\n"
         "  principal            all eigenvectors of the covariance matrix of the draws. The\n"
         "                       largest components are shown for the eigenvector with the\n"
         "                       smallest ESS. Eigenvectors depend on units, so use --of to\n"
         "                       select variables on the same scale\n"
         "  FILE.csv             one direction per row. Columns are elements (x[3], or x[Ulm] by\n"
         "                       label), slices (x[0:3]), whole arrays (x: the same weight for\n"
         "                       each element) and, optionally, `name`. The two lines `name,x`\n"
         "                       and `all,1` give the direction (1, ..., 1)\n"
         "\n--reference compares the mean and covariance of the draws with those of other draws.\n"
         "It uses all elements that both sets of draws have, or only the variables that --of\n"
         "selects. Both sets must use the same coordinates. The reference is a run or a FILE.csv.\n"
         "The file has one row per draw and one column per element. Its columns are named as for\n"
         "--directions. Two errors are shown:\n"
         "  REM                  sum |mean - mean0| / sum |mean0| over the elements\n"
         "  REC                  the same ratio for the covariances. REC needs at least two draws\n"
         "--amari NAME adds the Amari distance between the mean of the square matrix NAME and its\n"
         "mean in the reference. The distance is at most 1. It is 0 if the means are equal up to\n"
         "the order, sign and scale of their rows.";
}

/// Repeats the certificate of the run, unless the certificate is exact.
void print_mark(const std::string& certificate) {
  const std::optional<CertificateClass> found = certificate_class_from(certificate);
  if (found == CertificateClass::exact) return;
  const bool sampler = found != CertificateClass::biased && found != CertificateClass::none;
  fmt::print("\ncertificate {}{}\n", certificate,
             sampler
                 ? ""
                 : ": these are not draws from the target, whatever the statistics above suggest");
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
  return {{"draws DIR|FILE.nc", &given.path, "Folder of a run, or a draws.nc file"},
          {"--ess NAME[,NAME...]",
           &options.ess,
           "Additional ESS estimators to show, defined in papers (see below)",
           {.words = estimator_names(), .comma_separates = true}},
          {"--directions principal|FILE.csv", &options.directions,
           "Also summarise projections of the draws (see below)"},
          {"--reference DIR|FILE.nc|FILE.csv", &options.reference,
           "Compare the mean and covariance with those of other draws (see below)"},
          {"--amari NAME[,NAME...]",
           &options.amari,
           "Matrices to compare with the same matrices of --reference (see below)",
           {.comma_separates = true}},
          {"--of NAME[,NAME...]",
           &options.of,
           "Variables that --directions and --reference use (default: all real variables)",
           {.comma_separates = true}},
          {"--unweighted", &options.unweighted,
           "Ignore the recorded `weight` and give every draw the same weight"},
          {"--rows NAME", &options.rows,
           "Rows to show even if a long summary leaves them out (see below; repeatable)"},
          {"--table FILE.nc", &options.table,
           "Also write the rows of all elements to this NetCDF file"},
          {"--all", &given.all, "Show every row of a long table"},
          {"--json", &given.json, "Print the summary as JSON (summary.json)"}};
}

}  // namespace

Command summary_command() {
  const auto given = std::make_shared<Arguments>();
  return {.name = "summary",
          .purpose = "Summarise the draws of a run",
          .arguments = summary_arguments(*given),
          .example = "mixwell summary out/challenger --ess qnhmc --directions principal",
          .notes = explanation(),
          .json = &given->json,
          .action = [given] { return summary(*given); }};
}

}  // namespace mixwell::app
