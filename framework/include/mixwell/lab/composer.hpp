// Makes a composition in code, without a manifest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mixwell {

/// The value of a key. For a key that refers to components: a name or a list of names.
using KeyValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>,
                              std::vector<std::string>>;

/// The keys of one table of a manifest, set in code.
class MIXWELL_EXPORT Keys {
 public:
  /// Sets a key and returns *this. Use dots for a key inside a table: "init.uniform",
  /// "predict.p_31F.temperature". Setting a key again replaces its value.
  Keys& set(const std::string& key, KeyValue value);
  Keys& set(const std::string& key, std::initializer_list<double> values);
  Keys& set(const std::string& key, std::initializer_list<const char*> values);
  /// Adds a table to the list of tables `key`, as [[kind.name.key]] does in a manifest. Returns
  /// *this.
  Keys& add(const std::string& key, Keys table);

  const std::vector<std::pair<std::string, KeyValue>>& all() const noexcept { return all_; }
  const std::map<std::string, std::vector<Keys>>& tables() const noexcept { return tables_; }

 private:
  std::vector<std::pair<std::string, KeyValue>> all_;
  std::map<std::string, std::vector<Keys>> tables_;
};

/// Collects the content of a manifest. Types, ranges and defaults of keys are the same as in a
/// manifest, and so are default components. Errors are the same too, but with the name of the
/// composition instead of file and line.
class MIXWELL_EXPORT Composer {
 public:
  /// `name` is the name of the run. Messages contain this name too.
  explicit Composer(std::string name) : name_(std::move(name)) {}

  /// The keys of [run].
  Keys& run() noexcept { return run_; }
  /// Adds `[kind.name]` with `use = id`, and returns its keys. The returned reference stays valid.
  /// If `name` is empty, the component's id is also its name. Throws InputError if there already is
  /// a component of this kind with this name.
  Keys& add(Kind kind, const std::string& id, const std::string& name = {});

  /// Checks the keys, makes the components and connects them. Mixwell searches for files in the
  /// working directory, then in the folders of MIXWELL_DATA. Throws InputError if a key or
  /// value is invalid. The message states the key, its value, the rule that it breaks and the
  /// nearest valid choice.
  Composition compose(const Registry& registry) const;

 private:
  struct Declared {
    Kind kind = Kind::model;
    std::string id;
    std::string name;
    Keys keys;
  };

  std::string place() const { return "composition " + name_; }

  std::string name_;
  Keys run_;
  std::deque<Declared> components_;  // a deque, because add() returns references
};

}  // namespace mixwell
