// Checks the value of a manifest key, and stores it in the variable that this key sets.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/values.hpp"

#include "base/removed_names.hpp"
#include "base/shortened.hpp"
#include "component/toml_text.hpp"

#include <mixwell/lab/field_target.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mixwell {
namespace {

using NumberOrText = std::variant<double, std::string>;

/// The name of an expected type in error messages.
template <class T>
constexpr const char* wanted = nullptr;
template <>
constexpr const char* wanted<double> = "a number";
template <>
constexpr const char* wanted<std::int64_t> = "an integer";
template <>
constexpr const char* wanted<bool> = "a boolean";
template <>
constexpr const char* wanted<NumberOrText> = "a number or a string";
template <>
constexpr const char* wanted<std::vector<double>> = "a list of numbers";
template <>
constexpr const char* wanted<std::vector<std::string>> = "a list of strings";
template <>
constexpr const char* wanted<NamedTexts> = "a table of lists of strings";
template <>
constexpr const char* wanted<NamedPoints> = "a table of tables whose values are numbers or strings";
template <>
constexpr const char* wanted<NamedPoints::mapped_type> =
    "a table whose values are numbers or strings";

/// A node with its dotted key, so that messages can name a value inside another value.
struct PlacedNode {
  const toml::node& node;
  std::string key;
};

/// Reads into the target of the field and returns the value as TOML text.
class ValueReader {
 public:
  ValueReader(const Field& field, const PlacedNode& whole, const ValueSource& source)
      : field_(field), whole_(whole), source_(source) {}

  template <class T>
  std::string operator()(T* out) const {
    *out = T{};
    read(whole_, *out);
    return toml_text(*out);
  }
  template <class T>
  std::string operator()(std::optional<T>* out) const {
    return (*this)(&out->emplace());
  }
  std::string operator()(std::string* out) const {
    read(whole_, *out);
    if (!field_.is_file() || is_choice(*out)) return toml_text(*out);
    if (out->empty()) refuse(whole_, "must be the name of a file");
    const Location where = source_.manifest.at(whole_.key, whole_.node.source());
    const FoundFile found = source_.files.find(*out, whole_.key, where);
    *out = found.path;
    return toml_text(found.named);
  }
  /// A list may be empty only if it is optional and empty by default.
  std::string operator()(std::vector<double>* out) const {
    const bool may_be_empty = !field_.is_required() && out->empty();
    read(whole_, *out);
    if (out->empty() && !may_be_empty)
      refuse(whole_, "must not be empty. Give at least one number.");
    return toml_text(*out);
  }
  std::string operator()(const TableList&) const {
    throw std::logic_error("ValueReader cannot read a list of tables: " + whole_.key);
  }
  std::string operator()(const ComponentReference&) const {
    throw std::logic_error("ValueReader cannot read a reference to a component: " + whole_.key);
  }

 private:
  void read(const PlacedNode& at, double& out) const {
    const auto value = at.node.is_number() ? at.node.value<double>() : std::nullopt;
    require_type<double>(at, value.has_value());
    out = *value;
    obey(out, at);
  }

  void read(const PlacedNode& at, std::int64_t& out) const {
    require_type<std::int64_t>(at, at.node.is_integer());
    out = **at.node.as_integer();
    obey(static_cast<double>(out), at);
  }

  void read(const PlacedNode& at, bool& out) const {
    require_type<bool>(at, at.node.is_boolean());
    out = **at.node.as_boolean();
  }

  void read(const PlacedNode& at, std::string& out) const {
    const bool is_number = at.node.is_integer() && field_.is_free_text();
    if (!is_number && !at.node.is_string())
      wrong_type(at, field_.is_file() ? "the name of a file" : "a string");
    out = is_number ? toml_text(**at.node.as_integer()) : **at.node.as_string();
    if (!field_.choices().empty() && !is_choice(out) && !field_.is_file())
      refuse(at, "must be " + field_.range() + meant(out));
  }

  void read(const PlacedNode& at, NumberOrText& out) const {
    require_type<NumberOrText>(at, at.node.is_string() || at.node.is_number());
    if (at.node.is_string())
      out = **at.node.as_string();
    else
      read(at, out.emplace<double>());
  }

  void read(const PlacedNode& at, Interval& out) const {
    std::vector<double> ends;
    read(at, ends);
    if (ends.size() != 2 || ends[0] > ends[1])
      refuse(at, "must be two numbers [low, high] with low <= high");
    out = {ends[0], ends[1]};
  }

  void read(const PlacedNode& at, std::vector<double>& out) const { read_list(at, out); }

  void read(const PlacedNode& at, std::vector<std::string>& out) const {
    read_list(at, out);
    if (out.empty() && field_.choices().empty())
      refuse(at, "must not be empty" +
                     (field_.is_required()
                          ? ""
                          : ". Remove the key to use the default" + by_default() + "."));
  }

  template <class T>
  void read(const PlacedNode& at, std::map<std::string, T>& out) const {
    require_type<std::map<std::string, T>>(at, at.node.is_table());
    for (const auto& [name, item] : *at.node.as_table())
      read({item, fmt::format("{}.{}", at.key, name.str())}, out[std::string(name.str())]);
  }

  template <class T>
  void read_list(const PlacedNode& at, std::vector<T>& out) const {
    require_type<std::vector<T>>(at, at.node.is_array());
    out.clear();
    for (const toml::node& item : *at.node.as_array()) {
      const PlacedNode placed{item, fmt::format("{}[{}]", at.key, out.size())};
      read(placed, out.emplace_back());
    }
  }

  template <class T>
  void require_type(const PlacedNode& at, bool fits) const {
    if (!fits) wrong_type(at, wanted<T>);
  }

  [[noreturn]] void wrong_type(const PlacedNode& at, const char* type) const {
    refuse(at, fmt::format("must be {} (got {})", type, type_name(at.node)));
  }

  [[noreturn]] void refuse(const PlacedNode& at, const std::string& rule) const {
    reject(at.node, at.key, rule, source_.manifest);
  }

  void obey(double value, const PlacedNode& at) const {
    const std::string rule = field_.broken_rule(value);
    if (!rule.empty()) refuse(at, rule);
  }

  bool is_choice(const std::string& word) const {
    const std::vector<std::string>& choices = field_.choices();
    return std::find(choices.begin(), choices.end(), word) != choices.end();
  }

  /// " (the default value)" as the help describes it, or "".
  std::string by_default() const {
    const std::string& help = field_.help();
    for (const std::string_view mark : {"default: ", "by default "})
      if (const std::size_t found = help.find(mark); found != std::string::npos)
        return " (" + help.substr(found + mark.size()) + ")";
    return "";
  }

  std::string meant(const std::string& value) const {
    const std::string near = nearest(value, field_.choices());
    return near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near);
  }

  const Field& field_;
  const PlacedNode& whole_;
  const ValueSource& source_;
};

std::vector<std::string> keys_of(const Fields& fields) {
  std::vector<std::string> keys;
  for (const Field& field : fields.all()) keys.push_back(field.key());
  return keys;
}

/// KIND/ID for the table of a component, the path for any other table.
std::string owner_of(const toml::table& table, const std::string& path) {
  const auto id = table["use"].value<std::string>();
  return id ? path.substr(0, path.find('.')) + "/" + *id : path;
}

void check_alone(const KeyTable& keys, const Field& field, const ManifestText& manifest) {
  const toml::node* const node = keys.get(field.key());
  if (node == nullptr || field.replaced().empty() || !keys.table->contains(field.replaced()))
    return;
  reject(*node, keys.path + "." + field.key(),
         fmt::format("`{}` sets the same thing. Remove one of the two keys.", field.replaced()),
         manifest);
}

}  // namespace

std::string assign(const Field& field, const toml::node& node, const std::string& dotted,
                   const ValueSource& source) {
  return std::visit(ValueReader(field, {node, dotted}, source), field.target());
}

void check_keys(const toml::table& table, const Fields& fields, const std::string& path,
                const ManifestText& manifest, const std::vector<std::string>& also) {
  std::vector<std::string> known = keys_of(fields);
  known.insert(known.end(), also.begin(), also.end());
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string dotted = path + "." + name;
    const std::string full = owner_of(table, path) + "." + name;
    throw InputError(
        manifest.at(dotted, key.source()),
        fmt::format("{}: unknown key{}", shortened(dotted), suggestion_for(full, name, known)));
  }
}

void refuse_missing(const KeyTable& keys, const Field& field, const ManifestText& manifest) {
  throw InputError(place(keys, manifest),
                   fmt::format("[{}] needs the key \"{}\" ({}{}{})", keys.path, field.key(),
                               field.type(), field.help().empty() ? "" : ": ", field.help()));
}

void bind_value(KeyTable& keys, const Field& field, const ValueSource& source) {
  const bool is_reference = std::holds_alternative<ComponentReference>(field.target());
  const bool is_list = std::holds_alternative<TableList>(field.target());
  const toml::node* const node = keys.get(field.key());
  if (node == nullptr && field.is_required() && !is_reference)
    refuse_missing(keys, field, source.manifest);
  if (node == nullptr || is_reference || is_list) return;
  keys.texts[field.key()] = assign(field, *node, keys.path + "." + field.key(), source);
}

void bind_values(KeyTable& keys, const Fields& fields, const ValueSource& source,
                 const std::vector<std::string>& also) {
  check_keys(*keys.table, fields, keys.path, source.manifest, also);
  for (const Field& field : fields.all()) {
    const std::string usual = field.value_text();
    check_alone(keys, field, source.manifest);
    bind_value(keys, field, source);
    if (field.value_text() != usual) keys.changed.insert(field.key());
  }
}

void refuse_idle(const KeyTable& keys, const Fields& fields, const ManifestText& manifest) {
  for (const Field& field : fields.all()) {
    if (!keys.changed.contains(field.key())) continue;
    const std::string why = fields.why_idle(field);
    if (!why.empty())
      reject(*keys.table->get(field.key()), keys.path + "." + field.key(), why, manifest);
  }
}

void reject(const toml::node& node, const std::string& dotted, const std::string& rule,
            const ManifestText& manifest) {
  throw InputError(manifest.at(dotted, node.source()),
                   fmt::format("{} = {}: {}", shortened(dotted, 200), shown(node), rule));
}

}  // namespace mixwell
