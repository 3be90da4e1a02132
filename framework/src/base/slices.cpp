// Parses texts such as b[2,3], which select array elements by index, slice or label.
// SPDX-License-Identifier: Apache-2.0
#include "base/slices.hpp"

#include "base/split.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace mixwell {
namespace {

std::vector<std::string_view> trimmed_parts(std::string_view text, char separator) {
  std::vector<std::string_view> parts = split(text, separator);
  for (std::string_view& part : parts) part = trimmed(part);
  return parts;
}

/// The result of reading the part for one dimension.
struct SliceReading {
  Slice slice{};
  std::string broken_rule{};  ///< why the part is not a slice; "" if it is one
};

SliceReading broken(std::string rule) { return {{}, std::move(rule)}; }

std::optional<Index> number(std::string_view part) {
  Index value = 0;
  const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (fault != std::errc() || end != part.data() + part.size()) return std::nullopt;
  return value;
}

/// Reads the text between the brackets after the name of an array.
class SliceReader {
 public:
  SliceReader(const NamedArray& array, const std::string& text) : array_(array), text_(text) {}

  std::vector<Slice> read(std::string_view inside) const {
    std::vector<Slice> found;
    if (!go_through(inside, found)) refuse_parts(inside);
    for (std::size_t k = found.size(); k < array_.shape.size(); ++k)
      found.push_back({0, array_.shape[k], 1});
    return found;
  }

 private:
  [[noreturn]] void refuse(const std::string& rule) const {
    throw InputError("\"" + text_ + "\" " + rule);
  }

  const std::vector<std::string>* labels_of(std::size_t k) const {
    return array_.labels.empty() ? nullptr : array_.labels[k];
  }

  /// Reads the dimensions from number found.size() on. If that fails, `found` is unchanged.
  bool go_through(std::string_view rest, std::vector<Slice>& found) const {
    const std::size_t k = found.size();
    if (k == array_.shape.size()) return false;
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const SliceReading reading = by_numbers(trimmed(rest.substr(0, comma)), array_.shape[k]);
    if (reading.broken_rule.empty() && go_on(rest.substr(comma), reading.slice, found)) return true;
    return labels_of(k) != nullptr && go_through_labels(rest, *labels_of(k), found);
  }

  bool go_through_labels(std::string_view rest, const std::vector<std::string>& labels,
                         std::vector<Slice>& found) const {
    const std::string_view word = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
    for (const std::string_view from : {rest, word})
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto at = static_cast<Index>(i);
        if (from.starts_with(labels[i]) &&
            go_on(from.substr(labels[i].size()), {at, at + 1, 1, true}, found))
          return true;
      }
    return false;
  }

  /// `behind`: the text that follows `slice`.
  bool go_on(std::string_view behind, const Slice& slice, std::vector<Slice>& found) const {
    behind = trimmed(behind);
    found.push_back(slice);
    if (behind.empty()) return true;
    if (behind.front() == ',' && go_through(behind.substr(1), found)) return true;
    found.pop_back();
    return false;
  }

  /// Names the first part that is wrong.
  [[noreturn]] void refuse_parts(std::string_view inside) const {
    const bool is_one_word = array_.shape.size() == 1 && labels_of(0) != nullptr;
    const std::vector<std::string_view> parts =
        is_one_word ? std::vector{trimmed(inside)} : trimmed_parts(inside, ',');
    if (parts.size() > array_.shape.size())
      refuse("gives " + std::to_string(parts.size()) + " indices, but " + shape_text() +
             ". Give at most one index for each dimension");
    for (std::size_t k = 0; k < parts.size(); ++k) {
      std::vector<Slice> before(k);
      if (!go_through(parts[k], before)) refuse_part(parts[k], k);
    }
    refuse(
        "has brackets that Mixwell cannot read. Give one index, slice or label for each dimension");
  }

  [[noreturn]] void refuse_part(std::string_view part, std::size_t k) const {
    const std::vector<std::string>* const labels = labels_of(k);
    const std::string rule = by_numbers(part, array_.shape[k]).broken_rule;
    if (labels == nullptr) refuse(rule);
    const bool has_digits_alone =
        !part.empty() && part.find_first_not_of("0123456789-: ") == part.npos;
    refuse((has_digits_alone
                ? rule + ". \"" + std::string(part) + "\" is not a label either"
                : "has \"" + std::string(part) + "\", which must be an index, a slice or a label") +
           suggestion(part, *labels));
  }

  std::string shape_text() const {
    if (array_.shape.empty()) return "`" + array_.name + "` is a scalar";
    return fmt::format("`{}` has the shape [{}]", array_.name, fmt::join(array_.shape, ", "));
  }

  /// Reads an index, counted from the end if negative. `most` is the largest that is allowed here.
  std::string set_place(std::string_view part, Index length, Index most, Index& place) const {
    const std::optional<Index> given = number(part);
    if (!given)
      return "has \"" + std::string(part) +
             "\", which must be an index or a slice, such as 3, 0:10, ::2 or :";
    place = *given < 0 ? *given + length : *given;
    if (place >= 0 && place <= most) return {};
    return "is out of range: index " + std::string(part) + " is outside a dimension of length " +
           std::to_string(length) + ", because " + shape_text() + " and indices start at 0";
  }

  SliceReading by_numbers(std::string_view part, Index length) const {
    const std::vector<std::string_view> ends = trimmed_parts(part, ':');
    if (ends.size() > 3)
      return broken("has more than two colons in a slice. Write the slice as first:end:step");
    if (ends.size() > 1) return by_ends(ends, length);
    SliceReading one;
    one.broken_rule = set_place(part, length, length - 1, one.slice.first);
    one.slice.end = one.slice.first + 1;
    return one;
  }

  SliceReading by_ends(const std::vector<std::string_view>& ends, Index length) const {
    Slice slice{0, length, 1};
    for (std::size_t k = 0; k < 2; ++k) {
      Index& place = k == 0 ? slice.first : slice.end;
      std::string rule = ends[k].empty() ? "" : set_place(ends[k], length, length, place);
      if (!rule.empty()) return broken(std::move(rule));
    }
    if (ends.size() == 3 && !ends[2].empty()) slice.step = number(ends[2]).value_or(0);
    if (slice.step < 1)
      return broken("has a step that is not positive. The step of a slice must be at least 1");
    if (slice.first >= slice.end)
      return broken(
          "selects nothing. A slice first:end does not include `end`, so `end` must come after "
          "`first`");
    return {slice, {}};
  }

  const NamedArray& array_;
  const std::string& text_;
};

}  // namespace

std::optional<std::string_view> between_brackets(std::string_view name, std::string_view text) {
  if (!text.starts_with(name)) return std::nullopt;
  const std::string_view behind = trimmed(text.substr(name.size()));
  if (behind.size() < 2 || behind.front() != '[' || behind.back() != ']') return std::nullopt;
  return behind.substr(1, behind.size() - 2);
}

std::vector<Slice> read_slices(const NamedArray& array, std::string_view inside,
                               const std::string& text) {
  return SliceReader(array, text).read(inside);
}

std::vector<Index> flat_indices(const std::vector<Index>& shape, const std::vector<Slice>& slices) {
  std::vector<Index> found{0};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::vector<Index> finer;
    for (const Index before : found)
      for (Index i = slices[k].first; i < slices[k].end; i += slices[k].step)
        finer.push_back(before * shape[k] + i);
    found = std::move(finer);
  }
  return found;
}

std::string text_by_numbers(const std::string& name, const std::vector<Slice>& slices) {
  std::string inside;
  for (const Slice& slice : slices) {
    inside += (inside.empty() ? "" : ",") + std::to_string(slice.first);
    if (slice.end == slice.first + 1) continue;
    inside += ":" + std::to_string(slice.end);
    if (slice.step != 1) inside += ":" + std::to_string(slice.step);
  }
  return name + "[" + inside + "]";
}

}  // namespace mixwell
