// Writes a study of posteriordb's posteriors: study file, data as JSON, reference draws as CSV.
// SPDX-License-Identifier: Apache-2.0
#include "app/modules.hpp"
#include "component/toml_text.hpp"
#include "files/json.hpp"
#include "files/whole_file.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace mixwell::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A posterior with reference draws. Paths are absolute. `data` is "" if the posterior has no data.
struct Posterior {
  std::string name;
  std::string program;    ///< Stan program
  std::string data;       ///< zipped JSON
  std::string reference;  ///< zipped JSON: a list of chains, each NAME -> list of draws
};

constexpr zip_uint64_t largest = 1U << 30U;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError({path, 0, 0}, "the file cannot be unzipped: " + why +
                                     ". Get a complete checkout of posteriordb");
}

/// The text of the only file in a ZIP archive, at most 1 GiB. Throws InputError.
std::string unzipped(const std::string& path) {
  int code = 0;
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open(path.c_str(), ZIP_RDONLY, &code),
                                                         zip_discard);
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    refuse(path, why);
  }
  if (zip_get_num_entries(archive.get(), 0) != 1)
    refuse(path, "the archive does not contain exactly one file");
  zip_stat_t stat;
  if (zip_stat_index(archive.get(), 0, 0, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0)
    refuse(path, zip_strerror(archive.get()));
  if (stat.size > largest) refuse(path, "the file in the archive is larger than 1 GiB");
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(archive.get(), 0, 0),
                                                               zip_fclose);
  if (!file) refuse(path, zip_strerror(archive.get()));
  std::string text(stat.size, '\0');
  if (zip_fread(file.get(), text.data(), stat.size) != static_cast<zip_int64_t>(stat.size))
    refuse(path, zip_file_strerror(file.get()));
  return text;
}

constexpr const char* cure = "get a complete checkout of posteriordb";

fs::path database_in(const std::string& folder) {
  for (const fs::path& path : {fs::absolute(folder) / "posterior_database", fs::absolute(folder)}) {
    if (fs::is_directory(path / "posteriors")) return path;
  }
  throw InputError({folder, 0, 0},
                   "this is not a checkout of posteriordb, because it has no folder "
                   "posterior_database/posteriors. Give the folder of a checkout");
}

/// A text field of a JSON object; "" if it is null or missing.
std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || !found->is_string() ? "" : found->get<std::string>();
}

std::string existing(const fs::path& path, const fs::path& named_in) {
  if (fs::is_regular_file(path)) return path.string();
  throw InputError({named_in.string(), 0, 0}, path.string() + " does not exist; " + cure);
}

std::string program_of(const fs::path& database, const std::string& model) {
  const fs::path info = database / "models/info" / (model + ".info.json");
  const Json json = read_json(info.string(), "description of a model", cure);
  const auto stan = json.value("/model_implementations/stan"_json_pointer, Json::object());
  const std::string code = text_in(stan, "model_code");
  if (code.empty())
    throw InputError({info.string(), 0, 0},
                     std::string("the file does not name a Stan program; ") + cure);
  return existing(database / code, info);
}

/// All posteriors with reference draws, sorted by name. `folder`: the checkout or its folder
/// posterior_database. Throws InputError if the folder is not a checkout or if files are missing.
std::vector<Posterior> posteriors_with_reference(const std::string& folder) {
  const fs::path database = database_in(folder);
  std::vector<Posterior> all;
  for (const auto& entry : fs::directory_iterator(database / "posteriors")) {
    if (entry.path().extension() != ".json") continue;
    const Json json = read_json(entry.path().string(), "posterior", cure);
    const std::string reference = text_in(json, "reference_posterior_name");
    if (reference.empty()) continue;
    Posterior one{.name = entry.path().stem().string(),
                  .program = program_of(database, text_in(json, "model_name")),
                  .data = {},
                  .reference = existing(
                      database / "reference_posteriors/draws/draws" / (reference + ".json.zip"),
                      entry.path())};
    const std::string data = text_in(json, "data_name");
    if (!data.empty())
      one.data = existing(database / "data/data" / (data + ".json.zip"), entry.path());
    all.push_back(std::move(one));
  }
  std::sort(all.begin(), all.end(),
            [](const Posterior& a, const Posterior& b) { return a.name < b.name; });
  return all;
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw WriteError(path, error.value());
}

/// Writes the file unless it already has this text.
void write(const std::string& path, const std::string& text) {
  std::ifstream before(path, std::ios::binary);
  const std::string known{std::istreambuf_iterator<char>(before), {}};
  if (!before || known != text) write_whole_file(path, text, Flush::later);
}

/// Mixwell's name of an element. Indices start at 0 in Mixwell and at 1 in the database.
std::string own_name(const std::string& name) {
  const std::size_t open = std::min(name.find('['), name.size());
  std::string own = name.substr(0, open);
  std::istringstream indices(name.substr(open));
  char sign = 0;
  for (std::int64_t index = 0; indices >> sign >> index;)
    own += fmt::format("{}{}", sign, index - 1);
  return own + (open < name.size() ? "]" : "");
}

/// A CSV file with one column per element and the chains one after another.
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
      "# Samples posteriors of posteriordb with Mixwell's defaults (4 chains, each with 1000\n"
      "# warmup and 1000 recorded sweeps) and compares the draws with the reference draws.\n"
      "# Written by `mixwell posteriordb`.\n"
      "mixwell = 1\n\n[study]\nseeds = [1]\n\n[study.reference]\n{}{}",
      references, models);
}

}  // namespace

void mixwell_posteriordb_prepare(const PosteriordbArguments& arguments) {
  const auto posteriors = posteriors_with_reference(arguments.checkout);
  make_folder(arguments.folder + "/data");
  make_folder(arguments.folder + "/references");
  for (const Posterior& one : posteriors) {
    if (!one.data.empty())
      write(fmt::format("{}/data/{}.json", arguments.folder, one.name), unzipped(one.data));
    write(fmt::format("{}/references/{}.csv", arguments.folder, one.name), reference_of(one));
  }
  write(arguments.study(), study_of(posteriors, arguments.engine));
}

}  // namespace mixwell::app
