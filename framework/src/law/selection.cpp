// Parts of a model's parameters by name and slice.
// SPDX-License-Identifier: Apache-2.0
#include "law/labelled_selection.hpp"

#include <mixwell/error.hpp>
#include <mixwell/selection.hpp>

#include <algorithm>
#include <numeric>

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

/// The parameter that a text is about, its first coordinate, and what is taken of it.
struct Selected {
  const Parameter* parameter = nullptr;
  Index first = 0;
  std::vector<Slice> slices{};  ///< none: the whole
};

std::vector<Slice> slices_of(const Parameter& parameter, const std::vector<Labels>& labels,
                             std::string_view inside, const std::string& text) {
  if (!parameter.constraint.is_of_numbers())
    throw InputError("\"" + text + "\" is a part of `" + parameter.name +
                     "`, whose values constrain each other (" + parameter.constraint.text() +
                     "): name it as a whole");
  return read_slices(named_array(parameter, labels), inside, text);
}

[[noreturn]] void refuse_name(const std::vector<Parameter>& parameters, const std::string& text) {
  const std::size_t open = text.find('[');
  if (open != text.npos && text.back() != ']')
    throw InputError("\"" + text + "\" has a \"[\", and does not end with \"]\"");
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  const std::string name = text.substr(0, open);
  throw InputError("the model has no parameter \"" + name + "\"" + suggestion(name, names));
}

/// A name as a whole goes before brackets, which names may have themselves.
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

}  // namespace mixwell
