// The protocol between a study and its workers: one line of JSON per request and per answer.
// SPDX-License-Identifier: Apache-2.0
#include "base/shortened.hpp"
#include "files/json.hpp"
#include "study/rows.hpp"
#include "study/task.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <concepts>
#include <string_view>
#include <tuple>
#include <utility>

namespace mixwell::study {
namespace {

// The members of each struct, in their order in a line.

auto parts(Is<Location> auto& place) { return std::tie(place.file, place.line, place.column); }
auto parts(Is<Override> auto& change) {
  return std::tie(change.key, change.value, change.where, change.effect);
}
auto parts(Is<CellManifest> auto& manifest) {
  return std::tie(manifest.text, manifest.path, manifest.changes);
}
auto parts(Is<ReferenceFiles> auto& reference) { return std::tie(reference.id, reference.paths); }
auto parts(Is<PlanRequest> auto& request) {
  return std::tie(request.manifest, request.threads, request.estimate);
}
auto parts(Is<RunRequest> auto& request) {
  return std::tie(request.manifest, request.threads, request.folder, request.scratch,
                  request.keeps_draws, request.reference);
}
auto parts(Is<TrialRequest> auto& request) {
  return std::tie(request.manifest, request.threads, request.budget, request.objective);
}
auto parts(Is<CompareRequest> auto& request) { return std::tie(request.folder, request.reference); }
auto parts(Is<DataFile> auto& file) { return std::tie(file.named, file.path, file.sha256); }
auto parts(Is<CostEstimate> auto& cost) {
  return std::tie(cost.gradients, cost.seconds, cost.reason);
}
auto parts(Is<CellPlan> auto& plan) {
  return std::tie(plan.manifest, plan.libraries, plan.files, plan.certificate, plan.refused,
                  plan.cost);
}
auto parts(Is<CellMetric> auto& metric) { return std::tie(metric.name, metric.value, metric.mcse); }
auto parts(Is<ReferenceErrors> auto& errors) {
  return std::tie(errors.reference, errors.reason, errors.curve, errors.distance);
}
auto parts(Is<CellFigures> auto& figures) {
  return std::tie(figures.row, figures.metrics, figures.errors);
}
auto parts(Is<TrialResult> auto& trial) {
  return std::tie(trial.score, trial.gradients, trial.seconds, trial.reason);
}
auto parts(Is<WorkerAnswer> auto& answer) {
  return std::tie(answer.status, answer.reason, answer.result);
}

template <class T>
concept Described = requires(T& value) {
  parts(value);
};

template <template <class...> class Of, class T>
constexpr bool is_a = false;
template <template <class...> class Of, class... T>
constexpr bool is_a<Of, Of<T...>> = true;

// Rows of records are JSON objects; all other structs are lists. figure_json() writes numbers. An
// optional without a value is null. A variant is a list of two items: the index of the alternative
// and the value. Enumerators are numbers.

template <class T>
Json written(const T& value) {
  if constexpr (std::same_as<T, CellRow>) {
    return json_of_row(value);
  } else if constexpr (Described<const T>) {
    return std::apply([](const auto&... part) { return Json::array({written(part)...}); },
                      parts(value));
  } else if constexpr (is_a<std::vector, T>) {
    Json json = Json::array();
    for (const auto& item : value) json.push_back(written(item));
    return json;
  } else if constexpr (is_a<std::optional, T>) {
    return value ? written(*value) : Json();
  } else if constexpr (is_a<std::variant, T>) {
    return {value.index(), std::visit([](const auto& one) { return written(one); }, value)};
  } else if constexpr (std::same_as<T, std::monostate>) {
    return nullptr;
  } else if constexpr (std::same_as<T, double>) {
    return figure_json(value);
  } else {
    return value;
  }
}

template <class T>
void read(const Json& json, T& value);

template <class Variant, std::size_t... k>
void read_alternative(const Json& json, Variant& value, std::index_sequence<k...>) {
  const auto number = json.at(0).get<std::size_t>();
  const auto into = [&](auto& one) {
    read(json.at(1), one);
    return true;
  };
  if (!((number == k && into(value.template emplace<k>())) || ...))
    throw Json::other_error::create(501, "an unknown alternative", &json);
}

template <class T>
void read(const Json& json, T& value) {
  if constexpr (std::same_as<T, CellRow>) {
    value = row_in<CellRow>(json);
  } else if constexpr (Described<T>) {
    std::size_t k = 0;
    std::apply([&](auto&... part) { (read(json.at(k++), part), ...); }, parts(value));
    if (k != json.size()) throw Json::other_error::create(501, "too many values", &json);
  } else if constexpr (is_a<std::vector, T>) {
    for (const Json& item : json.get_ref<const Json::array_t&>()) read(item, value.emplace_back());
  } else if constexpr (is_a<std::optional, T>) {
    if (!json.is_null()) read(json, value.emplace());
  } else if constexpr (is_a<std::variant, T>) {
    read_alternative(json, value, std::make_index_sequence<std::variant_size_v<T>>());
  } else if constexpr (std::same_as<T, double>) {
    value = figure_in(json);
  } else if constexpr (!std::same_as<T, std::monostate>) {
    json.get_to(value);
  }
}

template <class T>
T read_line(const std::string& line, std::string_view what) {
  try {
    T value;
    read(parse_json(line), value);
    return value;
  } catch (const Json::exception& fault) {
    throw RunError(
        fmt::format("worker processes: the program and a worker exchanged a line that is not "
                    "a valid {}: {} ({}). If the program was replaced during the study, run the "
                    "same command again to continue.",
                    what, shortened(line, 200), fault.what()));
  }
}

}  // namespace

std::string line_of(const WorkerRequest& request) { return json_text(written(request)); }

std::string line_of(const WorkerAnswer& answer) { return json_text(written(answer)); }

WorkerRequest request_from(const std::string& line) {
  return read_line<WorkerRequest>(line, "request");
}

WorkerAnswer answer_from(const std::string& line) {
  return read_line<WorkerAnswer>(line, "answer");
}

bool write_line(int descriptor, std::string line) {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = ::write(descriptor, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

std::string plan_text(const CellPlan& plan) { return json_text(written(plan)); }

CellPlan plan_from(const std::string& text) {
  CellPlan plan;
  read(parse_json(text), plan);
  return plan;
}

}  // namespace mixwell::study
