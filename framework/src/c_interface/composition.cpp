// The C interface: compositions from manifests, their certificates, and tests of those.
// SPDX-License-Identifier: Apache-2.0
#include "advice/check_json.hpp"
#include "c_interface/answer.hpp"
#include "c_interface/handles.hpp"
#include "files/json.hpp"
#include "manifest/manifest_arguments.hpp"
#include "manifest/written_text.hpp"
#include "tested/test_outcome.hpp"

#include <mixwell/lab/run.hpp>

#include <nlohmann/json.hpp>

using mixwell::answer;
using mixwell::handed_out;

int mixwell_compose_file(const mixwell_registry* registry, const char* path,
                         const char* const* settings, size_t count,
                         mixwell_composition** composition) {
  return answer([&] {
    const mixwell::ManifestArguments arguments{path, {settings, settings + count}};
    *composition = new mixwell_composition{mixwell::load(arguments, registry->all), arguments.path};
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
    const mixwell::Checked found =
        mixwell::check(composition->made, registry->all,
                       {.gradient = gradient != 0, .worlds = mixwell::worlds_report});
    nlohmann::ordered_json document{{"name", composition->made.name},
                                    {"label", found.label()},
                                    {"words", found.certificate.in_words()},
                                    {"text", mixwell::certificate_text(found)}};
    document.update(mixwell::json_of(found));
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
    const mixwell::TestOutcome outcome = mixwell::put_to_the_test(
        composition->made, composition->path, registry->all, settings, options->threads);
    *json = handed_out(mixwell::json_text(mixwell::json_of(outcome)));
  });
}
