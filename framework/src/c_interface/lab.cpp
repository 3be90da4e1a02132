// The functions of mixwell/lab.h.
// SPDX-License-Identifier: Apache-2.0
#include "advice/run_json.hpp"
#include "base/memory_limit.hpp"
#include "base/utf8.hpp"
#include "files/instruction_set.hpp"
#include "files/json.hpp"
#include "manifest/made_in_code.hpp"
#include "manifest/manifest_arguments.hpp"
#include "plugin/abi_tag.hpp"
#include "plugin/plugin_json.hpp"
#include "tested/test_outcome.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab.h>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/report.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/stop_request.hpp>
#include <mixwell/lab/study.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <string>

struct mixwell_registry {
  mixwell::Registry all;
};

struct mixwell_composition {
  mixwell::Composition made;
  std::string path;  ///< the path that parse_manifest() got
};

struct mixwell_stop {
  mixwell::StopRequest request;
};

namespace {

using namespace mixwell;

thread_local std::string fault;

int fail(ExitCode code, const std::string& message) {
  fault = as_utf8(message);  // messages of foreign exceptions may not be UTF-8
  return static_cast<int>(code);
}

/// netCDF asks HDF5 for attributes that may be absent. HDF5 then prints errors, which netCDF
/// silences only in the first thread.
void silence_hdf5() {
  thread_local const bool silent = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  (void)silent;
}

/// Runs `body`. Returns 0, or the exit code of the exception that `body` throws. mixwell_fault()
/// then returns the message of this exception. Never throws.
int answer(const std::function<void()>& body) noexcept try {
  silence_hdf5();
  body();
  return 0;
} catch (const Error& error) {
  return fail(error.code(), error.what());
} catch (const std::bad_alloc&) {
  return fail(ExitCode::failed, out_of_memory());
} catch (const std::exception& error) {
  return fail(ExitCode::failed, error.what());
} catch (...) {
  return fail(
      ExitCode::failed,
      "the code threw an exception of an unknown type, which has no message. Throw an "
      "exception derived from std::exception, or report this to the author of the component");
}

/// A copy for the caller, who must free it with mixwell_free().
char* handed_out(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

RunOptions options_of(const mixwell_run_options& given) {
  RunOptions options;
  options.folder = given.folder;
  options.threads = given.threads;
  options.force = given.force != 0;
  options.resume = given.resume != 0;
  options.checked = given.checked != 0;
  if (given.stop != nullptr) options.stop = &given.stop->request;
  if (given.progress == nullptr) return options;
  options.progress = [tell = given.progress, to = given.user_data](const Progress& now) {
    tell(now.phase == PhaseKind::sampling ? 1 : 0, now.done, now.total, now.seconds,
         now.divergences, to);
  };
  return options;
}

StudyOptions options_of(const mixwell_study_options& given) {
  StudyOptions options;
  options.path = given.path;
  options.folder = given.folder;
  options.program = own_program();
  options.jobs = given.jobs;
  if (given.only != nullptr) options.only = given.only;
  options.retry = given.retry != 0;
  options.quick = given.quick != 0;
  options.stop = given.stop == nullptr ? nullptr : &given.stop->request;
  options.progress = [given](const StudyProgress& now) {
    if (given.progress != nullptr)
      given.progress(now.stage.c_str(), now.done, now.failed, now.running, now.total,
                     given.user_data);
  };
  options.remark = [given](const std::string& text) {
    if (given.remark != nullptr) given.remark(text.c_str(), given.user_data);
  };
  return options;
}

/// Prints a note. The interface has no callback for notes.
void note(const std::string& text) { fmt::print(stderr, "mixwell: note: {}\n", text); }

}  // namespace

const char* mixwell_fault() { return fault.c_str(); }

void mixwell_free(char* text) { std::free(text); }

const char* mixwell_version() { return MIXWELL_VERSION; }

const char* mixwell_abi() {
  static const std::string tag = host_abi_tag();
  return tag.c_str();
}

int mixwell_registry_new(mixwell_registry** registry) {
  return answer([&] { *registry = new mixwell_registry{load_registry()}; });
}

void mixwell_registry_free(mixwell_registry* registry) { delete registry; }

int mixwell_registry_add(mixwell_registry* registry, const char* path) {
  return answer([&] { registry->all.add_library(path); });
}

int mixwell_plugins(const mixwell_registry* registry, char** json) {
  return answer([&] {
    nlohmann::ordered_json all = list_json(registry->all, registry->all.entries());
    all["plugins"] = nlohmann::ordered_json::array();
    for (const Entry& entry : registry->all.entries()) all["plugins"].push_back(entry_json(entry));
    *json = handed_out(json_text(all));
  });
}

int mixwell_schema(const mixwell_registry* registry, char** json) {
  return answer([&] { *json = handed_out(manifest_schema(registry->all)); });
}

int mixwell_compose_file(const mixwell_registry* registry, const char* path,
                         const char* const* settings, size_t count,
                         mixwell_composition** composition) {
  return answer([&] {
    const ManifestArguments arguments{path, {settings, settings + count}};
    *composition = new mixwell_composition{load(arguments, registry->all), arguments.path};
  });
}

int mixwell_compose_text(const mixwell_registry* registry, const char* toml, const char* name,
                         mixwell_composition** composition) {
  return answer([&] {
    *composition =
        new mixwell_composition{compose_written(toml, name, registry->all), place_of_written(name)};
  });
}

int mixwell_compose_interrupted(const mixwell_registry* registry, const char* folder,
                                mixwell_composition** composition) {
  return answer([&] {
    *composition = new mixwell_composition{load_interrupted(folder, registry->all), folder};
  });
}

void mixwell_composition_free(mixwell_composition* composition) { delete composition; }

int mixwell_manifest(const mixwell_composition* composition, char** toml) {
  return answer([&] { *toml = handed_out(composition->made.effective_manifest); });
}

int mixwell_check(const mixwell_registry* registry, const mixwell_composition* composition,
                  int gradient, char** json) {
  return answer([&] {
    const Checked found = check(composition->made, registry->all,
                                {.gradient = gradient != 0, .worlds = worlds_report});
    nlohmann::ordered_json document{{"name", composition->made.name},
                                    {"label", found.label()},
                                    {"words", found.certificate.in_words()},
                                    {"text", certificate_text(found)}};
    document.update(json_of(found));
    *json = handed_out(json_text(document));
  });
}

int mixwell_verify(const mixwell_registry* registry, const mixwell_composition* composition,
                   const mixwell_verify_options* options, char** json) {
  return answer([&] {
    VerifySettings settings;
    settings.targets.assign(options->targets, options->targets + options->target_count);
    if (options->budget > 0) settings.budget = options->budget;
    if (options->alpha > 0) settings.alpha = options->alpha;
    settings.max_seconds = options->max_seconds;
    if (options->stop != nullptr) settings.stop = &options->stop->request;
    const TestOutcome outcome = put_to_the_test(composition->made, composition->path, registry->all,
                                                settings, options->threads);
    *json = handed_out(json_text(json_of(outcome)));
  });
}

mixwell_stop* mixwell_stop_new() { return new mixwell_stop; }
void mixwell_stop_make(mixwell_stop* stop) { stop->request.make(); }
void mixwell_stop_free(mixwell_stop* stop) { delete stop; }

int mixwell_run(const mixwell_composition* composition, const mixwell_run_options* options,
                char** json) {
  return answer([&] {
    const RunResult result = run(composition->made, options_of(*options));
    const nlohmann::ordered_json all = run_json(result, composition->made.effective_manifest);
    *json = handed_out(json_text(all.at("result")));
  });
}

int mixwell_load(const char* folder, char** json) {
  return answer([&] { *json = handed_out(json_text(folder_json(folder))); });
}

int mixwell_study(const mixwell_study_options* options, char** json) {
  return answer([&] {
    const StudyResult result = run_study(options_of(*options));
    *json = handed_out(json_text({{"folder", result.folder},
                                  {"total", result.progress.total},
                                  {"done", result.progress.done},
                                  {"failed", result.progress.failed},
                                  {"interrupted", result.interrupted},
                                  {"findings", result.findings}}));
  });
}

int mixwell_study_table(const char* folder, char** json) {
  return answer([&] { *json = handed_out(study_table_json(std::string(folder))); });
}

int mixwell_report(const char* folder, const char* file, char** written) {
  return answer(
      [&] { *written = handed_out(write_report(folder, file == nullptr ? "" : file, note)); });
}
