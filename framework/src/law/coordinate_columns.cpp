// Columns of a table of positions, by the names of a model's coordinates.
// SPDX-License-Identifier: Apache-2.0
#include "law/labelled_selection.hpp"

#include <mixwell/error.hpp>
#include <mixwell/selection.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace mixwell {
namespace {

/// "a, b[0], b[1], ... (12 in all)".
std::string first_few(const std::vector<std::string>& names) {
  constexpr std::ptrdiff_t most = 5;
  const auto end = names.begin() + std::min(std::ssize(names), most);
  const std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  return end == names.end() ? text : text + fmt::format(", ... ({} in all)", names.size());
}

/// Which coordinate a column is of.
class CoordinateNames {
 public:
  explicit CoordinateNames(const Model& model)
      : parameters_(model.parameters()),
        labels_(model.labels()),
        names_(coordinate_names(parameters_)) {
    for (const std::string& name : names_) places_.emplace(name, std::ssize(places_));
  }

  const std::vector<std::string>& names() const noexcept { return names_; }

  Index place_of(const std::string& column) const {
    const auto found = places_.find(column);
    return found != places_.end() ? found->second : selected(column);
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(
        why + "; the columns are named as the coordinates, in any order: " + first_few(names_));
  }

 private:
  Index selected(const std::string& column) const {
    const std::vector<Index> coordinates = selection(column);
    if (coordinates.size() == 1) return coordinates.front();
    refuse(fmt::format("the column \"{}\" names {} coordinates", column, coordinates.size()));
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

std::vector<Index> columns_of_coordinates(const Model& model,
                                          const std::vector<std::string>& columns) {
  const CoordinateNames known(model);
  const std::vector<std::string>& names = known.names();
  std::vector<Index> places(names.size(), -1);
  for (Index k = 0; k < std::ssize(columns); ++k) {
    const std::string& column = columns[static_cast<std::size_t>(k)];
    const auto coordinate = static_cast<std::size_t>(known.place_of(column));
    if (places[coordinate] >= 0)
      known.refuse(fmt::format("two columns name the coordinate `{}`", names[coordinate]));
    places[coordinate] = k;
  }
  const auto lacking = std::find(places.begin(), places.end(), -1);
  if (lacking != places.end())
    known.refuse(fmt::format("no column for {} of {} coordinates, the first of them `{}`",
                             std::count(places.begin(), places.end(), -1), names.size(),
                             names[static_cast<std::size_t>(lacking - places.begin())]));
  return places;
}

}  // namespace mixwell
