// Exports the draws of a run as CmdStan CSV files.
// SPDX-License-Identifier: Apache-2.0
#include "files/toml_file.hpp"
#include "files/whole_file.hpp"
#include "results/cmdstan_columns.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/cmdstan_csv.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/stop_request.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <optional>

namespace mixwell {
namespace {

namespace fs = std::filesystem;

constexpr int most_digits = 18;
constexpr Index numbers_together = Index{2} << 20;  ///< numbers of a chain in memory at a time

void append_number(std::string& text, double value, int digits) {
  std::array<char, 32> buffer;
  if (std::isnan(value)) {
    text += "NaN";
    return;
  }
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::general, digits);
  text.append(buffer.data(), end.ptr);
}

std::string csv_file(const std::string& folder, Index chain) {
  return fmt::format("{}/draws_{}.csv", folder, chain + 1);
}

fs::path folder_of(const std::string& run) {
  return fs::is_directory(run) ? fs::path(run) : fs::path(run).parent_path();
}

/// `2000-01-31T12:00:00+00:00` as `2000-01-31 12:00:00 UTC`.
std::string date_text(std::string created_at) {
  std::replace(created_at.begin(), created_at.end(), 'T', ' ');
  const std::size_t offset = created_at.find("+00:00");
  if (offset != std::string::npos) created_at.replace(offset, std::string::npos, " UTC");
  return created_at;
}

/// Replaces `=` and control characters, because readers split the line at `=`.
std::string model_text(std::string name) {
  const auto is_odd = [](unsigned char c) { return c < 32 || c == '='; };
  std::replace_if(name.begin(), name.end(), is_odd, '_');
  return name + "_model";
}

const Column* find_statistic(const std::vector<Column>& columns, std::string_view name) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
    return column.group == RecordGroup::sample_stats && column.name == name;
  });
  return found == columns.end() ? nullptr : &*found;
}

/// The largest max_depth of the run's kernels. Stan's default if no kernel has one, because readers
/// expect a number.
std::int64_t max_depth(const fs::path& folder) {
  constexpr std::int64_t usual = 10;
  const std::string path = (folder / "manifest.toml").string();
  if (!fs::exists(path)) return usual;
  const toml::table manifest = parse_toml(read_toml_text(path, "manifest"), path);
  std::int64_t deepest = 0;
  if (const toml::table* const kernels = manifest["kernel"].as_table())
    for (const auto& [name, kernel] : *kernels)
      deepest = std::max(deepest, toml::node_view<const toml::node>(kernel)["max_depth"].value_or(
                                      std::int64_t{0}));
  return deepest > 0 ? deepest : usual;
}

class CsvExport {
 public:
  CsvExport(const std::string& run, const CmdstanCsvOptions& options)
      : run_(run),
        options_(options),
        draws_(run),
        columns_(cmdstan_columns(draws_.columns(), run)),
        step_size_(find_statistic(draws_.columns(), "step_size")),
        metric_(find_statistic(draws_.once(), "inv_metric")),
        thin_(static_cast<std::int64_t>(attribute("thin"))) {
    if (draws_.has_warmup()) warmup_.emplace(run, DrawsPhase::warmup);
    for (const Column& variable : draws_.columns()) numbers_of_draw_ += variable.size();
  }

  /// Writes all files, or none if writing fails.
  CmdstanCsv write(const std::string& folder) const {
    std::deque<UnfinishedFile> files;
    for (Index chain = 0; chain < draws_.chains(); ++chain) {
      const std::string name = csv_file(folder, chain);
      write_chain(files.emplace_back(name, name + ".partial"), chain);
    }
    for (UnfinishedFile& file : files) file.give_name();
    for (Index more = draws_.chains(); std::remove(csv_file(folder, more).c_str()) == 0;) ++more;
    sync_folder(folder);
    return {folder, draws_.chains(), draws_.draws(), warmup_ ? warmup_->draws() : 0};
  }

 private:
  void write_chain(UnfinishedFile& file, Index chain) const {
    file.write(preamble(chain));
    if (warmup_) write_rows(file, *warmup_, chain);
    file.write(adaptation(chain));
    write_rows(file, draws_, chain);
    file.write(times());
    file.close(Flush::to_disk);
  }

  void write_rows(UnfinishedFile& out, const DrawsFile& file, Index chain) const {
    const Index together = std::max<Index>(1, numbers_together / numbers_of_draw_);
    for (Index first = 0; first < file.draws(); first += together) {
      if (is_made(options_.stop)) throw Stopped("the export");
      out.write(rows(file, chain, first, std::min(together, file.draws() - first)));
    }
  }

  std::string rows(const DrawsFile& file, Index chain, Index first, Index count) const {
    const std::vector<Column>& variables = draws_.columns();
    std::vector<std::vector<double>> numbers;
    for (const Column& variable : variables)
      numbers.push_back(file.read_chain(variable, chain, first, count));
    std::string text;
    for (Index draw = 0; draw < count; ++draw) {
      for (const CsvColumn& column : columns_) {
        const Column& variable = variables[column.variable];
        append_number(text, numbers[column.variable][draw * variable.size() + column.element],
                      variable.type == RecordType::real ? options_.digits : 17);
        text += ',';
      }
      text.back() = '\n';
    }
    return text;
  }

  /// An attribute that every draws.nc of a run has.
  double attribute(const char* name) const {
    const double value = draws_.attribute(name);
    if (!std::isnan(value)) return value;
    throw InputError({run_, 0, 0},
                     fmt::format("this is not a Mixwell run: the draws file has no attribute `{}`. "
                                 "Give the folder of a run, or the draws.nc in it.",
                                 name));
  }

  std::string algorithm() const {
    if (step_size_ == nullptr) return "#     algorithm = fixed_param\n";
    return fmt::format(
        "#     algorithm = hmc\n#       hmc\n#         engine = {0}\n#           {0}\n"
        "#             max_depth = {1}\n#         metric = {2}\n",
        draws_.has(RecordGroup::sample_stats, "tree_depth") ? "nuts" : "static",
        max_depth(folder_of(run_)),
        metric_ == nullptr          ? "unit_e"
        : metric_->shape.size() > 1 ? "dense_e"
                                    : "diag_e");
  }

  /// The comments before the first row, and the row of names. Counts are numbers of sweeps.
  std::string preamble(Index chain) const {
    const auto warmup = static_cast<std::int64_t>(attribute("tuning_steps"));
    return fmt::format(
        "# stan_version_major = 2\n# stan_version_minor = 36\n# stan_version_patch = 0\n"
        "# model = {}\n# start_datetime = {}\n# method = sample\n#   sample\n"
        "#     num_samples = {}\n#     num_warmup = {}\n#     save_warmup = {:d}\n"
        "#     thin = {}\n{}#     num_chains = {}\n# id = {}\n# output\n#   sig_figs = {}\n{}"
        "# mixwell_warmup = {}\n{}\n",
        model_text(draws_.text("name")), date_text(draws_.text("created_at")),
        draws_.draws() * thin_, warmup_ ? warmup_->draws() * thin_ : warmup, warmup_.has_value(),
        thin_, algorithm(), draws_.chains(), chain + 1, options_.digits, origin(chain), warmup,
        names());
  }

  std::string names() const {
    std::string text;
    for (const CsvColumn& column : columns_) text += (text.empty() ? "" : ",") + column.name;
    return text;
  }

  /// Entries that only Mixwell writes.
  std::string origin(Index chain) const {
    const Index replicates = draws_.replicates();
    const Index slots = draws_.chains() / replicates;
    const std::string certificate = draws_.certificate();
    return fmt::format(
        "{}{}# mixwell_version = {}\n# mixwell_replicate = {} of {}\n# mixwell_slot = {} of {}\n",
        certificate.empty() ? "" : "# mixwell_certificate = ",
        certificate.empty() ? "" : certificate + "\n", draws_.text("inference_library_version"),
        chain / slots, replicates, chain % slots, slots);
  }

  /// The comments between warmup and sampling. Readers use them to find the end of warmup.
  std::string adaptation(Index chain) const {
    std::string text = "# Adaptation terminated\n";
    if (step_size_ == nullptr || draws_.draws() == 0) return text;
    text += "# Step size = ";
    append_number(text, draws_.read_chain(*step_size_, chain, 0, 1).front(), options_.digits);
    text += '\n';
    return text + (metric_ == nullptr ? "# No free parameters for unit metric\n" : metric(chain));
  }

  std::string metric(Index chain) const {
    const bool is_dense = metric_->shape.size() > 1;
    std::string text = is_dense ? "# Elements of inverse mass matrix:\n"
                                : "# Diagonal elements of inverse mass matrix:\n";
    const Eigen::VectorXd numbers = draws_.read_once(*metric_, chain);
    const Index width = metric_->shape.back();
    for (Index k = 0; k < numbers.size(); ++k) {
      text += k % width == 0 ? "# " : ", ";
      append_number(text, numbers[k], options_.digits);
      if (k % width == width - 1) text += '\n';
    }
    return text;
  }

  /// Readers of these lines keep only digits and the decimal point, from the 18th character on.
  std::string times() const {
    const double warmup = attribute("warmup_time");
    const double sampling = attribute("sampling_time");
    return fmt::format(
        "# \n#  Elapsed Time: {:.6f} seconds (Warm-up)\n#                {:.6f} seconds "
        "(Sampling)\n"
        "#                {:.6f} seconds (Total)\n# \n",
        warmup, sampling, warmup + sampling);
  }

  std::string run_;
  const CmdstanCsvOptions& options_;
  DrawsFile draws_;
  std::optional<DrawsFile> warmup_;
  std::vector<CsvColumn> columns_;
  const Column* step_size_;
  const Column* metric_;  ///< the inverse of the mass matrix that the kernel learnt
  std::int64_t thin_;
  Index numbers_of_draw_ = 0;
};

/// Returns whether the folder is new.
bool make_folder(const std::string& folder) {
  std::error_code error;
  const bool is_new = fs::create_directories(folder, error);
  if (error)
    throw InputError({folder, 0, 0},
                     "cannot create the folder: " + error.message() + ". Choose another folder.");
  return is_new;
}

}  // namespace

CmdstanCsv export_cmdstan_csv(const std::string& run, const CmdstanCsvOptions& options) {
  if (options.digits < 1 || options.digits > most_digits)
    throw InputError(fmt::format("the number of significant digits must be from 1 to {} (got {})",
                                 most_digits, options.digits));
  const CsvExport made(run, options);
  const std::string own = folder_of(run).string();
  const std::string folder = options.folder.empty() ? own.empty() ? "." : own : options.folder;
  const bool is_new = make_folder(folder);
  try {
    return made.write(folder);
  } catch (...) {
    std::error_code ignored;
    if (is_new) fs::remove(folder, ignored);
    throw;
  }
}

}  // namespace mixwell
