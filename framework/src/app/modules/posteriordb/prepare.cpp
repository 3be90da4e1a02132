// The study of a checkout of posteriordb: its file, data as JSON, reference draws as CSV.
// SPDX-License-Identifier: Apache-2.0
#include "app/modules/posteriordb.hpp"
#include "app/modules/posteriordb/checkout.hpp"
#include "component/toml_text.hpp"
#include "files/json.hpp"
#include "files/whole_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace mixwell::app {
namespace posteriordb {
namespace {

using Json = nlohmann::ordered_json;

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw WriteError(path, error.value());
}

/// Leaves a file alone that says the same.
void write(const std::string& path, const std::string& text) {
  std::ifstream before(path, std::ios::binary);
  const std::string known{std::istreambuf_iterator<char>(before), {}};
  if (!before || known != text) write_whole_file(path, text, Flush::later);
}

/// Of an element: indices from 0, where the database counts from 1.
std::string own_name(const std::string& name) {
  const std::size_t open = std::min(name.find('['), name.size());
  std::string own = name.substr(0, open);
  std::istringstream indices(name.substr(open));
  char sign = 0;
  for (std::int64_t index = 0; indices >> sign >> index;)
    own += fmt::format("{}{}", sign, index - 1);
  return own + (open < name.size() ? "]" : "");
}

/// One column for each element, chain after chain.
std::string csv_of(const Json& chains) {
  std::string text;
  for (const auto& [name, draws] : chains.at(0).items())
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ",", own_name(name));
  text += "\n";
  for (const Json& chain : chains) {
    std::vector<const Json*> columns;
    for (const auto& [name, draws] : chains.at(0).items()) columns.push_back(&chain.at(name));
    for (std::size_t draw = 0; draw < columns.front()->size(); ++draw) {
      for (std::size_t k = 0; k < columns.size(); ++k)
        text += fmt::format("{}{}", k == 0 ? "" : ",", columns[k]->at(draw).get<double>());
      text += "\n";
    }
  }
  return text;
}

std::string reference_of(const Posterior& posterior) {
  try {
    return csv_of(parse_json(unzipped(posterior.reference)));
  } catch (const Json::exception& fault) {
    throw_damaged(posterior.reference, fault);
  }
}

std::string study_of(const std::vector<Posterior>& posteriors, const std::string& engine) {
  std::string references;
  std::string models;
  for (const Posterior& one : posteriors) {
    const std::string name = toml_text(one.name);
    references += fmt::format("{} = {}\n", name, toml_text("references/" + one.name + ".csv"));
    models += fmt::format(
        "\n[study.model.{}]\n"
        "model.m = {{ use = \"stan\", program = {}, engine = {}, generated = false{} }}\n",
        name, toml_text(one.program), toml_text(engine),
        one.data.empty() ? "" : ", data = " + toml_text("data/" + one.name + ".json"));
  }
  return fmt::format(
      "# Posteriors of posteriordb beside their reference draws, by the defaults of Mixwell: 4\n"
      "# chains of 1000 + 1000 sweeps. Written by `mixwell posteriordb`.\n"
      "mixwell = 1\n\n[study]\nseeds = [1]\n\n[study.reference]\n{}{}",
      references, models);
}

}  // namespace
}  // namespace posteriordb

void mixwell_posteriordb_prepare(const PosteriordbArguments& arguments) {
  const auto posteriors = posteriordb::posteriors_with_reference(arguments.checkout);
  posteriordb::make_folder(arguments.folder + "/data");
  posteriordb::make_folder(arguments.folder + "/references");
  for (const posteriordb::Posterior& one : posteriors) {
    if (!one.data.empty())
      posteriordb::write(fmt::format("{}/data/{}.json", arguments.folder, one.name),
                         posteriordb::unzipped(one.data));
    posteriordb::write(fmt::format("{}/references/{}.csv", arguments.folder, one.name),
                       posteriordb::reference_of(one));
  }
  posteriordb::write(arguments.study(), posteriordb::study_of(posteriors, arguments.engine));
}

}  // namespace mixwell::app
