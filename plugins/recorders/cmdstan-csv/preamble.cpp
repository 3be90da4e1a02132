// The comments before the first row: written, and compared with those of a file to continue.
// SPDX-License-Identifier: Apache-2.0
#include "preamble.hpp"

#include "layout.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace mixwell::cmdstan_csv {
namespace {

constexpr std::size_t count_width = 19;

/// `2000-01-31T12:00:00+00:00` as `2000-01-31 12:00:00 UTC`.
std::string date_text(std::string created_at) {
  std::replace(created_at.begin(), created_at.end(), 'T', ' ');
  const std::size_t offset = created_at.find("+00:00");
  if (offset != std::string::npos) created_at.replace(offset, std::string::npos, " UTC");
  return created_at;
}

/// A name that readers, who split lines at `=`, keep whole.
std::string model_text(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == '='; }, '_');
  return name + "_model";
}

/// Some readers want max_depth in every file of hmc.
std::string algorithm_text(const std::vector<Column>& columns, std::int64_t max_depth) {
  if (find_statistic(columns, "step_size") == nullptr) return "#     algorithm = fixed_param\n";
  const bool nuts = find_statistic(columns, "tree_depth") != nullptr;
  const Column* const metric = find_statistic(columns, inv_metric);
  const std::string kind = metric == nullptr           ? "unit_e"
                           : metric->shape.size() == 2 ? "dense_e"
                                                       : "diag_e";
  const std::string engine = nuts ? "nuts" : "static";
  return "#     algorithm = hmc\n#       hmc\n#         engine = " + engine + "\n#           " +
         engine + "\n#             max_depth = " + std::to_string(max_depth) +
         "\n#         metric = " + kind + "\n";
}

std::string columns_text(const std::vector<Column>& columns) {
  constexpr std::array types = {"real", "integer", "boolean"};
  std::string text;
  for (const Column& column : columns) {
    text += (text.empty() ? "" : ", ") + column.name;
    for (const Index extent : column.shape) text += " x " + std::to_string(extent);
    text += std::string(" ") + types[static_cast<std::size_t>(column.type)];
    if (column.once) text += " once";
  }
  return text;
}

std::string part_text(Index number, Index of) {
  return std::to_string(number) + " of " + std::to_string(of) + "\n";
}

bool may_differ(const std::string& line) {
  constexpr std::array keys = {
      "# start_datetime = ", "# mixwell_version = ", "#     num_samples = ", "#     num_warmup = "};
  return std::any_of(keys.begin(), keys.end(),
                     [&](const char* key) { return line.rfind(key, 0) == 0; });
}

}  // namespace

std::string count_text(std::int64_t count) {
  std::string text = std::to_string(count);
  text.resize(count_width, ' ');
  return text;
}

std::size_t place_of(const std::string& preamble, std::string_view key) {
  const std::string start = "#     " + std::string(key) + " = ";
  return preamble.find(start) + start.size();
}

std::string preamble(const RunHeader& header, Index chain, const Settings& settings,
                     const std::string& names) {
  std::ostringstream text;
  text << "# stan_version_major = 2\n# stan_version_minor = 36\n# stan_version_patch = 0\n"
       << "# model = " << model_text(header.run_name)
       << "\n# start_datetime = " << date_text(header.created_at)
       << "\n# method = sample\n#   sample\n#     num_samples = "
       << count_text(header.draws * header.thin)
       << "\n#     num_warmup = " << count_text(header.warmup)
       << "\n#     save_warmup = " << header.record_warmup << "\n#     thin = " << header.thin
       << "\n"
       << algorithm_text(header.columns, settings.max_depth)
       << "#     num_chains = " << header.chains() << "\n# id = " << chain + 1
       << "\n# output\n#   sig_figs = " << settings.digits
       << (header.certificate.empty() ? "" : "\n# mixwell_certificate = ") << header.certificate
       << "\n# mixwell_version = " << header.version
       << "\n# mixwell_replicate = " << part_text(chain / header.slots, header.replicates)
       << "# mixwell_slot = " << part_text(chain % header.slots, header.slots)
       << "# mixwell_warmup = " << header.warmup
       << "\n# mixwell_columns = " << columns_text(header.columns) << "\n"
       << names << "\n";
  return text.str();
}

std::string difference(const std::string& found, const std::string& wanted) {
  std::istringstream a(found);
  std::istringstream b(wanted);
  std::string has;
  std::string wants;
  while (std::getline(b, wants)) {
    std::getline(a, has);
    if (has == wants || (may_differ(has) && may_differ(wants))) continue;
    return "it has the line '" + has + "', the run '" + wants + "'";
  }
  return {};
}

}  // namespace mixwell::cmdstan_csv
