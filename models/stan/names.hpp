// Groups the names of a program's values into arrays. A library lists one name for each element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::stan {

/// "theta.1.2" is element (0, 1) of the array "theta". In "t.3:2.1" the words between dots that are
/// numbers are indices, and the rest is the name: element (2, 0) of "t:2", the second member of a
/// tuple.
struct Element {
  std::string name;
  std::vector<Index> indices;  ///< from 0
};

inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; !text.empty() && from != std::string_view::npos;) {
    const std::size_t to = text.find(separator, from);
    parts.emplace_back(text.substr(from, to == std::string_view::npos ? to : to - from));
    from = to == std::string_view::npos ? to : to + 1;
  }
  return parts;
}

namespace detail {

/// An index from 1, or a smaller number if the word is not an index.
inline Index index_in(std::string_view word) {
  Index value = 0;
  const char* const end = word.data() + word.size();
  return word.size() <= 10 && std::from_chars(word.data(), end, value).ptr == end ? value : 0;
}

/// Adds the words of ".1.2" after a name or a member of a tuple.
inline void add_words(std::string_view words, Element& element) {
  for (const std::string& word : split(words, '.')) {
    if (const Index index = index_in(word); index > 0) {
      element.indices.push_back(index - 1);
    } else {
      element.name += "." + word;
    }
  }
}

}  // namespace detail

inline Element element_of(const std::string& text) {
  Element element;
  for (const std::string& member : split(text, ':')) {
    const std::size_t dot = member.find('.');
    element.name += (element.name.empty() ? "" : ":") + member.substr(0, dot);
    if (dot != std::string::npos)
      detail::add_words(std::string_view(member).substr(dot + 1), element);
  }
  return element;
}

/// The arrays of a list of elements, and the position of each element in them, one array after the
/// other with the last index fastest. Stan lists elements with the first index fastest; this class
/// only assumes that each element appears once.
class Arrays {
 public:
  /// `names`: comma-separated. Throws std::invalid_argument with the wrong name if the list is not
  /// a list of elements of arrays.
  explicit Arrays(std::string_view names) {
    std::map<std::string, std::size_t> known;
    std::vector<std::pair<std::size_t, Element>> elements;
    for (const std::string& text : split(names, ',')) {
      Element element = element_of(text);
      const auto [at, is_new] = known.emplace(element.name, arrays_.size());
      if (is_new)
        arrays_.push_back(
            {.name = element.name, .shape = std::vector<Index>(element.indices.size(), 0)});
      widen(arrays_[at->second], element);
      elements.emplace_back(at->second, std::move(element));
    }
    place(elements);
  }

  const std::vector<Parameter>& arrays() const noexcept { return arrays_; }
  Index size() const noexcept { return static_cast<Index>(places_.size()); }
  /// Writes out(position of k) = listed[k].
  void arrange(const double* listed, double* out) const {
    for (std::size_t k = 0; k < places_.size(); ++k) out[places_[k]] = listed[k];
  }
  /// The inverse.
  void list(const double* arranged, double* out) const {
    for (std::size_t k = 0; k < places_.size(); ++k) out[k] = arranged[places_[k]];
  }

 private:
  [[noreturn]] static void refuse(const Element& element, const char* why) {
    throw std::invalid_argument("an element of `" + element.name + "` " + why +
                                ". Compile the library again.");
  }

  static void widen(Parameter& array, const Element& element) {
    if (array.shape.size() != element.indices.size())
      refuse(element, "has a different number of indices than the elements before it");
    for (std::size_t k = 0; k < array.shape.size(); ++k)
      array.shape[k] = std::max(array.shape[k], element.indices[k] + 1);
  }

  static Index flat(const Parameter& array, const Element& element) {
    Index at = 0;
    for (std::size_t k = 0; k < array.shape.size(); ++k)
      at = at * array.shape[k] + element.indices[k];
    return at;
  }

  void place(const std::vector<std::pair<std::size_t, Element>>& elements) {
    std::vector<Index> first(arrays_.size(), 0);
    Index total = 0;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      first[k] = total;
      total += arrays_[k].size();
    }
    if (total != static_cast<Index>(elements.size()))
      throw std::invalid_argument(
          "the names that the library lists do not form complete arrays. Compile the library "
          "again.");
    std::vector<bool> taken(elements.size(), false);
    for (const auto& [array, element] : elements) {
      const Index at = first[array] + flat(arrays_[array], element);
      if (taken[static_cast<std::size_t>(at)]) refuse(element, "is listed twice");
      taken[static_cast<std::size_t>(at)] = true;
      places_.push_back(at);
    }
  }

  std::vector<Parameter> arrays_;
  std::vector<Index> places_;
};

}  // namespace mixwell::stan
