// A manifest on a model that is there already.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/model_in_memory.hpp"

#include <sstream>
#include <utility>

namespace mixwell {
namespace {

/// A plugin without keys that hands out what is there.
class Ready final : public Blueprint {
 public:
  explicit Ready(std::shared_ptr<Model> model) : model_(std::move(model)) {}
  Fields& fields() noexcept override { return fields_; }
  std::shared_ptr<Component> make() override { return model_; }

 private:
  std::shared_ptr<Model> model_;
  Fields fields_;
};

constexpr const char* ready_model = "model-in-memory";

/// Its table: what it records goes by the same dimensions and labels.
toml::table ready_table(const toml::table& before) {
  toml::table table{{"use", ready_model}};
  for (const char* const key : {"dims", "coords"})
    if (const toml::node* const node = before.get(key)) table.insert(key, *node);
  return table;
}

}  // namespace

Composition compose_on(const std::shared_ptr<Model>& model, const std::string& name,
                       toml::table root, const std::string& path, const Registry& known) {
  Registry registry = known;
  registry.add({.kind = Kind::model,
                .description = {.id = ready_model, .summary = "A model that is in memory already"},
                .library = {},
                .blueprint = [&model] { return std::make_unique<Ready>(model); },
                .traits = {}});
  toml::table& models = *root["model"].as_table();
  models.insert_or_assign(name, ready_table(*models[name].as_table()));
  std::ostringstream text;
  text << root;
  return parse_manifest(text.str(), path, registry);
}

}  // namespace mixwell
