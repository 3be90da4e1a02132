// Converts elements of recorded arrays to names such as x[3] or x[Ulm], and names to elements.
// SPDX-License-Identifier: Apache-2.0
#include "results/element_names.hpp"

#include "base/slices.hpp"

#include <numeric>

namespace mixwell {
namespace {

/// The label of index i of dimension k, or the number if there is no label.
std::string place_text(const Column& column, std::size_t k, Index i,
                       const std::vector<Labels>& labels) {
  const std::vector<std::string>* const known =
      column.dims.empty() ? nullptr : labels_of(column.dims[k], labels);
  return known == nullptr ? std::to_string(i) : (*known)[static_cast<std::size_t>(i)];
}

/// Joins text_of(k, i) for the index i of every dimension k.
template <class TextOf>
std::string in_brackets(const std::vector<Index>& indices, const TextOf& text_of) {
  if (indices.empty()) return {};
  std::string text;
  for (std::size_t k = 0; k < indices.size(); ++k)
    text += (k == 0 ? "[" : ",") + text_of(k, indices[k]);
  return text + "]";
}

std::vector<Index> all_elements(const Column& column) {
  std::vector<Index> all(static_cast<std::size_t>(column.size()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

}  // namespace

std::vector<Index> indices_of(const Column& column, Index element) {
  std::vector<Index> indices(column.shape.size());
  for (std::size_t k = column.shape.size(); k-- > 0;) {
    indices[k] = element % column.shape[k];
    element /= column.shape[k];
  }
  return indices;
}

std::string subscript(const std::vector<Index>& indices) {
  return in_brackets(indices, [](std::size_t, Index i) { return std::to_string(i); });
}

std::string element_name(const Column& column, Index element) {
  return column.name + subscript(indices_of(column, element));
}

std::string labelled_name(const Column& column, Index element, const std::vector<Labels>& labels) {
  return column.name + in_brackets(indices_of(column, element), [&](std::size_t k, Index i) {
           return place_text(column, k, i, labels);
         });
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
