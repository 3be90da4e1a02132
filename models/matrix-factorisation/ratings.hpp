// Reads ratings of items by users from MovieLens files, and splits them into folds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace mixwell::factorisation {

/// N ratings, in rising order of user and then item.
struct Ratings {
  std::vector<Index> users;  ///< index of each rating's user among the ids
  std::vector<Index> items;
  Eigen::VectorXd values;

  Index size() const noexcept { return values.size(); }
};

/// The ids of users and items, in rising order.
struct Ids {
  std::vector<std::int64_t> users;
  std::vector<std::int64_t> items;
};

/// A line of the file.
struct RatingLine {
  std::int64_t user = 0;
  std::int64_t item = 0;
  double value = 0.0;
  std::string place{};
};

namespace detail {

template <class Number>
std::optional<Number> spelled(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// The separator of a file's fields, from its first line: `::`, a tab or a comma.
inline std::string_view separator_of(std::string_view line) {
  for (const std::string_view one : {"::", "\t"})
    if (line.find(one) != std::string_view::npos) return one;
  return ",";
}

inline std::vector<std::string_view> fields_of(std::string_view line, std::string_view separator) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t end = line.find(separator, at);
    fields.push_back(line.substr(at, end == std::string_view::npos ? end : end - at));
    at = end == std::string_view::npos ? end : end + separator.size();
  }
  return fields;
}

/// Whether this is the first line of a MovieLens CSV file.
inline bool is_header(std::string_view line) {
  const auto fields = fields_of(line, ",");
  return fields.size() >= 3 && fields[0] == "userId" && fields[1] == "movieId" &&
         fields[2] == "rating";
}

inline RatingLine rating_line(const TextLines& lines, std::string_view separator) {
  const std::vector<std::string_view> fields = fields_of(lines.line(), separator);
  if (fields.size() == 3 || fields.size() == 4) {
    const auto user = spelled<std::int64_t>(fields[0]);
    const auto item = spelled<std::int64_t>(fields[1]);
    const auto value = spelled<double>(fields[2]);
    if (user && item && value && std::isfinite(*value))
      return {*user, *item, *value, lines.place()};
  }
  throw InputError(
      lines.place() + ": \"" + lines.line().substr(0, 60) +
      "\" is not a rating. A line must have a user, an item, a rating and optionally a time stamp. "
      "Separate these fields with \"::\", a tab or a comma, as in the first line. User and item "
      "must be whole numbers, and the rating must be finite. The first line may be the header "
      "userId,movieId,rating,timestamp; no other header is accepted.");
}

inline std::vector<std::int64_t> different(std::vector<std::int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// The index of `id` in the sorted `ids`, or -1.
inline Index location_of(const std::vector<std::int64_t>& ids, std::int64_t id) {
  const auto found = std::lower_bound(ids.begin(), ids.end(), id);
  return found == ids.end() || *found != id ? -1 : found - ids.begin();
}

}  // namespace detail

/// The lines of a MovieLens file (ratings.dat, u.data or ratings.csv), in rising order of user and
/// item. Throws InputError for a line that is not a rating, for an item that a user rates twice,
/// and if there are no ratings.
inline std::vector<RatingLine> read_ratings(const std::string& path) {
  TextLines lines(path, "lines user::item::rating");
  std::vector<RatingLine> all;
  std::string_view separator;
  for (bool is_first = true; lines.next(); is_first = false) {
    if (is_first) separator = detail::separator_of(lines.line());
    if (!is_first || !detail::is_header(lines.line()))
      all.push_back(detail::rating_line(lines, separator));
  }
  if (all.empty())
    throw InputError(path +
                     ": the file contains no ratings. Write each rating as a line of the form "
                     "user::item::rating.");
  const auto key = [](const RatingLine& one) { return std::tie(one.user, one.item); };
  std::stable_sort(all.begin(), all.end(),
                   [key](const RatingLine& a, const RatingLine& b) { return key(a) < key(b); });
  const auto twice = std::adjacent_find(
      all.begin(), all.end(),
      [key](const RatingLine& a, const RatingLine& b) { return key(a) == key(b); });
  if (twice != all.end())
    throw InputError((twice + 1)->place + ": user " + std::to_string(twice->user) +
                     " has already rated item " + std::to_string(twice->item) + ", at " +
                     twice->place + ". Keep only one of these two lines.");
  return all;
}

inline Ids ids_of(const std::vector<RatingLine>& lines) {
  Ids ids;
  for (const RatingLine& one : lines) {
    ids.users.push_back(one.user);
    ids.items.push_back(one.item);
  }
  return {detail::different(std::move(ids.users)), detail::different(std::move(ids.items))};
}

/// Throws InputError for a user or an item that is not in `ids`.
inline Ratings ratings_of(const std::vector<RatingLine>& lines, const Ids& ids) {
  Ratings ratings;
  ratings.values.resize(std::ssize(lines));
  const auto place = [](const std::vector<std::int64_t>& known, std::int64_t id,
                        const std::string& what, const RatingLine& line) {
    const Index found = detail::location_of(known, id);
    if (found < 0)
      throw InputError(line.place + ": " + what + " " + std::to_string(id) +
                       " has no rating in the training data, so nothing is known about it. Remove "
                       "the line, or train on data that include this user or item.");
    return found;
  };
  for (const RatingLine& line : lines) {
    ratings.values[std::ssize(ratings.users)] = line.value;
    ratings.users.push_back(place(ids.users, line.user, "user", line));
    ratings.items.push_back(place(ids.items, line.item, "item", line));
  }
  return ratings;
}

/// Holds out one fold of k. A random permutation assigns ratings to folds, so their sizes differ by
/// at most one.
struct Fold {
  std::int64_t folds = 1;  ///< 1 = nothing is held out
  std::int64_t fold = 0;
  std::int64_t seed = 1;
};

struct Split {
  Ratings training;
  Ratings test;
};

/// Rating n uses word n of replicate 0 in the stream (seed, "matrix-factorisation/folds"). In
/// rising order of words, ratings belong to folds 0, 1, ..., k - 1, 0, 1, ...
inline Split split(const Ratings& all, const Fold& fold) {
  Eigen::Matrix<std::uint64_t, Eigen::Dynamic, Eigen::Dynamic> words(all.size(), 1);
  Stream(static_cast<std::uint64_t>(fold.seed), "matrix-factorisation/folds").words({}, words);
  std::vector<Index> order(static_cast<std::size_t>(all.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&words](Index a, Index b) { return words(a, 0) < words(b, 0); });
  std::vector<bool> held_out(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    held_out[static_cast<std::size_t>(order[k])] =
        fold.folds > 1 && static_cast<std::int64_t>(k) % fold.folds == fold.fold;
  Split parts;
  std::vector<double> values[2];
  for (std::size_t n = 0; n < order.size(); ++n) {
    Ratings& part = held_out[n] ? parts.test : parts.training;
    part.users.push_back(all.users[n]);
    part.items.push_back(all.items[n]);
    values[held_out[n]].push_back(all.values[static_cast<Index>(n)]);
  }
  parts.training.values = Eigen::VectorXd::Map(values[0].data(), std::ssize(values[0]));
  parts.test.values = Eigen::VectorXd::Map(values[1].data(), std::ssize(values[1]));
  return parts;
}

/// A sentence about the `ids` that have no training rating; "" if there are none.
inline std::string remark_on_unrated(const std::vector<std::int64_t>& ids,
                                     const std::vector<Index>& rated, const std::string& what) {
  std::vector<bool> seen(ids.size());
  for (const Index one : rated) seen[static_cast<std::size_t>(one)] = true;
  std::string names;
  Index missing = 0;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (seen[k]) continue;
    if (++missing <= 5) names += (missing == 1 ? "" : ", ") + std::to_string(ids[k]);
  }
  if (missing == 0) return {};
  return std::to_string(missing) + " of " + std::to_string(ids.size()) + " " + what +
         " have no rating outside the held-out fold (" + names + (missing > 5 ? ", ..." : "") +
         "). Predictions for these use only the prior.";
}

}  // namespace mixwell::factorisation
