// What a manifest computes, in a form that two manifests can be compared by.
// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include "temporary_folder.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <string_view>

namespace idle_keys {
namespace {

using mixwell::Composition;
using mixwell::PhaseKind;
using mixwell::Sampler;

void append(std::string& all, const std::vector<double>& numbers) {
  all.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
}

void append(std::string& all, const std::vector<mixwell::NamedValues>& data) {
  for (const mixwell::NamedValues& one : data) {
    all += one.name;
    append(all, one.values);
  }
}

void append_model(std::string& all, const mixwell::Model& model) {
  append(all, model.observed_data());
  append(all, model.constant_data());
  for (const mixwell::Labels& one : model.labels())
    all += fmt::format("{}: {}", one.dim, fmt::join(one.labels, ","));
  if (model.offers<mixwell::SumOfTerms>() != nullptr)
    all += fmt::format("terms {}", model.offers<mixwell::SumOfTerms>()->terms());
  all += fmt::format("growth {}", static_cast<int>(model.gradient_growth()));
}

/// What the model predicts of its test cases at one place.
void append_prediction(std::string& all, const mixwell::Model& model) {
  const mixwell::Prediction* const test = model.offers<mixwell::Prediction>();
  if (test == nullptr) return;
  const Eigen::MatrixXd theta = Eigen::MatrixXd::Constant(model.dimension(), 1, 0.1);
  Eigen::MatrixXd predicted(test->predicted(), 1);
  test->predict(theta, predicted);
  all += fmt::format("predicts {} by {}", test->cases(), test->measure());
  append(all, std::vector<double>(predicted.data(), predicted.data() + predicted.size()));
}

void append_draws(std::string& all, Sampler& sampler, PhaseKind phase, std::int64_t sweeps) {
  mixwell::DrawBuffers buffers;
  sampler.advance(phase, sweeps, &buffers);
  const auto& records = sampler.graph(phase).records();
  for (std::size_t r = 0; r < buffers.data.size(); ++r) {
    all += fmt::format("{} {}", records[r].name, fmt::join(records[r].shape, "x"));
    append(all, buffers.data[r]);
  }
}

std::string in_memory(const Composition& composition) {
  std::string all;
  mixwell::Program program =
      mixwell::compose(*composition.compositor, mixwell::recorded_cases(composition.run));
  all += program.certificate.to_text();
  append_model(all, *composition.model());
  append_prediction(all, *composition.model());
  for (const std::string& remark : composition.remarks) all += remark;
  mixwell::with_threads(1, [&] {
    Sampler sampler(composition.compositor, composition.run, std::move(program));
    sampler.initialise();
    append_draws(all, sampler, PhaseKind::warmup, composition.run.warmup);
    append_draws(all, sampler, PhaseKind::sampling, composition.run.draws);
    all += fmt::format("gradients {}", sampler.gradients());
  });
  return all;
}

/// Text files but for the lines that say when and how fast; of others their size, since they hold
/// times too.
std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (path.extension() != ".csv") return std::to_string(text.str().size());
  static const std::regex clock("[^\n]*(seconds|Seconds|time|Time)[^\n]*\n");
  return std::regex_replace(text.str(), clock, "");
}

std::string in_files(const Composition& composition) {
  const mixwell::testing::TemporaryFolder folder;
  mixwell::RunOptions options;
  options.folder = folder.path() + "/out";
  options.threads = 1;
  mixwell::run(composition, options);
  std::string all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(options.folder)) {
    const auto extension = entry.path().extension();
    if (extension == ".csv" || extension == ".nc")
      all += entry.path().filename().string() + content(entry.path());
  }
  return all;
}

}  // namespace

Outcome outcome_of(const mixwell::Registry& registry, const std::string& manifest,
                   const std::vector<mixwell::Override>& changes, bool files) {
  try {
    const Composition composition =
        mixwell::parse_manifest(manifest, "idle_keys.toml", registry, changes);
    const std::string all = files ? in_files(composition) : in_memory(composition);
    return {false, fmt::format("{:016x}", std::hash<std::string_view>{}(all))};
  } catch (const mixwell::Error& refusal) {
    return {true, refusal.what()};
  }
}

}  // namespace idle_keys
