// Declared parameters: their types, ranges and current values as text.
// SPDX-License-Identifier: Apache-2.0
#include "component/toml_text.hpp"

#include <mixwell/component/fields.hpp>
#include <mixwell/lab/field_target.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace mixwell {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

/// Whether another key has an effect if this key has `value` (as TOML).
bool fits(const std::string& value, const std::vector<std::string>& values) {
  if (values.empty()) return !value.empty();
  return std::any_of(values.begin(), values.end(), [&](const std::string& word) {
    return value == word || value == toml_text(word);
  });
}

/// The word as a manifest writes it: flags unchanged, other words in quotes.
std::string as_value(const std::string& word) {
  const bool is_flag = word == "true" || word == "false";
  return is_flag ? word : toml_text(word);
}

/// `mean = "newton" or "slot"`, the key by itself, or a condition in words.
std::string words(const UsedWith& with) {
  std::string values;
  for (const std::string& word : with.values)
    values += (values.empty() ? " = " : " or ") + as_value(word);
  return with.words + with.key + values;
}

std::string idle_words(const std::string& here, const UsedWith& with) {
  return fmt::format("has no effect {}. It needs {}. {} or leave this key out", here, words(with),
                     with.holds ? "Meet this condition," : "Set that key accordingly,");
}

/// Conditions are about values. References and tables have no values when conditions are checked.
bool has_value(const Field& field) {
  return !std::holds_alternative<ComponentReference>(field.target()) &&
         !std::holds_alternative<TableList>(field.target());
}

/// The current value of `key`, on which the effect of `field` depends.
std::string value_for(const Fields& fields, const Field& field, const std::string& key) {
  const Field* const other = fields.find(key);
  if (other != nullptr && has_value(*other)) return other->value_text();
  throw WiringError(
      fmt::format("key `{}` is declared to need the key `{}`, but the second key does not exist, "
                  "or is a reference or a list of tables. Correct the declaration",
                  field.key(), key));
}

template <class T>
Field& set(Field& field, T& member, std::type_identity_t<T> value) {
  member = std::move(value);
  return field;
}

}  // namespace

Field::Field(std::string key, std::unique_ptr<FieldTarget> target)
    : key_(std::move(key)), target_(std::move(target)) {}
Field::Field(Field&&) noexcept = default;
Field& Field::operator=(Field&&) noexcept = default;
Field::~Field() = default;

Field& Field::unit(std::string text) { return set(*this, unit_, std::move(text)); }
Field& Field::help(std::string text) { return set(*this, help_, std::move(text)); }
Field& Field::above(double low) { return set(at_least(low), low_open_, true); }
Field& Field::at_least(double low) {
  low_ = low;
  return set(*this, low_open_, false);
}
Field& Field::below(double high) { return set(at_most(high), high_open_, true); }
Field& Field::at_most(double high) {
  high_ = high;
  return set(*this, high_open_, false);
}
Field& Field::one_of(std::vector<std::string> choices) {
  return set(*this, choices_, std::move(choices));
}
Field& Field::required() { return set(*this, required_, true); }
Field& Field::file() { return set(*this, file_, true); }
Field& Field::instead_of(std::string other) { return set(*this, replaced_, std::move(other)); }

Field& Field::only_with(std::string other, std::vector<std::string> values) {
  used_with_.push_back({std::move(other), std::move(values)});
  return *this;
}

Field& Field::only_where(std::string words, std::function<bool()> holds) {
  used_with_.push_back({{}, {}, std::move(words), std::move(holds)});
  return *this;
}

Field& Field::purpose(std::string word) {
  return set(*this, std::get<ComponentReference>(*target_).purpose, std::move(word));
}

Field& Field::or_default(std::string id) {
  return set(*this, std::get<ComponentReference>(*target_).fallback, std::move(id));
}

Field& Field::or_learnt(std::string id, std::function<bool()> where) {
  auto& reference = std::get<ComponentReference>(*target_);
  reference.learnt = std::move(id);
  reference.learns_where = std::move(where);
  return *this;
}

void detail::refuse_class(const Component& component) {
  throw InputError("`" + component.name() +
                   "` cannot be used here: this reference accepts only some of the components of "
                   "this kind. Name another component");
}

Field& Field::or_none() {
  return set(*this, std::get<ComponentReference>(*target_).optional, true);
}
Field& Field::refines(Refines what) { return set(*this, refines_, what); }
Field& Field::selects_coordinates() { return set(*this, is_selection_, true); }

std::string Field::type() const {
  return std::visit(
      Overloaded{
          [](double*) { return std::string("number"); },
          [](std::optional<double>*) { return std::string("number"); },
          [](std::int64_t*) { return std::string("integer"); },
          [](std::optional<std::int64_t>*) { return std::string("integer"); },
          [](bool*) { return std::string("boolean"); },
          [this](std::string*) { return std::string(file_ ? "file" : "text"); },
          [this](std::optional<std::string>*) { return std::string(file_ ? "file" : "text"); },
          [](std::vector<double>*) { return std::string("list of numbers"); },
          [](std::vector<std::string>*) { return std::string("list of texts"); },
          [](std::optional<Interval>*) { return std::string("interval [low, high]"); },
          [](NamedPoints*) { return std::string("table of tables of numbers and texts"); },
          [](NamedTexts*) { return std::string("table of lists of texts"); },
          [](const TableList&) { return std::string("list of tables"); },
          [](const ComponentReference& r) {
            if (r.many) return fmt::format("list of references to {}s", to_string(r.kind));
            return "reference to " + one_of_kind(r.kind);
          }},
      *target_);
}

std::string Field::range() const {
  if (!choices_.empty() && file_) return fmt::format("{}, or a file", fmt::join(choices_, ", "));
  if (!choices_.empty()) return fmt::format("one of {}", fmt::join(choices_, ", "));
  if (std::isinf(low_) && std::isinf(high_)) return {};
  return fmt::format("{}{}, {}{}", low_open_ ? '(' : '[', low_, high_, high_open_ ? ')' : ']');
}

std::string Field::condition() const {
  std::vector<std::string> conditions;
  for (const UsedWith& with : used_with_) conditions.push_back(words(with));
  return fmt::format("{}", fmt::join(conditions, ", "));
}

std::string Field::value_text() const {
  return std::visit(
      Overloaded{
          [](const ComponentReference&) { return std::string(); },
          [](const TableList&) { return std::string(); },
          []<class T>(std::optional<T>* v) { return *v ? toml_text(**v) : std::string(); },
          [this](std::string* v) { return file_ && v->empty() ? std::string() : toml_text(*v); },
          [this](std::vector<std::string>* v) {
            const bool is_hollow = v->empty() && choices_.empty();
            return is_hollow ? std::string() : toml_text(*v);
          },
          [](NamedTexts* v) { return v->empty() ? std::string() : toml_text(*v); },
          [](auto* v) { return toml_text(*v); }},
      *target_);
}

std::string Field::broken_rule(double value) const {
  if (!std::isfinite(value)) return "must be finite";
  if (low_open_ ? value <= low_ : value < low_) {
    return fmt::format("must be {} {}", low_open_ ? "above" : "at least", low_);
  }
  if (high_open_ ? value >= high_ : value > high_) {
    return fmt::format("must be {} {}", high_open_ ? "below" : "at most", high_);
  }
  return {};
}

Field& Fields::number(std::string key, double& value) { return add(std::move(key), &value); }
Field& Fields::number(std::string key, std::optional<double>& value) {
  return add(std::move(key), &value);
}
Field& Fields::integer(std::string key, std::int64_t& value) { return add(std::move(key), &value); }
Field& Fields::integer(std::string key, std::optional<std::int64_t>& value) {
  return add(std::move(key), &value);
}
Field& Fields::flag(std::string key, bool& value) { return add(std::move(key), &value); }
Field& Fields::text(std::string key, std::string& value) { return add(std::move(key), &value); }
Field& Fields::text(std::string key, std::optional<std::string>& value) {
  return add(std::move(key), &value);
}
Field& Fields::numbers(std::string key, std::vector<double>& value) {
  return add(std::move(key), &value);
}
Field& Fields::texts(std::string key, std::vector<std::string>& value) {
  return add(std::move(key), &value);
}
Field& Fields::interval(std::string key, std::optional<Interval>& value) {
  return add(std::move(key), &value);
}
Field& Fields::named_points(std::string key, NamedPoints& value) {
  return add(std::move(key), &value);
}

const Field* Fields::find(const std::string& key) const noexcept {
  for (const Field& field : fields_) {
    if (field.key() == key) return &field;
  }
  return nullptr;
}

std::string Fields::why_idle(const Field& field) const {
  for (const UsedWith& with : field.used_with()) {
    if (with.holds) {
      if (!with.holds()) return idle_words("here", with);
      continue;
    }
    const std::string value = value_for(*this, field, with.key);
    if (fits(value, with.values)) continue;
    return idle_words("because " + with.key + (value.empty() ? " is not set" : " = " + value),
                      with);
  }
  return {};
}

Fields::Fields() = default;
Fields::Fields(Fields&&) noexcept = default;
Fields& Fields::operator=(Fields&&) noexcept = default;
Fields::~Fields() = default;

Field& Fields::add(std::string key, FieldTarget target) {
  return fields_.emplace_back(std::move(key), std::make_unique<FieldTarget>(std::move(target)));
}

Field& Fields::add(std::string key, TableList list) {
  return add(std::move(key), FieldTarget(std::move(list)));
}

Field& Fields::add(std::string key, ComponentReference reference) {
  return add(std::move(key), FieldTarget(std::move(reference)));
}

}  // namespace mixwell
