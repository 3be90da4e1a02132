// A composition made in code: what a manifest says, without the manifest.
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

/// What a key may hold. A reference to another component is its name, or a list of names.
using KeyValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>,
                              std::vector<std::string>>;

/// The keys of one table of a manifest, given in code.
class MIXWELL_EXPORT Keys {
 public:
  /// A key that is a table is dotted: "init.uniform", "predict.p_31F.temperature". Given again, a
  /// key has the later value. Returns itself.
  Keys& set(const std::string& key, KeyValue value);
  Keys& set(const std::string& key, std::initializer_list<double> values);
  Keys& set(const std::string& key, std::initializer_list<const char*> values);
  /// Adds a table to the list of tables `key`, as [[kind.name.key]] does. Returns itself.
  Keys& add(const std::string& key, Keys table);

  const std::vector<std::pair<std::string, KeyValue>>& all() const noexcept { return all_; }
  const std::map<std::string, std::vector<Keys>>& tables() const noexcept { return tables_; }

 private:
  std::vector<std::pair<std::string, KeyValue>> all_;
  std::map<std::string, std::vector<Keys>> tables_;
};

/// Collects what a manifest would say. Keys have the types, ranges and defaults that they have
/// there, components that are left out are found as there, and the errors are the same, with the
/// name of the composition instead of file and line.
class MIXWELL_EXPORT Composer {
 public:
  /// `name`: of the run, and in messages.
  explicit Composer(std::string name) : name_(std::move(name)) {}

  /// The keys of [run].
  Keys& run() noexcept { return run_; }
  /// `[kind.name]` with `use = id`; the name is the id unless another is given. What is returned
  /// stays valid. Throws InputError where the kind has a component of that name already.
  Keys& add(Kind kind, const std::string& id, const std::string& name = {});

  /// Checks, makes and wires. Files are looked for in the working directory, then in the folders of
  /// MIXWELL_DATA. Throws InputError naming key, value, rule and the nearest valid choice.
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
  std::deque<Declared> components_;  // addresses stay
};

}  // namespace mixwell
