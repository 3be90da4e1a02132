// What may stand in a generated manifest: a component, or a value of one of its keys.
// SPDX-License-Identifier: Apache-2.0
#include "choice.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

namespace compositions {
namespace {

using mixwell::ComponentReference;
using mixwell::Field;
using mixwell::Kind;
using mixwell::Registry;

/// What the registry cannot tell: numbers, lists and files. A name without a component stands for
/// that key of every component but models. "" leaves a key out.
const std::map<std::string, std::vector<std::string>>& numbers() {
  static const std::map<std::string, std::vector<std::string>> all = {
      // Numbers that change what a composition is.
      {"steps", {"4", "1"}},
      {"steps_jitter", {"", "[2, 5]"}},
      {"step_size_jitter", {"", "[0.8, 1.2]"}},
      {"target_acceptance", {"", "0.8"}},
      {"persistence", {"0.0", "0.7", "1.0"}},
      {"refresh_every", {"1", "5"}},
      {"eigenvalues", {"", "[0.1, 10.0]"}},
      {"gamma", {"", "1.0"}},
      {"regularisation", {"0.0", "0.5"}},
      {"newton_factor", {"", "1.0"}},
      // Small sizes.
      {"slots", {"4"}},
      {"history", {"6"}},
      {"inverse_temperatures", {"[1.0, 0.5]"}},
      {"max_depth", {"6"}},
      {"nodes", {"20"}},
      {"size", {"5"}},
      {"transition", {"50.0"}},
      {"estimator/rms-diagonal.alpha", {"0.9"}},
      {"estimator/rms-diagonal.lambda", {"0.1"}},
      {"estimator/curvature-file.file", {"\"data/curvature.csv\""}},
      // Models, each as small as it can be.
      {"model/quartic.dimension", {"2"}},
      {"model/double-well.dimension", {"2"}},
      {"model/gaussian.dimension", {"2"}},
      {"model/student-t.dimension", {"2"}},
      {"model/student-t.degrees_of_freedom", {"8.0"}},
      {"model/gamma.dimension", {"2"}},
      {"model/beta-binomial.cases", {"20"}},
      {"model/linear-gaussian.cases", {"20"}},
      {"model/linear-gaussian.dimension", {"2"}},
      {"model/probit-regression.cases", {"20"}},
      {"model/probit-regression.dimension", {"2"}},
      {"model/probit-latent.cases", {"5"}},
      {"model/probit-latent.dimension", {"1"}},
      {"model/normal-groups.values", {"[2.8, 0.8, -0.3]"}},
      {"model/normal-groups.sds", {"[1.5, 1.0, 1.6]"}},
      {"model/random-effects.values", {"[2.8, 0.8, -0.3]"}},
      {"model/random-effects.sds", {"[0.5, 1.0, 0.6]"}},
      {"model/changepoint.counts", {"[4, 5, 2, 1, 0]"}},
      {"model/labelled-mixture.values", {"[-2.0, 0.5, 2.5]"}},
      {"model/labelled-mixture.weights", {"[0.3, 0.7]"}},
      {"model/gaussian-process.inputs", {"[-2.0, -0.5, 1.0]"}},
      {"model/gaussian-process.values", {"[0.3, -0.2, 1.1]"}},
      {"model/matrix-factorisation.data",
       {"\"" MIXWELL_SOURCE_DIR "/examples/factorisation/ratings.dat\""}},
      {"model/matrix-factorisation.rank", {"1"}},
      {"kernel/subsampled-metropolis.size", {"30"}},
      {"model/stable-factorisation.data",
       {"\"" MIXWELL_SOURCE_DIR "/papers/hamcmc/examples/mixture.csv\""}},
      {"model/stable-factorisation.alpha", {"[1.5]"}},
      {"model/stable-factorisation.ranks", {"[1]"}},
      {"model/bayesian-neural-network.data",
       {"\"" MIXWELL_SOURCE_DIR "/examples/challenger/challenger.csv\""}},
      {"model/bayesian-neural-network.response", {"\"distress\""}},
      {"model/bayesian-neural-network.inputs", {"[\"temperature\"]"}},
      {"model/bayesian-neural-network.hidden", {"1"}},
      {"model/linear-chain-crf.data",
       {"\"" MIXWELL_SOURCE_DIR "/papers/hmc-bfgs/examples/sentences.txt\""}},
      {"model/ica.cases", {"20"}},
      {"model/ica.channels", {"2"}},
      {"model/logistic-regression.data", {"\"data/cases.csv\""}},
      {"model/logistic-regression.response", {"\"y\""}},
      {"model/callback.library", {"\"" MIXWELL_BUILD_DIR "/tests/callback/functions.so\""}},
      {"model/callback.symbol", {"\"normal\""}},
      {"model/callback.parameters", {"[\"x[3]\"]"}},
      {"model/stan.library", {"\"" MIXWELL_BUILD_DIR "/tests/stan/right.so\""}},
      {"model/stan.data", {"\"" MIXWELL_SOURCE_DIR "/tests/stan/data.json\""}},
  };
  return all;
}

std::string component(Kind kind, const std::string& id) {
  return std::string(to_string(kind)) + "/" + id;
}

const std::vector<std::string>* known(Kind kind, const std::string& id, const std::string& key) {
  const auto own = numbers().find(component(kind, id) + "." + key);
  if (own != numbers().end()) return &own->second;
  const auto common = numbers().find(key);
  return kind == Kind::model || common == numbers().end() ? nullptr : &common->second;
}

bool is_number(const Field& field) {
  return !std::holds_alternative<bool*>(field.target()) && field.choices().empty();
}

/// `gamma` is a number of one estimator and a flag of another, `target_acceptance` may have a
/// default: a key is left out only where it may be.
bool may_be(const Field& field, const std::string& toml) {
  if (!toml.empty()) return true;
  return !field.is_required() && field.value_text().empty();
}

std::vector<Value> numbers_for(const std::vector<std::string>& texts, const Field& field) {
  std::vector<Value> values;
  for (const std::string& toml : texts) {
    if (may_be(field, toml)) values.push_back({toml, toml == field.value_text()});
  }
  return values;
}

std::vector<Value> words(const Field& field) {
  std::vector<Value> values;
  for (const std::string& word : field.choices()) {
    const std::string toml = "\"" + word + "\"";
    values.push_back({toml, toml == field.value_text()});
  }
  return values;
}

}  // namespace

std::string Choice::text() const {
  if (key.empty()) return component(kind, id);
  return component(kind, id) + "." + key + (value.empty() ? " left out" : " = " + value);
}

std::vector<Value> values_of(Kind kind, const std::string& id, const Field& field) {
  if (std::holds_alternative<ComponentReference>(field.target())) return {};
  if (std::holds_alternative<mixwell::TableList>(field.target())) return {};
  const auto* const texts = known(kind, id, field.key());
  if (texts != nullptr && is_number(field)) return numbers_for(*texts, field);
  if (field.is_required()) {
    throw std::runtime_error("tests/compositions/choice.cpp needs a value for " +
                             component(kind, id) + "." + field.key());
  }
  if (kind == Kind::model || kind == Kind::recorder) return {};
  if (!field.choices().empty()) return words(field);
  if (!std::holds_alternative<bool*>(field.target())) return {};
  return {{"false", field.value_text() == "false"}, {"true", field.value_text() == "true"}};
}

void check_values(const Registry& registry) {
  std::set<std::string> names;
  for (const mixwell::Entry& entry : registry.entries()) {
    const auto blueprint = entry.blueprint();
    for (const Field& field : blueprint->fields().all()) {
      names.insert(field.key());
      names.insert(component(entry.kind, entry.description.id) + "." + field.key());
    }
  }
  for (const auto& [name, values] : numbers()) {
    if (!names.contains(name)) {
      throw std::runtime_error("tests/compositions/choice.cpp: no component has the key " + name);
    }
  }
}

std::vector<std::string> ids_for(const Registry& registry, Kind kind, const std::string& purpose) {
  std::vector<std::string> ids = registry.ids(kind);
  std::erase_if(ids, [&](const std::string& id) {
    return registry.find(kind, id).description.purpose != purpose;
  });
  return ids;
}

std::vector<Choice> all_choices(const Registry& registry) {
  std::vector<Choice> all;
  for (const mixwell::Entry& entry : registry.entries()) {
    if (entry.kind == Kind::model || entry.kind == Kind::recorder) continue;
    const std::string& id = entry.description.id;
    all.push_back({entry.kind, id});
    const auto blueprint = entry.blueprint();
    for (const Field& field : blueprint->fields().all()) {
      for (const Value& value : values_of(entry.kind, id, field)) {
        all.push_back({entry.kind, id, field.key(), value.toml});
      }
    }
  }
  return all;
}

void write_fixtures(const std::string& folder) {
  const std::filesystem::path data = std::filesystem::path(folder) / "data";
  std::filesystem::create_directories(data);
  std::ofstream(data / "curvature.csv") << "1.0,0.5\n";
  std::ofstream cases(data / "cases.csv");
  cases << "x,y\n";
  for (int n = 0; n < 20; ++n)
    cases << 0.1 * n - 1.0 << "," << (n * 7 % 10 < n / 2 ? 1 : 0) << "\n";
  if (!cases) throw std::runtime_error(data.string() + ": cannot be written");
}

}  // namespace compositions
