// Recorder `cmdstan-csv`: one CSV file per chain, as CmdStan writes it, for tools that read those.
// SPDX-License-Identifier: Apache-2.0
#include "cmdstan-csv/layout.hpp"
#include "cmdstan-csv/number.hpp"
#include "cmdstan-csv/preamble.hpp"
#include "cmdstan-csv/sheet.hpp"
#include "shared/disk.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::cmdstan_csv {
namespace {

using namespace cmdstan_csv;

/// Text of all chains together that waits in memory.
constexpr std::size_t pending_bytes = std::size_t{32} << 20;
/// Text of a chain that waits in memory while it is copied to its final file.
constexpr std::size_t copy_bytes = std::size_t{1} << 20;

class CmdstanRecording final : public Recording {
 public:
  CmdstanRecording(RunHeader header, const Settings& settings)
      : header_(std::move(header)), settings_(settings), layout_(header_.columns) {
    const std::size_t buffer = pending_bytes / static_cast<std::size_t>(header_.chains());
    for (Index chain = 0; chain < header_.chains(); ++chain) {
      sheets_.emplace_back(name_of(header_.unfinished(), chain + 1) + ".partial", header_.resume,
                           buffer);
      begin(sheets_.back(), chain);
    }
  }

  void write(const Chunk& chunk) override {
    if (chunk.warmup && !header_.record_warmup)
      throw RunError("got warm-up draws that are not to be recorded");
    std::int64_t& draws = chunk.warmup ? warmup_draws_ : draws_;
    if (chunk.first_draw != draws)
      throw RunError("draws out of order: got draw " + std::to_string(chunk.first_draw) +
                     " where " + std::to_string(draws) + " was due");
    for (Index chain = 0; chain < header_.chains(); ++chain) write(chunk, chain);
    draws += chunk.draws;
  }

  void visit_state(StateVisitor& visitor) override {
    for (Sheet& sheet : sheets_) sheet.sync();
    auto warmup_draws = static_cast<std::uint64_t>(warmup_draws_);
    auto draws = static_cast<std::uint64_t>(draws_);
    visitor.count("csv warm-up draws", warmup_draws);
    visitor.count("csv draws", draws);
    warmup_draws_ = static_cast<std::int64_t>(warmup_draws);
    draws_ = static_cast<std::int64_t>(draws);
    for (Sheet& sheet : sheets_) {
      std::uint64_t size = sheet.size();
      visitor.count("csv bytes", size);
      if (size != sheet.size()) sheet.move_to(size);
      sheet.keep();
    }
  }

  void finish(const RunFooter& footer) override {
    if (footer.draws != draws_ || footer.warmup_draws != warmup_draws_)
      throw RunError("the CSV files got " + std::to_string(warmup_draws_) + " and " +
                     std::to_string(draws_) + " draws, but " + std::to_string(footer.warmup_draws) +
                     " and " + std::to_string(footer.draws) + " are said to be recorded");
    const std::string& folder = footer.folder.empty() ? header_.path : footer.folder;
    std::deque<Sheet> copies;
    for (Index chain = 0; chain < header_.chains(); ++chain) {
      copies.emplace_back(name_of(folder, chain + 1) + ".partial.copy", false, copy_bytes);
      copies.back().append(sheets_[chain]);
      end(copies.back(), footer);
    }
    for (Index chain = 0; chain < header_.chains(); ++chain)
      copies[chain].commit_as(name_of(folder, chain + 1));
    remove_from(folder, header_.chains() + 1);
    disk::sync_folder(folder);
  }

 private:
  void begin(Sheet& sheet, Index chain) const {
    const std::string wanted = preamble(header_, chain, settings_, layout_.names());
    if (!header_.resume) {
      sheet.append(wanted);
      return;
    }
    const std::string different = difference(sheet.opening_lines(), wanted);
    if (!different.empty()) sheet.refuse(different);
  }

  void write(const Chunk& chunk, Index chain) {
    Sheet& sheet = sheets_[chain];
    std::string text;
    if (!chunk.warmup && chunk.first_draw == 0 && chunk.draws > 0) adapted(text, chunk, chain);
    for (std::int64_t draw = 0; draw < chunk.draws; ++draw)
      layout_.append_row(text, chunk, draw, chain, header_.chains(), settings_.digits);
    sheet.append(text);
  }

  /// What stands between warm-up and sampling.
  void adapted(std::string& text, const Chunk& chunk, Index chain) const {
    text += "# Adaptation terminated\n";
    const Column* const step_size = find_statistic(header_.columns, "step_size");
    if (step_size == nullptr) return;
    text += "# Step size = ";
    append_number(text, data_of(*step_size, chunk)[chain], settings_.digits);
    text += '\n';
    const Column* const metric = find_statistic(header_.columns, inv_metric);
    if (metric == nullptr)
      text += "# No free parameters for unit metric\n";
    else
      append_metric(text, *metric, data_of(*metric, chunk) + chain * metric->size());
  }

  const double* data_of(const Column& column, const Chunk& chunk) const {
    return chunk.data[static_cast<std::size_t>(&column - header_.columns.data())];
  }

  void append_metric(std::string& text, const Column& metric, const double* numbers) const {
    const bool dense = metric.shape.size() == 2;
    text += dense ? "# Elements of inverse mass matrix:\n"
                  : "# Diagonal elements of inverse mass matrix:\n";
    const Index width = dense ? metric.shape[1] : metric.size();
    for (Index k = 0; k < metric.size(); ++k) {
      text += k % width == 0 ? "# " : ", ";
      append_number(text, numbers[k], settings_.digits);
      if (k % width == width - 1) text += '\n';
    }
  }

  /// The last lines, and the counts of the first ones as they turned out.
  void end(Sheet& sheet, const RunFooter& footer) const {
    std::string text;
    if (draws_ == 0) text += "# Adaptation terminated\n";  // ends the rows of warm-up
    text += "# \n#  Elapsed Time: ";
    append_seconds(text, footer.warmup_seconds);
    text += " seconds (Warm-up)\n#                ";
    append_seconds(text, footer.sampling_seconds);
    text += " seconds (Sampling)\n#                ";
    append_seconds(text, footer.warmup_seconds + footer.sampling_seconds);
    text += " seconds (Total)\n# \n";
    sheet.append(text);
    sheet.sync();
    const std::string opening = sheet.opening_lines();
    sheet.patch(place_of(opening, "num_samples"), count_text(draws_ * header_.thin));
    if (header_.record_warmup)
      sheet.patch(place_of(opening, "num_warmup"), count_text(warmup_draws_ * header_.thin));
    sheet.sync();
  }

  RunHeader header_;
  Settings settings_;
  Layout layout_;
  std::deque<Sheet> sheets_;
  std::int64_t warmup_draws_ = 0;
  std::int64_t draws_ = 0;
};

class CmdstanCsv final : public Recorder {
 public:
  struct Params {
    std::int64_t sig_figs = 8;
    std::int64_t max_depth = 10;

    void declare(Fields& fields) {
      fields.integer("sig_figs", sig_figs)
          .at_least(1)
          .at_most(18)
          .help("significant digits of a number; 17 give every bit back");
      fields.integer("max_depth", max_depth)
          .at_least(1)
          .at_most(1000)
          .help("largest tree depth of the sampler, as the files name it");
    }
  };
  explicit CmdstanCsv(const Params& params)
      : settings_{static_cast<int>(params.sig_figs), params.max_depth} {}

  std::unique_ptr<Recording> open(const RunHeader& header) const override {
    return std::make_unique<CmdstanRecording>(header, settings_);
  }

 private:
  Settings settings_;
};

}  // namespace
}  // namespace mixwell::cmdstan_csv

MIXWELL_PLUGIN(registrar) {
  mixwell::Description about;
  about.id = "cmdstan-csv";
  about.summary = "draws_1.csv, draws_2.csv, ...: one file per chain as CmdStan writes it";
  about.details =
      "Comments, one row of names, one row per draw, as CmdStan 2.36 has them; for\n"
      "rstan::read_stan_csv, cmdstanpy.from_csv and others. Chain 0 is draws_1.csv.\n"
      "Columns: lp__, accept_stat__, stepsize__, treedepth__, n_leapfrog__, divergent__, energy__\n"
      "as far as the run records them; the parameters, elements of arrays numbered from 1 with\n"
      "the first index fastest (b.1.1, b.2.1, ...); other statistics as NAME__. Rows of warm-up\n"
      "come first with run.record_warmup. Step size and inverse metric stand after the line\n"
      "`Adaptation terminated`; without a recorded inv_metric the metric is called unit_e.\n"
      "A sampler without a step size is called fixed_param. num_samples and num_warmup count\n"
      "sweeps: rows times thin. max_depth is written for readers that want it, and count how\n"
      "often a tree got so deep; it changes no draw.";
  about.sources = {"CmdStan User's Guide 2.36, Stan CSV file format"};
  registrar.add<mixwell::cmdstan_csv::CmdstanCsv>(about);
}
