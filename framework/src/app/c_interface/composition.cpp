// The C interface: compositions from manifests, their certificates, and tests of those.
// SPDX-License-Identifier: Apache-2.0
#include "app/c_interface/answer.hpp"
#include "app/c_interface/handles.hpp"
#include "app/check.hpp"
#include "app/manifest_arguments.hpp"
#include "app/module.hpp"
#include "app/modules/verify.hpp"
#include "files/json.hpp"
#include "manifest/written_text.hpp"

#include <mixwell/lab/run.hpp>

#include <nlohmann/json.hpp>

using mixwell::app::answer;
using mixwell::app::handed_out;

int mixwell_compose_file(const mixwell_registry* registry, const char* path,
                         const char* const* settings, size_t count,
                         mixwell_composition** composition) {
  return answer([&] {
    const mixwell::app::ManifestArguments arguments{path, {settings, settings + count}};
    *composition =
        new mixwell_composition{mixwell::app::load(arguments, registry->all), arguments.path};
  });
}

int mixwell_compose_text(const mixwell_registry* registry, const char* toml, const char* name,
                         mixwell_composition** composition) {
  return answer([&] {
    *composition = new mixwell_composition{mixwell::compose_written(toml, name, registry->all),
                                           mixwell::place_of_written(name)};
  });
}

int mixwell_compose_interrupted(const mixwell_registry* registry, const char* folder,
                                mixwell_composition** composition) {
  return answer([&] {
    *composition =
        new mixwell_composition{mixwell::load_interrupted(folder, registry->all), folder};
  });
}

void mixwell_composition_free(mixwell_composition* composition) { delete composition; }

int mixwell_manifest(const mixwell_composition* composition, char** toml) {
  return answer([&] { *toml = handed_out(composition->made.effective_manifest); });
}

int mixwell_check(const mixwell_registry* registry, const mixwell_composition* composition,
                  int gradient, char** json) {
  return answer([&] {
    const mixwell::app::Checked found =
        mixwell::app::check(composition->made, registry->all, {.gradient = gradient != 0});
    nlohmann::ordered_json document{{"name", composition->made.name},
                                    {"label", found.label()},
                                    {"words", found.certificate.in_words()},
                                    {"text", mixwell::app::certificate_text(found)}};
    document.update(mixwell::app::check_json(found));
    *json = handed_out(mixwell::json_text(document));
  });
}

int mixwell_verify(const mixwell_registry* registry, const mixwell_composition* composition,
                   const mixwell_verify_options* options, char** json) {
  return answer([&] {
    mixwell::VerifySettings settings;
    settings.targets.assign(options->targets, options->targets + options->target_count);
    if (options->budget > 0) settings.budget = options->budget;
    if (options->alpha > 0) settings.alpha = options->alpha;
    settings.max_seconds = options->max_seconds;
    if (options->stop != nullptr) settings.stop = &options->stop->request;
    std::string document;
    mixwell::app::from_module<decltype(mixwell::app::mixwell_verify_json)>("verify",
                                                                           "mixwell_verify_json")(
        {composition->made, composition->path, registry->all, settings, options->threads},
        document);
    *json = handed_out(document);
  });
}
