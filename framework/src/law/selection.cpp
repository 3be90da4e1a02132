// Parts of a model's parameters by name and slice.
// SPDX-License-Identifier: Apache-2.0
#include "base/split.hpp"

#include <mixwell/error.hpp>
#include <mixwell/selection.hpp>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

namespace mixwell {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> trimmed_parts(std::string_view text, char separator) {
  std::vector<std::string_view> parts = split(text, separator);
  for (std::string_view& part : parts) part = trimmed(part);
  return parts;
}

/// Positions along one dimension: first, first + step, ... below end.
struct Range {
  Index first;
  Index end;
  Index step;
};

/// Reads what stands between the brackets after one parameter's name.
class Slices {
 public:
  Slices(const Parameter& parameter, const std::string& text)
      : parameter_(parameter), text_(text) {}

  std::vector<Range> read(std::string_view inside) const {
    if (!parameter_.constraint.is_of_numbers()) {
      refuse("is a part of `" + parameter_.name + "`, whose values constrain each other (" +
             parameter_.constraint.text() + "): name it as a whole");
    }
    const std::vector<std::string_view> parts = trimmed_parts(inside, ',');
    if (parts.size() > parameter_.shape.size()) {
      refuse("gives " + std::to_string(parts.size()) + " indices, and " + shape_text());
    }
    std::vector<Range> ranges = whole();
    for (std::size_t k = 0; k < parts.size(); ++k) ranges[k] = range(parts[k], ranges[k].end);
    return ranges;
  }

  std::vector<Range> whole() const {
    std::vector<Range> ranges;
    for (const Index length : parameter_.shape) ranges.push_back({0, length, 1});
    return ranges;
  }

 private:
  [[noreturn]] void refuse(const std::string& rule) const {
    throw InputError("\"" + text_ + "\" " + rule);
  }

  std::string shape_text() const {
    if (parameter_.shape.empty()) return "`" + parameter_.name + "` is a scalar";
    std::string text = "`" + parameter_.name + "` has the shape [";
    for (const Index length : parameter_.shape) {
      text += (text.back() == '[' ? "" : ", ") + std::to_string(length);
    }
    return text + "]";
  }

  Index number(std::string_view part) const {
    Index value = 0;
    const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (fault != std::errc() || end != part.data() + part.size()) {
      refuse("has \"" + std::string(part) +
             "\" where an index or a slice stands, such as 3, 0:10, "
             "::2 or :");
    }
    return value;
  }

  /// From the end where negative; `most` is the largest that may stand here.
  Index place(std::string_view part, Index length, Index most) const {
    const Index given = number(part);
    const Index value = given < 0 ? given + length : given;
    if (value < 0 || value > most) {
      refuse("goes beyond the array: " + std::string(part) + " of " + std::to_string(length) +
             ", and " + shape_text());
    }
    return value;
  }

  Range range(std::string_view part, Index length) const {
    const std::vector<std::string_view> ends = trimmed_parts(part, ':');
    if (ends.size() > 3) refuse("has more than two colons in a slice");
    if (ends.size() == 1) {
      const Index at = place(part, length, length - 1);
      return {at, at + 1, 1};
    }
    Range found{0, length, 1};
    if (!ends[0].empty()) found.first = place(ends[0], length, length);
    if (!ends[1].empty()) found.end = place(ends[1], length, length);
    if (ends.size() == 3 && !ends[2].empty()) found.step = number(ends[2]);
    if (found.step < 1) refuse("has a step that is not positive; it goes upwards, by at least 1");
    if (found.first >= found.end) {
      refuse("selects nothing: its end, which is not part of it, must be above its beginning");
    }
    return found;
  }

  const Parameter& parameter_;
  const std::string& text_;
};

/// Flat indices of an array, last dimension fastest, ascending.
std::vector<Index> flat(const std::vector<Index>& shape, const std::vector<Range>& ranges) {
  std::vector<Index> found{0};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::vector<Index> finer;
    for (const Index before : found) {
      for (Index i = ranges[k].first; i < ranges[k].end; i += ranges[k].step) {
        finer.push_back(before * shape[k] + i);
      }
    }
    found = std::move(finer);
  }
  return found;
}

std::vector<Index> counted(Index count) {
  std::vector<Index> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), Index{0});
  return indices;
}

std::vector<Index> shifted(std::vector<Index> indices, Index first) {
  for (Index& i : indices) i += first;
  return indices;
}

/// What stands between the last pair of brackets, if the text ends with one.
std::optional<std::pair<std::string, std::string_view>> bracketed(const std::string& text) {
  const std::size_t open = text.rfind('[');
  if (open == std::string::npos || text.back() != ']') return std::nullopt;
  const std::string_view inside(text.data() + open + 1, text.size() - open - 2);
  return std::pair(std::string(trimmed(std::string_view(text).substr(0, open))), inside);
}

}  // namespace

std::vector<Index> select_coordinates(const std::vector<Parameter>& parameters,
                                      const std::string& text) {
  const auto sliced = bracketed(text);
  std::vector<std::string> names;
  Index first = 0;
  for (const Parameter& parameter : parameters) {
    if (parameter.name == text) return shifted(counted(parameter.coordinates()), first);
    const Slices slices(parameter, text);
    if (sliced && parameter.name == sliced->first) {
      return shifted(flat(parameter.shape, slices.read(sliced->second)), first);
    }
    names.push_back(parameter.name);
    first += parameter.coordinates();
  }
  if (!sliced && text.find('[') != std::string::npos) {
    throw InputError("\"" + text + "\" has a \"[\", and does not end with \"]\"");
  }
  const std::string& name = sliced ? sliced->first : text;
  throw InputError("the model has no parameter \"" + name + "\"" + suggestion(name, names));
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
