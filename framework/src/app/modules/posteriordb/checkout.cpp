// A checkout of posteriordb: posteriors with reference draws, their programs and data.
// SPDX-License-Identifier: Apache-2.0
#include "app/modules/posteriordb/checkout.hpp"

#include "files/json.hpp"

#include <mixwell/error.hpp>

#include <algorithm>
#include <filesystem>

namespace mixwell::app::posteriordb {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* cure = "bring a whole checkout of posteriordb";

fs::path database_in(const std::string& folder) {
  for (const fs::path& path : {fs::absolute(folder) / "posterior_database", fs::absolute(folder)}) {
    if (fs::is_directory(path / "posteriors")) return path;
  }
  throw InputError({folder, 0, 0},
                   "is no checkout of posteriordb: it has no folder "
                   "posterior_database/posteriors");
}

/// A text of a JSON file; "" where it is null or missing.
std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || !found->is_string() ? "" : found->get<std::string>();
}

std::string existing(const fs::path& path, const fs::path& named_in) {
  if (fs::is_regular_file(path)) return path.string();
  throw InputError({named_in.string(), 0, 0}, path.string() + " is not there; " + cure);
}

std::string program_of(const fs::path& database, const std::string& model) {
  const fs::path info = database / "models/info" / (model + ".info.json");
  const Json json = read_json(info.string(), "description of a model", cure);
  const auto stan = json.value("/model_implementations/stan"_json_pointer, Json::object());
  const std::string code = text_in(stan, "model_code");
  if (code.empty()) throw InputError({info.string(), 0, 0}, "names no program for Stan");
  return existing(database / code, info);
}

}  // namespace

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

}  // namespace mixwell::app::posteriordb
