// Checks that data have the names, shapes and types that a program declares. Mixwell does this
// itself, because engine `interpret` compares only the number of elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.hpp"
#include "declared.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::stan {

/// The parts of the check that Mixwell leaves to an engine.
struct Checked {
  std::vector<std::string> left_out{};  ///< variables without elements, not in the file
  /// The place of a declaration whose shape Mixwell cannot evaluate, and a description of this
  /// shape.
  std::optional<std::pair<Location, std::string>> unknown{};
};

/// Whether `given` matches the shape `wanted`, in which a negative length matches any length. As in
/// Stan, all shapes without elements match each other.
inline bool is_shape(const std::vector<Index>& given, const std::vector<Index>& wanted) {
  const auto has_none = [](const std::vector<Index>& shape) {
    return std::find(shape.begin(), shape.end(), 0) != shape.end();
  };
  return (has_none(given) && has_none(wanted)) ||
         std::equal(given.begin(), given.end(), wanted.begin(), wanted.end(),
                    [](Index a, Index b) { return b < 0 || a == b; });
}

/// Advice on what to write instead of `given`, after a blank, or "" if it is not clear.
inline std::string shape_cure(const std::vector<Index>& given, const std::vector<Index>& wanted) {
  const auto count = [](const std::vector<Index>& shape) {
    double n = 1;
    for (const Index length : shape) n *= static_cast<double>(length);
    return n;
  };
  if (std::equal(given.begin(), given.end(), wanted.rbegin(), wanted.rend()))
    return " The value seems to be transposed. Write a matrix as a list of its rows.";
  if (count(given) != count(wanted)) return {};
  if (wanted.empty()) return " Write the number without brackets.";
  if (wanted.size() == 1) return " Write one list of numbers without nested lists.";
  return given.size() < wanted.size() ? " Write the value as a list of rows. Each row is a list."
                                      : "";
}

namespace detail {

/// A variable, or a member of a tuple.
struct Leaf {
  std::string name;
  std::vector<Index> shape;  ///< -1 = unknown
  bool is_integer = false;
};

class DataCheck {
 public:
  /// `path`: the data file, or "" for none.
  DataCheck(const Program& program, const Declarations& declared, const Data& data,
            std::string path)
      : program_(program), declared_(declared), data_(data), path_(std::move(path)) {}

  /// Throws InputError if the data do not match the declarations, and ParameterError if the program
  /// needs data and there are none.
  Checked check() {
    for (const Declared& one : declared_.variables) check(one);
    if (!missing_.empty()) refuse_missing();
    if (declared_.unread)
      checked_.unknown = {*declared_.unread, "a declaration that Mixwell cannot read"};
    return std::move(checked_);
  }

 private:
  void check(const Declared& one) {
    std::vector<Leaf> leaves;
    add_leaves(one, one.type, {one.name, {}}, leaves);
    if (!data_.names.contains(one.name)) return check_missing(one, leaves);
    for (const Leaf& leaf : leaves) check(one, leaf);
    for (const NamedValues& kept : data_.kept)
      if (kept.name == one.name)
        known_[one.name] = {kept.shape, kept.values, one.type.word == "int"};
  }

  /// Leaves a variable that may have no elements to the engine, unless sizes are missing too.
  void check_missing(const Declared& one, const std::vector<Leaf>& leaves) {
    if (std::any_of(leaves.begin(), leaves.end(), has_no_elements))
      checked_.left_out.push_back(one.name);
    else if (!missing_.empty() || std::all_of(leaves.begin(), leaves.end(), is_known))
      missing_.push_back(one);
  }

  static bool is_known(const Leaf& leaf) {
    return std::find(leaf.shape.begin(), leaf.shape.end(), -1) == leaf.shape.end();
  }
  static bool has_no_elements(const Leaf& leaf) {
    return std::find(leaf.shape.begin(), leaf.shape.end(), 0) != leaf.shape.end();
  }

  /// `outer`: the name, and the lengths of the surrounding arrays.
  void add_leaves(const Declared& one, const Type& type, Leaf outer, std::vector<Leaf>& leaves) {
    for (const Tokens size : type.sizes) outer.shape.push_back(length(one, size));
    if (type.is_complex) outer.shape.push_back(2);
    outer.is_integer = type.word == "int";
    if (type.members.empty()) return leaves.push_back(std::move(outer));
    for (std::size_t k = 0; k < type.members.size(); ++k)
      add_leaves(one, type.members[k], {outer.name + ":" + std::to_string(k + 1), outer.shape},
                 leaves);
  }

  Index length(const Declared& one, Tokens size) {
    const std::optional<double> value = size_of(size, known_);
    if (!value || *value > 1e15) return -1;
    if (*value < 0)
      throw InputError(one.where,
                       "the data in " + path_ + " give `" + one.text + "` a size of " +
                           std::to_string(static_cast<Index>(*value)) +
                           ", but a size must be at least 0. Correct the data or the declaration.");
    return static_cast<Index>(*value);
  }

  void check(const Declared& one, const Leaf& leaf) {
    if (std::count(leaf.shape.begin(), leaf.shape.end(), -1) > 1)
      checked_.unknown = {one.where, "sizes of `" + one.text + "` that Mixwell cannot evaluate"};
    const Given& given = given_for(one, leaf);
    if (!is_shape(given.shape, leaf.shape)) refuse(given, one, leaf);
    if (leaf.is_integer && !given.has_integers)
      throw InputError(given.where,
                       "`" + given.name + "` must have only integer values, because " +
                           declaration(one) +
                           ". Write integers without a decimal point or an exponent, in the range "
                           "-2147483648 to 2147483647.");
  }

  /// The file has an entry for the variable.
  const Given& given_for(const Declared& one, const Leaf& leaf) const {
    const Given* nearest = nullptr;
    for (const Given& given : data_.given) {
      if (given.name == leaf.name) return given;
      if (given.name.substr(0, given.name.find(':')) == one.name) nearest = &given;
    }
    if (nearest->name == one.name && has_no_elements(leaf) && is_shape(nearest->shape, {0}))
      return *nearest;
    const bool is_tuple = nearest->name != one.name;
    throw InputError(nearest->where, "`" + one.name + "` is " +
                                         (is_tuple ? "a tuple" : in_words(nearest->shape)) +
                                         ", but " + declaration(one) +
                                         ". Write a tuple as {\"1\": VALUE, \"2\": VALUE} with all "
                                         "its members. Use this form only for tuples.");
  }

  [[noreturn]] static void refuse(const Given& given, const Declared& one, const Leaf& leaf) {
    throw InputError(
        given.where,
        "`" + given.name + "` is " + in_words(given.shape) + ", but " + declaration(one) +
            (is_known(leaf) ? ", which is " + in_words(leaf.shape) + " with these data." : ".") +
            (one.type.is_complex ? " Write a complex number as [REAL, IMAGINARY]."
                                 : shape_cure(given.shape, leaf.shape)));
  }

  static std::string declaration(const Declared& one) {
    return "the program declares `" + one.text + "` (" + to_string(one.where) + ")";
  }

  [[noreturn]] void refuse_missing() const {
    std::string list;
    for (const Declared& one : missing_)
      list += (list.empty() ? "`" : ", `") + one.text + "` (line " +
              std::to_string(one.where.line) + ")";
    if (path_.empty()) refuse_none(list);
    const std::vector<std::string> known(data_.names.begin(), data_.names.end());
    throw InputError({path_, 0, 0}, "the file has no values for variables that " + program_.path +
                                        " declares: " + list +
                                        suggestion(missing_.front().name, known) + ". Add them.");
  }
  [[noreturn]] void refuse_none(const std::string& list) const {
    const std::filesystem::path path(program_.path);
    const std::string stem = path.stem().string();
    throw ParameterError(
        "data", "no data are given, but the program needs " + list +
                    ". Give the path of a JSON file with these variables, or write them to `" +
                    stem + ".data.json` or `" + stem + ".json` in " + path.parent_path().string() +
                    ", where `mixwell run " + path.filename().string() + "` looks for them.");
  }

  const Program& program_;
  const Declarations& declared_;
  const Data& data_;
  std::string path_;
  Values known_;
  Checked checked_;
  std::vector<Declared> missing_;
};

}  // namespace detail

/// `path`: the data file, or "" for none. Throws InputError if the data do not match the
/// declarations, and ParameterError if the program needs data and there are none.
inline Checked check_data(const Program& program, const Declarations& declared, const Data& data,
                          const std::string& path) {
  return detail::DataCheck(program, declared, data, path).check();
}

}  // namespace mixwell::stan
