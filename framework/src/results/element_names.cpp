// What elements of recorded arrays are called, by numbers or by labels, and which one a name means.
// SPDX-License-Identifier: Apache-2.0
#include "results/element_names.hpp"

#include "base/slices.hpp"

#include <numeric>

namespace mixwell {
namespace {

/// Number i of dimension k, or what it is called.
std::string place_text(const Column& column, std::size_t k, Index i,
                       const std::vector<Labels>& labels) {
  const std::vector<std::string>* const known =
      column.dims.empty() ? nullptr : labels_of(column.dims[k], labels);
  return known == nullptr ? std::to_string(i) : (*known)[static_cast<std::size_t>(i)];
}

std::vector<Index> all_elements(const Column& column) {
  std::vector<Index> all(static_cast<std::size_t>(column.size()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

}  // namespace

std::string element_name(const Column& column, Index element) {
  return labelled_name(column, element, {});
}

std::string labelled_name(const Column& column, Index element, const std::vector<Labels>& labels) {
  std::string indices;
  for (std::size_t k = column.shape.size(); k-- > 0;) {
    const std::string index = place_text(column, k, element % column.shape[k], labels);
    indices = indices.empty() ? index : index + "," + indices;
    element /= column.shape[k];
  }
  return column.shape.empty() ? column.name : column.name + "[" + indices + "]";
}

std::optional<NamedElements> elements_called(const std::vector<Column>& columns,
                                             const std::string& text,
                                             const std::vector<Labels>& labels) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].name == text) return NamedElements{c, all_elements(columns[c])};
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (const auto inside = between_brackets(columns[c].name, text)) {
      const auto slices = read_slices(named_array(columns[c], labels), *inside, text);
      return NamedElements{c, flat_indices(columns[c].shape, slices)};
    }
  return std::nullopt;
}

}  // namespace mixwell
