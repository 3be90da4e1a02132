// Manifest keys of a component, declared once: type, unit, range, default and one line of help.
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

/// Throws InputError for a component of another class than the reference takes: its kind serves
/// several, and its Description::purpose says another one.
template <class T>
std::shared_ptr<const T> component_as(const std::shared_ptr<const Component>& component) {
  auto found = std::dynamic_pointer_cast<const T>(component);
  if (!found) refuse_class(*component);
  return found;
}

}  // namespace detail

/// [low, high] of two numbers.
using Interval = std::pair<double, double>;
/// name -> (key -> number or word): a table of tables such as `predict.p_31F = { temperature = 31,
/// site = "north" }`.
using NamedPoints = std::map<std::string, std::map<std::string, std::variant<double, std::string>>>;

class Fields;

/// A list of tables `[[kind.name.key]]`; `append` adds one, with its defaults, and declares its
/// keys.
struct TableList {
  std::function<void(Fields&)> append;
};

/// A reference to another component; `bind` receives the component that was made for it.
struct ComponentReference {
  Kind kind = Kind::model;
  /// Built-in component used, with its defaults, when the manifest has none of this kind; empty =
  /// the manifest must have one.
  std::string fallback;
  std::function<void(std::shared_ptr<const Component>)> bind;
  /// A list of names, bound one after another; by default all of this kind that the manifest has.
  bool many = false;
  /// Description::purpose of what it may name.
  std::string purpose{};
  /// Nothing is bound where the manifest has none of this kind, or where it gives the key that this
  /// one is instead of.
  bool optional = false;
  /// Used instead of `fallback` where it can learn: [run] has warm-up, the compositor lends no
  /// memory, and `learns_where`, if any, holds.
  std::string learnt{};
  std::function<bool()> learns_where{};
};

/// What a key is to a transition that is refined towards the flow it approximates, as `mixwell
/// verify` does: where eps is multiplied by c, and the same way takes 1 / c as many steps.
enum class Refines {
  nothing,
  step_size,          ///< times c
  step_size_squared,  ///< times c^2
  steps,              ///< the number of steps: divided by c
  redraw_every,       ///< transitions between redraws of what is carried: divided by c
  persistence,        ///< of what is carried, in a transition: its power c
  schedule            ///< eps changes with the sweep, unless it is the default: not refined
};

/// A condition under which a key has an effect: another key of the table has one of some values
/// (none: any value), or `holds`.
struct UsedWith {
  std::string key;
  std::vector<std::string> values;
  std::string words{};            ///< what `holds` asks, instead of a key
  std::function<bool()> holds{};  ///< asked when all keys are read and all references bound
};

/// Where the value of a key is written: a variant, which <mixwell/lab/field_target.hpp> defines. A
/// plugin never looks at it, and would compile it at every field.
struct FieldTarget;

/// One key. Made by Fields, refined by the chained calls, read by the manifest, by `plugins show`
/// and by the schema. Ranges apply to each element of a list. Cold, as KernelGraph is.
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
  /// The text is a file: found beside the manifest, then in MIXWELL_DATA; the target receives the
  /// path that was found. Words of one_of are taken as they are.
  [[gnu::cold]] Field& file();
  /// The key has an effect only where the key `other` of the same table has one of `values` (texts,
  /// "true" or "false"); without values, where it has any. A manifest that gives it another value
  /// than its default elsewhere is refused. Several conditions must all hold.
  [[gnu::cold]] Field& only_with(std::string other, std::vector<std::string> values = {});
  /// The same for a condition on what the keys refer to; `words` name what it asks for: "an
  /// estimator that is fitted to points".
  [[gnu::cold]] Field& only_where(std::string words, std::function<bool()> holds);
  /// Another way to say what `other` says, for a target that may be empty: a manifest gives at most
  /// one of the two keys.
  [[gnu::cold]] Field& instead_of(std::string other);
  /// ComponentReference only: see ComponentReference::fallback.
  [[gnu::cold]] Field& or_default(std::string id);
  /// ComponentReference only: see ComponentReference::learnt. `where` is asked when the references
  /// declared before this one are bound.
  [[gnu::cold]] Field& or_learnt(std::string id, std::function<bool()> where = {});
  /// ComponentReference only: see ComponentReference::optional.
  [[gnu::cold]] Field& or_none();
  /// ComponentReference only: see ComponentReference::purpose.
  [[gnu::cold]] Field& purpose(std::string word);
  [[gnu::cold]] Field& refines(Refines what);
  /// Texts that select coordinates of a model's position (select_coordinates), in a table of a list
  /// or of the component: on another model they mean nothing, and `mixwell verify` gives the tables
  /// of the list parts of that model's position instead.
  [[gnu::cold]] Field& selects_coordinates();

  const std::string& key() const noexcept { return key_; }
  const std::string& unit() const noexcept { return unit_; }
  const std::string& help() const noexcept { return help_; }
  const std::vector<std::string>& choices() const noexcept { return choices_; }
  /// The key that this one takes the place of, or "".
  const std::string& replaced() const noexcept { return replaced_; }
  const std::vector<UsedWith>& used_with() const noexcept { return used_with_; }
  Refines refined() const noexcept { return refines_; }
  bool is_selection() const noexcept { return is_selection_; }
  bool is_required() const noexcept { return required_; }
  bool is_file() const noexcept { return file_; }
  /// A text neither from a list nor of a file: a manifest may write it as an integer, such as the
  /// label 2 of a data set.
  bool is_free_text() const noexcept { return choices_.empty() && !file_; }
  const FieldTarget& target() const noexcept { return *target_; }

  /// "number", "integer", "boolean", "text", "list of numbers", "reference to a model", ...
  std::string type() const;
  /// "(0, inf)", "[1, 64]", "one of a, b", or "" when every value will do.
  std::string range() const;
  /// `mean = "newton" or "slot"`: with what the key has an effect, or "" if it always has one.
  std::string condition() const;
  /// The value the target holds now, as TOML text; "" where it holds none.
  std::string value_text() const;
  /// Empty if the value obeys the range, else the rule it breaks ("must be above 0").
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

/// The keys of one component in the order they were declared. A component's `Params` is a plain
/// struct whose members hold the defaults, with `void declare(Fields& fields)` naming each:
/// `fields.number("step_size", step_size).unit("time").above(0).help("...")`. Defaults that depend
/// on what else is given are set by `void settle()`, if it has one, once all keys and references
/// are read.
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
  /// A list of tables with keys of their own, at least one where the key is given. T is as a
  /// component's Params are, without `settle`. A ParameterError about one of them names its key as
  /// "key[1].other".
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
  /// The field of that key, or null.
  const Field* find(const std::string& key) const noexcept;
  /// Why the key has no effect with the values and references that the other keys have now, by its
  /// Field::only_with and only_where; "" where it has one.
  std::string why_idle(const Field& field) const;

 private:
  [[gnu::cold]] Field& add(std::string key, FieldTarget target);
  [[gnu::cold]] Field& add(std::string key, ComponentReference reference);
  [[gnu::cold]] Field& add(std::string key, TableList list);
  std::vector<Field> fields_;
};

}  // namespace mixwell
