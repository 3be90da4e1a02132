// The manifest keys of a component, each declared once with type, unit, range, default and help.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>
#include <mixwell/component/component.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mixwell {

namespace detail {

[[noreturn]] MIXWELL_EXPORT void refuse_class(const Component& component);

/// Casts a component to the class that a reference needs. Throws InputError if the component has a
/// different class. A component of the required kind can have a different class: its
/// Description::purpose is then not the one that the reference needs.
template <class T>
std::shared_ptr<const T> component_as(const std::shared_ptr<const Component>& component) {
  auto found = std::dynamic_pointer_cast<const T>(component);
  if (!found) refuse_class(*component);
  return found;
}

}  // namespace detail

/// Two numbers [low, high].
using Interval = std::pair<double, double>;
/// Maps a name to (key -> number or word): a table of tables such as `predict.p_31F = { temperature
/// = 31, site = "north" }`.
using NamedPoints = std::map<std::string, std::map<std::string, std::variant<double, std::string>>>;

class Fields;

/// A list of tables `[[kind.name.key]]`. `append` adds a table with its defaults and declares its
/// keys.
struct TableList {
  std::function<void(Fields&)> append;
};

/// A reference to another component. `bind` receives the component after its creation.
struct ComponentReference {
  Kind kind = Kind::model;
  /// Id of the built-in component that is used, with its defaults, if the manifest has no component
  /// of this kind. If `fallback` is empty, the manifest must have such a component.
  std::string fallback;
  std::function<void(std::shared_ptr<const Component>)> bind;
  /// If true, the key is a list of names, and `bind` is called for each of them in order. The
  /// default is all components of this kind in the manifest.
  bool many = false;
  /// The Description::purpose of the components that the key may name.
  std::string purpose{};
  /// If true, the reference may stay empty. `bind` is not called in two cases: the manifest has no
  /// component of this kind, or it sets the key to which this key is an alternative
  /// (Field::instead_of).
  bool optional = false;
  /// Id that replaces `fallback` if learning is possible: [run] has warmup, the compositor does not
  /// provide a memory, and `learns_where`, if given, returns true.
  std::string learnt{};
  std::function<bool()> learns_where{};
};

/// How `mixwell verify` changes the value of a key to refine a transition. A refined transition is
/// closer to the flow that it approximates: eps is multiplied by c < 1, so the same path needs
/// 1 / c times as many steps.
enum class Refines {
  nothing,
  step_size,          ///< multiplied by c
  step_size_squared,  ///< multiplied by c^2
  steps,              ///< the number of steps: divided by c
  redraw_every,       ///< number of transitions between redraws of a carried variable: divided by c
  persistence,  ///< persistence of a carried variable in each transition: raised to the power c
  schedule      ///< schedule of eps over the sweeps: not refined
};

/// A condition under which a key has an effect. Another key of the same table must have one of
/// `values` (any value if `values` is empty), or `holds` must return true.
struct UsedWith {
  std::string key;
  std::vector<std::string> values;
  std::string words{};            ///< name of the condition `holds`; empty if `key` is set
  std::function<bool()> holds{};  ///< called after all keys are read and all references are bound
};

/// The variable to which the value of a key is written: a variant, defined in
/// <mixwell/lab/field_target.hpp>. Plugins do not need its definition, and including it would slow
/// down their compilation.
struct FieldTarget;

/// One key of a component. `Fields` creates the object, and chained calls such as unit() complete
/// it. Mixwell checks manifests against it, and shows it in `plugins show` and in the schema. The
/// range of a list applies to each element. `gnu::cold` tells the compiler to optimise a call for
/// size.
class MIXWELL_EXPORT Field {
 public:
  Field(std::string key, std::unique_ptr<FieldTarget> target);
  Field(Field&&) noexcept;
  Field& operator=(Field&&) noexcept;
  ~Field();

  [[gnu::cold]] Field& unit(std::string text);
  [[gnu::cold]] Field& help(std::string text);
  [[gnu::cold]] Field& above(double low);     ///< value > low
  [[gnu::cold]] Field& at_least(double low);  ///< value >= low
  [[gnu::cold]] Field& below(double high);    ///< value < high
  [[gnu::cold]] Field& at_most(double high);  ///< value <= high
  [[gnu::cold]] Field& one_of(std::vector<std::string> choices);
  [[gnu::cold]] Field& required();
  /// Declares that the string names a file. Mixwell searches for it in the manifest's folder, then
  /// in MIXWELL_DATA. The target receives the path of the file. If the value is one of the choices
  /// of one_of(), Mixwell does not treat it as the name of a file.
  [[gnu::cold]] Field& file();
  /// The key has an effect only if the key `other` of the same table has one of `values`, or any
  /// value if `values` is empty. Write a boolean as "true" or "false". If the condition does not
  /// hold, Mixwell refuses a manifest that sets this key to anything except its default. If you
  /// call this several times, all conditions must hold.
  [[gnu::cold]] Field& only_with(std::string other, std::vector<std::string> values = {});
  /// Like only_with(), but with a condition on the components that the keys refer to. `words` names
  /// what the condition requires, such as "an estimator that is fitted to points".
  [[gnu::cold]] Field& only_where(std::string words, std::function<bool()> holds);
  /// Declares that this key is another way to set what `other` sets. The variable that receives the
  /// value must have a type that can be empty. A manifest may set at most one of the two keys.
  [[gnu::cold]] Field& instead_of(std::string other);
  /// Only for a ComponentReference: see ComponentReference::fallback.
  [[gnu::cold]] Field& or_default(std::string id);
  /// Only for a ComponentReference: see ComponentReference::learnt. `where` is called after the
  /// references declared before this one are bound.
  [[gnu::cold]] Field& or_learnt(std::string id, std::function<bool()> where = {});
  /// Only for a ComponentReference: see ComponentReference::optional.
  [[gnu::cold]] Field& or_none();
  /// Only for a ComponentReference: see ComponentReference::purpose.
  [[gnu::cold]] Field& purpose(std::string word);
  [[gnu::cold]] Field& refines(Refines what);
  /// Declares that the strings of this key select coordinates of a model's position
  /// (select_coordinates). The key belongs to the component's own table, or to each table of a list
  /// of tables. The strings are valid for this model only. If `mixwell verify` tests a different
  /// model, it removes this key from the component's own table. In a list of tables, it replaces
  /// the selections by parts of that model's position.
  [[gnu::cold]] Field& selects_coordinates();

  const std::string& key() const noexcept { return key_; }
  const std::string& unit() const noexcept { return unit_; }
  const std::string& help() const noexcept { return help_; }
  const std::vector<std::string>& choices() const noexcept { return choices_; }
  /// The key to which this key is an alternative (instead_of), or "".
  const std::string& replaced() const noexcept { return replaced_; }
  const std::vector<UsedWith>& used_with() const noexcept { return used_with_; }
  Refines refined() const noexcept { return refines_; }
  bool is_selection() const noexcept { return is_selection_; }
  bool is_required() const noexcept { return required_; }
  bool is_file() const noexcept { return file_; }
  /// For a key whose value is a string: true if it has no list of choices and does not name a file.
  /// A manifest may write such a value as an integer, for example the label 2 of a data set.
  bool is_free_text() const noexcept { return choices_.empty() && !file_; }
  const FieldTarget& target() const noexcept { return *target_; }

  /// The type in words: "number", "integer", "boolean", "text", "list of numbers", "reference to a
  /// model", ...
  std::string type() const;
  /// The range: "(0, inf)", "[1, 64]", "one of a, b", or "" if every value is valid.
  std::string range() const;
  /// The condition under which the key has an effect, such as `mean = "newton" or "slot"`, or "" if
  /// there is none.
  std::string condition() const;
  /// The target's current value as TOML text, or "" if the target is empty.
  std::string value_text() const;
  /// Returns "" if the value is in the range, otherwise the broken rule ("must be above 0").
  std::string broken_rule(double value) const;
  double low() const noexcept { return low_; }
  double high() const noexcept { return high_; }
  bool low_is_open() const noexcept { return low_open_; }
  bool high_is_open() const noexcept { return high_open_; }

 private:
  std::string key_;
  std::unique_ptr<FieldTarget> target_;
  std::string unit_;
  std::string help_;
  std::string replaced_;
  std::vector<std::string> choices_;
  std::vector<UsedWith> used_with_;
  double low_ = -std::numeric_limits<double>::infinity();
  double high_ = std::numeric_limits<double>::infinity();
  bool low_open_ = true;
  bool high_open_ = true;
  bool required_ = false;
  bool file_ = false;
  Refines refines_ = Refines::nothing;
  bool is_selection_ = false;
};

/// The keys of one component, in the order of their declaration. A component's `Params` is a plain
/// struct whose members hold the defaults. Its function `void declare(Fields& fields)` declares
/// each key: `fields.number("step_size", step_size).unit("time").above(0).help("...")`. Params may
/// also have `void settle()`, which sets defaults that depend on other keys. Mixwell calls it after
/// all keys and references are read.
class MIXWELL_EXPORT Fields {
 public:
  Fields();
  ~Fields();
  Fields(Fields&&) noexcept;
  Fields& operator=(Fields&&) noexcept;

  [[gnu::cold]] Field& number(std::string key, double& value);
  [[gnu::cold]] Field& number(std::string key, std::optional<double>& value);
  [[gnu::cold]] Field& integer(std::string key, std::int64_t& value);
  [[gnu::cold]] Field& integer(std::string key, std::optional<std::int64_t>& value);
  [[gnu::cold]] Field& flag(std::string key, bool& value);
  [[gnu::cold]] Field& text(std::string key, std::string& value);
  [[gnu::cold]] Field& text(std::string key, std::optional<std::string>& value);
  [[gnu::cold]] Field& numbers(std::string key, std::vector<double>& value);
  [[gnu::cold]] Field& texts(std::string key, std::vector<std::string>& value);
  [[gnu::cold]] Field& interval(std::string key, std::optional<Interval>& value);
  [[gnu::cold]] Field& named_points(std::string key, NamedPoints& value);
  /// Declares a list of tables with their own keys. If a manifest has the key, the list must have
  /// at least one table. T is like a component's Params, but without `settle`. A ParameterError
  /// about a table names its key as "key[1].other".
  template <class T>
  Field& tables(std::string key, std::deque<T>& values) {
    return add(std::move(key),
               TableList{[&values](Fields& fields) { values.emplace_back().declare(fields); }});
  }
  template <class T>
  Field& component(std::string key, std::shared_ptr<const T>& value) {
    return add(std::move(key), ComponentReference{T::kind,
                                                  {},
                                                  [&value](std::shared_ptr<const Component> c) {
                                                    value = detail::component_as<T>(c);
                                                  },
                                                  false});
  }

  template <class T>
  Field& components(std::string key, std::vector<std::shared_ptr<const T>>& values) {
    return add(std::move(key), ComponentReference{T::kind,
                                                  {},
                                                  [&values](std::shared_ptr<const Component> c) {
                                                    values.push_back(detail::component_as<T>(c));
                                                  },
                                                  true});
  }

  const std::vector<Field>& all() const noexcept { return fields_; }
  /// Returns the field with this key, or null.
  const Field* find(const std::string& key) const noexcept;
  /// Returns the reason why this key has no effect, or "". The reason follows from its conditions
  /// (Field::only_with, only_where) and from the current values and references of the other keys.
  std::string why_idle(const Field& field) const;

 private:
  [[gnu::cold]] Field& add(std::string key, FieldTarget target);
  [[gnu::cold]] Field& add(std::string key, ComponentReference reference);
  [[gnu::cold]] Field& add(std::string key, TableList list);
  std::vector<Field> fields_;
};

}  // namespace mixwell
