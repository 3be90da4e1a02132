// Selects a model's parameters by name and slice, and columns of a table by name.
// SPDX-License-Identifier: Apache-2.0
#include "law/labelled_selection.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/law/selection.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace mixwell {
namespace {

std::vector<Index> counted(Index count) {
  std::vector<Index> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), Index{0});
  return indices;
}

std::vector<Index> shifted(std::vector<Index> indices, Index first) {
  for (Index& i : indices) i += first;
  return indices;
}

/// The parameter that a text selects, its first coordinate, and the slices to take.
struct Selected {
  const Parameter* parameter = nullptr;
  Index first = 0;
  std::vector<Slice> slices{};  ///< empty: the whole parameter
};

std::vector<Slice> slices_of(const Parameter& parameter, const std::vector<Labels>& labels,
                             std::string_view inside, const std::string& text) {
  if (!parameter.constraint.is_of_numbers())
    throw InputError("\"" + text + "\" is a part of `" + parameter.name +
                     "`, whose values have a joint constraint (" + parameter.constraint.text() +
                     "). Name the whole parameter instead");
  return read_slices(named_array(parameter, labels), inside, text);
}

[[noreturn]] void refuse_name(const std::vector<Parameter>& parameters, const std::string& text) {
  const std::size_t open = text.find('[');
  if (open != text.npos && text.back() != ']')
    throw InputError("\"" + text + "\" has a \"[\" but does not end with \"]\". Add the \"]\"");
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  const std::string name = text.substr(0, open);
  throw InputError("the model has no parameter \"" + name + "\"" + suggestion(name, names));
}

/// Compares the whole text with the names first, because names may contain brackets.
Selected select(const std::vector<Parameter>& parameters, const std::vector<Labels>& labels,
                const std::string& text) {
  Selected found;
  for (const Parameter& parameter : parameters) {
    if (parameter.name == text) return {&parameter, found.first};
    found.first += parameter.coordinates();
  }
  found.first = 0;
  for (const Parameter& parameter : parameters) {
    if (const auto inside = between_brackets(parameter.name, text))
      return {&parameter, found.first, slices_of(parameter, labels, *inside, text)};
    found.first += parameter.coordinates();
  }
  refuse_name(parameters, text);
}

/// "a, b[0], b[1], ... (12 in all)".
std::string first_few(const std::vector<std::string>& names) {
  constexpr std::ptrdiff_t most = 5;
  const auto end = names.begin() + std::min(std::ssize(names), most);
  const std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  return end == names.end() ? text : text + fmt::format(", ... ({} in all)", names.size());
}

/// Finds the coordinate of each column.
class CoordinateNames {
 public:
  explicit CoordinateNames(const Model& model)
      : parameters_(model.parameters()),
        labels_(model.labels()),
        names_(coordinate_names(parameters_)) {
    for (const std::string& name : names_) places_.emplace(name, std::ssize(places_));
  }

  const std::vector<std::string>& names() const noexcept { return names_; }

  Index location_of(const std::string& column) const {
    const auto found = places_.find(column);
    return found != places_.end() ? found->second : selected(column);
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(why + ". Give the columns the names of the coordinates, in any order: " +
                     first_few(names_));
  }

 private:
  Index selected(const std::string& column) const {
    const std::vector<Index> coordinates = selection(column);
    if (coordinates.size() == 1) return coordinates.front();
    refuse(fmt::format("the column \"{}\" names {} coordinates instead of one", column,
                       coordinates.size()));
  }

  std::vector<Index> selection(const std::string& column) const {
    try {
      return select_coordinates(parameters_, selection_by_numbers(parameters_, labels_, column));
    } catch (const InputError& fault) {
      refuse(fmt::format("the column \"{}\": {}", column, fault.what()));
    }
  }

  std::vector<Parameter> parameters_;
  std::vector<Labels> labels_;
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, Index> places_;
};

}  // namespace

std::string selection_by_numbers(const std::vector<Parameter>& parameters,
                                 const std::vector<Labels>& labels, const std::string& text) {
  const Selected found = select(parameters, labels, text);
  const bool has_labels = std::any_of(found.slices.begin(), found.slices.end(),
                                      [](const Slice& one) { return one.is_label; });
  return has_labels ? text_by_numbers(found.parameter->name, found.slices) : text;
}

std::vector<Index> select_coordinates(const std::vector<Parameter>& parameters,
                                      const std::string& text) {
  const auto [parameter, first, slices] = select(parameters, {}, text);
  if (slices.empty()) return shifted(counted(parameter->coordinates()), first);
  return shifted(flat_indices(parameter->shape, slices), first);
}

std::vector<Index> select_coordinates(const std::vector<Parameter>& parameters,
                                      const std::vector<std::string>& texts) {
  std::vector<Index> all;
  for (const std::string& text : texts) {
    const std::vector<Index> more = select_coordinates(parameters, text);
    all.insert(all.end(), more.begin(), more.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Index> columns_of_coordinates(const Model& model,
                                          const std::vector<std::string>& columns) {
  const CoordinateNames known(model);
  const std::vector<std::string>& names = known.names();
  std::vector<Index> places(names.size(), -1);
  for (Index k = 0; k < std::ssize(columns); ++k) {
    const std::string& column = columns[static_cast<std::size_t>(k)];
    const auto coordinate = static_cast<std::size_t>(known.location_of(column));
    if (places[coordinate] >= 0)
      known.refuse(fmt::format("two columns name the coordinate `{}`", names[coordinate]));
    places[coordinate] = k;
  }
  const auto lacking = std::find(places.begin(), places.end(), -1);
  if (lacking != places.end())
    known.refuse(
        fmt::format("{} of {} coordinates have no column. The first of these coordinates is `{}`",
                    std::count(places.begin(), places.end(), -1), names.size(),
                    names[static_cast<std::size_t>(lacking - places.begin())]));
  return places;
}

}  // namespace mixwell
