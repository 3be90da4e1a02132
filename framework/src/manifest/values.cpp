// One value of a manifest into the parameter it is for.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/values.hpp"

#include "base/removed_names.hpp"
#include "base/shortened.hpp"
#include "component/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mixwell {
namespace {

/// One overload per target; nested values carry their own dotted key, so that messages name them.
class ValueReader {
 public:
  ValueReader(const Field& field, const ValueSource& source) : field_(field), source_(source) {}

  double number(const toml::node& node, const std::string& key) const {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value) wrong_type(node, key, "a number");
    obey(*value, node, key);
    return *value;
  }

  std::int64_t integer(const toml::node& node, const std::string& key) const {
    if (!node.is_integer()) wrong_type(node, key, "an integer");
    const std::int64_t value = **node.as_integer();
    obey(static_cast<double>(value), node, key);
    return value;
  }

  bool flag(const toml::node& node, const std::string& key) const {
    if (!node.is_boolean()) wrong_type(node, key, "a boolean");
    return **node.as_boolean();
  }

  std::string text(const toml::node& node, const std::string& key) const {
    if (node.is_integer() && field_.is_free_text()) return toml_text(**node.as_integer());
    if (!node.is_string())
      wrong_type(node, key, field_.is_file() ? "the name of a file" : "a text");
    const std::string value = **node.as_string();
    if (!field_.choices().empty() && !is_choice(value) && !field_.is_file()) {
      reject(node, key, "must be " + field_.range() + meant(value), source_.manifest);
    }
    return value;
  }

  bool is_choice(const std::string& word) const {
    const std::vector<std::string>& choices = field_.choices();
    return std::find(choices.begin(), choices.end(), word) != choices.end();
  }

  template <class Element>
  auto list(const toml::node& node, const std::string& key, const char* type,
            Element element) const {
    if (!node.is_array()) wrong_type(node, key, type);
    std::vector<decltype(element(node, key))> values;
    for (const toml::node& item : *node.as_array()) {
      values.push_back(element(item, fmt::format("{}[{}]", key, values.size())));
    }
    return values;
  }

  std::vector<double> numbers(const toml::node& node, const std::string& key) const {
    return list(node, key, "a list of numbers",
                [this](const toml::node& item, const std::string& k) { return number(item, k); });
  }

  std::vector<std::string> texts(const toml::node& node, const std::string& key) const {
    std::vector<std::string> values =
        list(node, key, "a list of texts",
             [this](const toml::node& item, const std::string& k) { return text(item, k); });
    if (values.empty() && field_.choices().empty())
      reject(node, key,
             "must not be empty" +
                 (field_.is_required() ? "" : "; without the key it is " + by_default()),
             source_.manifest);
    return values;
  }

  Interval interval(const toml::node& node, const std::string& key) const {
    const std::vector<double> ends = numbers(node, key);
    if (ends.size() != 2 || ends[0] > ends[1]) {
      reject(node, key, "must be two numbers [low, high] with low <= high", source_.manifest);
    }
    return {ends[0], ends[1]};
  }

  template <class Element>
  auto entries(const toml::node& node, const std::string& key, const char* type,
               Element element) const {
    if (!node.is_table()) wrong_type(node, key, type);
    std::map<std::string, decltype(element(node, key))> values;
    for (const auto& [name, item] : *node.as_table()) {
      values.emplace(std::string(name.str()), element(item, fmt::format("{}.{}", key, name.str())));
    }
    return values;
  }

  std::variant<double, std::string> number_or_text(const toml::node& node,
                                                   const std::string& key) const {
    if (node.is_string()) return **node.as_string();
    if (!node.is_number()) wrong_type(node, key, "a number or a text");
    return number(node, key);
  }

  NamedPoints named_points(const toml::node& node, const std::string& key) const {
    const auto point = [this](const toml::node& item, const std::string& k) {
      return entries(
          item, k, "a table of numbers and texts",
          [this](const toml::node& n, const std::string& l) { return number_or_text(n, l); });
    };
    return entries(node, key, "a table of tables of numbers and texts", point);
  }

  NamedTexts named_texts(const toml::node& node, const std::string& key) const {
    return entries(node, key, "a table of lists of texts",
                   [this](const toml::node& n, const std::string& k) { return texts(n, k); });
  }

 private:
  [[noreturn]] void wrong_type(const toml::node& node, const std::string& key,
                               const char* wanted) const {
    reject(node, key, fmt::format("wants {}, found {}", wanted, type_name(node)), source_.manifest);
  }

  void obey(double value, const toml::node& node, const std::string& key) const {
    const std::string rule = field_.broken_rule(value);
    if (!rule.empty()) reject(node, key, rule, source_.manifest);
  }

  /// "... as its help says".
  std::string by_default() const {
    const std::string& help = field_.help();
    const std::size_t found = help.find("by default ");
    return found == std::string::npos ? "its default" : help.substr(found + 11);
  }

  std::string meant(const std::string& value) const {
    const std::string near = nearest(value, field_.choices());
    return near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near);
  }

  const Field& field_;
  const ValueSource& source_;
};

/// Reads into the target that the field has.
class Assigner {
 public:
  Assigner(const Field& field, const toml::node& node, const std::string& key,
           const ValueSource& source)
      : reader_(field, source), field_(field), node_(node), key_(key), source_(source) {}

  std::string operator()(double* out) const { return store(out, reader_.number(node_, key_)); }
  std::string operator()(std::optional<double>* out) const {
    return store(out, reader_.number(node_, key_));
  }
  std::string operator()(std::int64_t* out) const {
    return store(out, reader_.integer(node_, key_));
  }
  std::string operator()(std::optional<std::int64_t>* out) const {
    return store(out, reader_.integer(node_, key_));
  }
  std::string operator()(bool* out) const { return store(out, reader_.flag(node_, key_)); }
  std::string operator()(std::string* out) const { return text(out); }
  std::string operator()(std::optional<std::string>* out) const { return text(out); }
  /// What is required, or has a default of some numbers, means nothing without any.
  std::string operator()(std::vector<double>* out) const {
    const std::vector<double> values = reader_.numbers(node_, key_);
    if (values.empty() && (field_.is_required() || !out->empty()))
      reject(node_, key_, "must not be empty", source_.manifest);
    return store(out, values);
  }
  std::string operator()(std::vector<std::string>* out) const {
    return store(out, reader_.texts(node_, key_));
  }
  std::string operator()(std::optional<Interval>* out) const {
    return store(out, reader_.interval(node_, key_));
  }
  std::string operator()(NamedPoints* out) const {
    return store(out, reader_.named_points(node_, key_));
  }
  std::string operator()(NamedTexts* out) const {
    return store(out, reader_.named_texts(node_, key_));
  }
  std::string operator()(const TableList&) const {
    throw std::logic_error("a list of tables is not a value: " + key_);
  }
  std::string operator()(const ComponentReference&) const {
    throw std::logic_error("a reference is not a value: " + key_);
  }

 private:
  template <class Target, class Value>
  std::string store(Target* out, const Value& value) const {
    *out = value;
    return toml_text(value);
  }

  template <class Target>
  std::string text(Target* out) const {
    const std::string value = reader_.text(node_, key_);
    if (!field_.is_file() || reader_.is_choice(value)) return store(out, value);
    if (value.empty()) reject(node_, key_, "must be the name of a file", source_.manifest);
    const Location where = source_.manifest.at(key_, node_.source());
    const FoundFile found = source_.files.find(value, key_, where);
    *out = found.path;
    return toml_text(found.named);
  }

  ValueReader reader_;
  const Field& field_;
  const toml::node& node_;
  const std::string& key_;
  const ValueSource& source_;
};

std::vector<std::string> keys_of(const Fields& fields) {
  std::vector<std::string> keys;
  for (const Field& field : fields.all()) keys.push_back(field.key());
  return keys;
}

/// The table of a component is known by KIND/ID, any other by its path.
std::string owner_of(const toml::table& table, const std::string& path) {
  const auto id = table["use"].value<std::string>();
  return id ? path.substr(0, path.find('.')) + "/" + *id : path;
}

}  // namespace

std::string assign(const Field& field, const toml::node& node, const std::string& dotted,
                   const ValueSource& source) {
  return std::visit(Assigner(field, node, dotted, source), field.target());
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

void refuse_idle(const toml::table& table, const Fields& fields,
                 const std::set<std::string>& changed, const std::string& path,
                 const ManifestText& manifest) {
  for (const Field& field : fields.all()) {
    if (!changed.contains(field.key())) continue;
    const std::string why = fields.why_idle(field);
    if (!why.empty()) reject(*table.get(field.key()), path + "." + field.key(), why, manifest);
  }
}

void reject(const toml::node& node, const std::string& dotted, const std::string& rule,
            const ManifestText& manifest) {
  throw InputError(manifest.at(dotted, node.source()),
                   fmt::format("{} = {}: {}", shortened(dotted, 200), shown(node), rule));
}

}  // namespace mixwell
