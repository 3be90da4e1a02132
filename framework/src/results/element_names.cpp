// What elements of recorded arrays are called, by numbers or by labels, and which one a name means.
// SPDX-License-Identifier: Apache-2.0
#include "results/element_names.hpp"

#include <charconv>
#include <string_view>

namespace mixwell {
namespace {

/// Number i of dimension k, or what it is called.
std::string place_text(const Column& column, std::size_t k, Index i,
                       const std::vector<Labels>& labels) {
  const std::vector<std::string>* const known = labels_of(column, k, labels);
  return known == nullptr ? std::to_string(i) : (*known)[static_cast<std::size_t>(i)];
}

/// Reads the indices of an array's element, dimension after dimension.
class IndexReader {
 public:
  IndexReader(const Column& column, const std::vector<Labels>& labels)
      : column_(column), labels_(labels) {}

  /// Of what stands between the brackets. Labels may have commas: what begins like one and goes on
  /// otherwise is tried as another.
  std::optional<Index> element(std::string_view text) const { return element(text, 0, 0); }

 private:
  /// `before`: the place among the elements of the dimensions that are read, of which there are k.
  std::optional<Index> element(std::string_view rest, std::size_t k, Index before) const {
    const Index extent = column_.shape[k];
    const auto go_on = [&](std::size_t length, Index index) -> std::optional<Index> {
      const Index place = before * extent + index;
      const bool is_last = k + 1 == column_.shape.size();
      if (is_last) return length == rest.size() ? std::optional(place) : std::nullopt;
      if (length >= rest.size() || rest[length] != ',') return std::nullopt;
      return element(rest.substr(length + 1), k + 1, place);
    };
    Index number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const auto length = static_cast<std::size_t>(end - rest.data());
    if (error == std::errc() && number >= 0 && number < extent &&
        std::to_string(number) == rest.substr(0, length))
      if (const auto found = go_on(length, number)) return found;
    const std::vector<std::string>* const known = labels_of(column_, k, labels_);
    if (known == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < known->size(); ++i)
      if (rest.starts_with((*known)[i]))
        if (const auto found = go_on((*known)[i].size(), static_cast<Index>(i))) return found;
    return std::nullopt;
  }

  const Column& column_;
  const std::vector<Labels>& labels_;
};

}  // namespace

const std::vector<std::string>* labels_of(const Column& column, std::size_t k,
                                          const std::vector<Labels>& labels) {
  if (column.dims.empty()) return nullptr;
  for (const Labels& one : labels)
    if (one.dim == column.dims[k]) return &one.labels;
  return nullptr;
}

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

std::optional<Index> element_called(const Column& column, const std::string& name,
                                    const std::vector<Labels>& labels) {
  const std::size_t brackets = column.name.size() + 1;
  if (column.shape.empty() || !name.starts_with(column.name + "[") || !name.ends_with("]"))
    return std::nullopt;
  const std::string_view inside(name.data() + brackets, name.size() - brackets - 1);
  return IndexReader(column, labels).element(inside);
}

}  // namespace mixwell
