// Makes a component from the values of its keys, and checks the component before any use.
// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.hpp"
#include "base/present_call.hpp"
#include "base/shortened.hpp"
#include "law/parameter_rules.hpp"
#include "manifest/resolve.hpp"
#include "manifest/values.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/model.hpp>

#include <fmt/format.h>

#include <iterator>
#include <new>
#include <stdexcept>

namespace mixwell {
namespace {

class Making {
 public:
  Making(const Instance& instance, const ManifestText& manifest, const PartOf& part_of)
      : instance_(instance), manifest_(manifest), part_of_(part_of) {}

  std::shared_ptr<const Component> make(const std::shared_ptr<const Locations>& places) const {
    const std::shared_ptr<Component> made = construct();
    introduce(*made, {instance_.declaration.path(), places}, words_of());
    if (const auto* const model = dynamic_cast<const Model*>(made.get())) check(*model);
    return made;
  }

 private:
  void check(const Model& model) const {
    check_parameters_of(model);
    if (instance_.declaration.table != nullptr)
      instance_.dims.check(arrays_of(model), model.labels(), *instance_.declaration.table,
                           instance_.declaration.path(), manifest_);
    check_size(model);
  }

  /// The text that identifies the component in later errors.
  std::string words_of() const {
    return fmt::format("[{}] (use = \"{}\", {}, {})", instance_.declaration.path(),
                       instance_.about().id, to_string(place(instance_, manifest_)),
                       instance_.entry->library);
  }

  std::shared_ptr<Component> part_of(std::shared_ptr<Component> whole) const {
    whole->set_name(instance_.declaration.name);
    const std::shared_ptr<Component> part = part_of_(whole);
    if (part == nullptr) return whole;
    part->set_name(instance_.declaration.name);
    return part;
  }

  std::shared_ptr<Component> construct() const {
    const char* const task = kept_text("the constructor of " + words_of());
    const CallMark mark(task);
    try {
      return part_of(instance_.blueprint->make());
    } catch (const ParameterError& fault) {
      broken_parameter(fault);
    } catch (const InputError& fault) {
      throw InputError(fmt::format("{}\n  while making [{}] ({})", fault.what(),
                                   instance_.declaration.path(),
                                   to_string(place(instance_, manifest_))));
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      too_large();
    } catch (const std::length_error&) {
      too_large();
    } catch (const std::exception& fault) {
      throw RunError(
          fmt::format("{}: making [{}] failed: {} ({})", to_string(place(instance_, manifest_)),
                      instance_.declaration.path(), fault.what(), instance_.entry->library));
    } catch (...) {
      rethrow_from(task);
    }
  }

  /// Throws InputError because the constructor could not allocate memory. The message lists the
  /// keys that may be the cause.
  [[noreturn]] void too_large() const {
    std::string values;
    for (const Field& field : instance_.blueprint->fields().all()) {
      const bool counts = std::holds_alternative<std::int64_t*>(field.target()) ||
                          std::holds_alternative<std::optional<std::int64_t>*>(field.target());
      const auto& texts = instance_.keys.texts;
      if (!texts.contains(field.key()) || !(counts || field.is_file())) continue;
      values += fmt::format("{}{} = {}", values.empty() ? " with " : ", ", field.key(),
                            shortened(texts.at(field.key())));
    }
    throw InputError(
        place(instance_, manifest_),
        fmt::format("making [{}]{}: {}", instance_.declaration.path(), values, out_of_memory()));
  }

  /// All arrays that the model records or offers as data.
  static std::vector<Parameter> arrays_of(const Model& model) {
    std::vector<Parameter> all = model.parameters();
    const auto add = [&all](std::vector<Parameter> more) {
      all.insert(all.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
    };
    if (model.offers<Derived>() != nullptr) add(model.offers<Derived>()->quantities());
    if (model.offers<Generated>() != nullptr) add(model.offers<Generated>()->generated());
    for (const auto& data : {model.observed_data(), model.constant_data()})
      for (const NamedValues& one : data)
        all.push_back({.name = one.name, .shape = one.shape, .dims = one.dims});
    return all;
  }

  void check_parameters_of(const Model& model) const {
    const CallMark mark(model);
    try {
      check_parameters(model.parameters());
      check_dims(arrays_of(model), model.labels());
    } catch (const InputError& fault) {
      throw InputError(
          place(instance_, manifest_),
          fmt::format("[{}]: {}\n  If the keys and the data of this model are correct, fix the "
                      "source code of {}.",
                      instance_.declaration.path(), fault.what(), instance_.entry->library));
    } catch (...) {
      rethrow_from(kept_text(words_of()));
    }
  }

  void check_size(const Model& model) const {
    constexpr double point_and_gradient = 2 * sizeof(double);
    const Index d = model.dimension();
    require_memory(
        point_and_gradient * static_cast<double>(d),
        fmt::format("{}: [{}]: one point of {} coordinates with its gradient",
                    to_string(place(instance_, manifest_)), instance_.declaration.path(), d));
  }

  [[noreturn]] void broken_parameter(const ParameterError& fault) const {
    const toml::table* const table = instance_.declaration.table;
    const toml::node* const node = table == nullptr ? nullptr : table->at_path(fault.key()).node();
    const std::string dotted = instance_.declaration.path() + "." + fault.key();
    if (node != nullptr) reject(*node, dotted, fault.rule(), manifest_);
    const Field* const field = instance_.blueprint->fields().find(fault.key());
    const std::string value = field == nullptr ? "" : field->value_text();
    throw InputError(
        place(instance_, manifest_),
        fmt::format("{}{}{}: {}", dotted, value.empty() ? "" : " = ", value, fault.rule()));
  }

  const Instance& instance_;
  const ManifestText& manifest_;
  const PartOf& part_of_;
};

}  // namespace

std::shared_ptr<const Component> make_component(const Instance& instance,
                                                const ManifestText& manifest,
                                                const std::shared_ptr<const Locations>& places,
                                                const PartOf& part_of) {
  return Making(instance, manifest, part_of).make(places);
}

}  // namespace mixwell
