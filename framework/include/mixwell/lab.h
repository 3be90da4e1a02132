/* C functions for manifests, runs, tests, studies and reports, for use from other languages.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link with libmixwell_c. Results are JSON texts, the same as in the files of a run and in the
 * output of the program with --json (docs/results.md). Draws are in the run's draws.nc.
 *
 * A function that returns an int returns the program's exit code: 0 success, 1 failed, 2 bad input,
 * 3 refused by the certificate. If it is not 0, mixwell_fault() returns the message, and no result
 * is written. Texts are UTF-8 and end with 0. The caller owns a text that was returned through a
 * `char**`, and must pass it to mixwell_free(). Free each handle once, after all calls with it.
 * Several threads may use a registry or a composition at once. Libraries of plugins stay loaded
 * until the process ends. The functions start threads, so do not call them and then continue in a
 * fork of the process.
 */
#ifndef MIXWELL_LAB_H
#define MIXWELL_LAB_H

#include <mixwell/callback.h>

#include <stdint.h>

#define MIXWELL_C_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mixwell_registry mixwell_registry;       /* all available components */
typedef struct mixwell_composition mixwell_composition; /* connected components */
typedef struct mixwell_stop mixwell_stop;               /* a request to end early */

/* The version, "0.1.0", and the tag that plugins are checked against. Valid until the process
 * ends. */
MIXWELL_C_API const char* mixwell_version(void);
MIXWELL_C_API const char* mixwell_abi(void);

/* The message of this thread's last failed call. Valid until the thread's next failed call. */
MIXWELL_C_API const char* mixwell_fault(void);
MIXWELL_C_API void mixwell_free(char* text);

/* Loads the plugins next to libmixwell, and those in the folders of MIXWELL_PLUGIN_PATH. */
MIXWELL_C_API int mixwell_registry_new(mixwell_registry** registry);
MIXWELL_C_API void mixwell_registry_free(mixwell_registry* registry);
/* Adds the plugin library at `path`. No other call may use the registry at the same time. */
MIXWELL_C_API int mixwell_registry_add(mixwell_registry* registry, const char* path);
/* Returns {"plugins": [{"id", "kind", "summary", "details", "parameters", "traits",
 * "sources", "library"}...], "broken": [{"library", "reason"}...]} */
MIXWELL_C_API int mixwell_plugins(const mixwell_registry* registry, char** json);
/* Returns the JSON schema of manifests. */
MIXWELL_C_API int mixwell_schema(const mixwell_registry* registry, char** json);

/* Makes a composition from the manifest, or from the Stan program, at `path`, with `count` settings
 * such as "kernel.hmc.steps=5". */
MIXWELL_C_API int mixwell_compose_file(const mixwell_registry* registry, const char* path,
                                       const char* const* settings, size_t count,
                                       mixwell_composition** composition);
/* Makes a composition from TOML that a program wrote. Messages state key, value and rule, and
 * "composition NAME" instead of file and line. Files are searched in the working directory, then in
 * MIXWELL_DATA. */
MIXWELL_C_API int mixwell_compose_text(const mixwell_registry* registry, const char* toml,
                                       const char* name, mixwell_composition** composition);
/* Makes the composition of the interrupted run that left a checkpoint in the folder. */
MIXWELL_C_API int mixwell_compose_interrupted(const mixwell_registry* registry, const char* folder,
                                              mixwell_composition** composition);
MIXWELL_C_API void mixwell_composition_free(mixwell_composition* composition);
/* Returns the manifest as TOML with every default filled in. */
MIXWELL_C_API int mixwell_manifest(const mixwell_composition* composition, char** toml);

/* Returns certificate.json with "name", "label", "words", "text", "cures", "remarks", and
 * "gradient" if `gradient` is not 0. For a composition that must not run, the object has "error"
 * and "code"; the function itself still succeeds. */
MIXWELL_C_API int mixwell_check(const mixwell_registry* registry,
                                const mixwell_composition* composition, int gradient, char** json);

MIXWELL_C_API mixwell_stop* mixwell_stop_new(void);
/* Makes the request. May be called from any thread, and from signal handlers. */
MIXWELL_C_API void mixwell_stop_make(mixwell_stop* stop);
MIXWELL_C_API void mixwell_stop_free(mixwell_stop* stop);

/* Called on the thread that called mixwell_run, about five times a second. `sampling` is 0 in
 * warmup. `done` and `total` count the sweeps of both phases. */
typedef void (*mixwell_run_progress)(int sampling, int64_t done, int64_t total, double seconds,
                                     int64_t divergences, void* user_data);

struct mixwell_run_options {
  const char* folder;            /* of the results */
  int threads;                   /* 0 = all cores */
  int force;                     /* replace the results of an earlier run */
  int resume;                    /* continue from the checkpoint in the folder */
  int checked;                   /* check all evaluations, twice as slow */
  mixwell_run_progress progress; /* or NULL */
  void* user_data;
  const mixwell_stop* stop; /* or NULL; a request ends the run early and keeps its draws */
};

/* Runs a composition. Returns {"folder", "outcome", "ended_by", "resumable", "class", "remarks",
 * "summary", "certificate", "run"}. If the run was stopped, "outcome" is "interrupted", and the
 * function still succeeds. */
MIXWELL_C_API int mixwell_run(const mixwell_composition* composition,
                              const struct mixwell_run_options* options, char** json);

/* Returns {"summary", "certificate", "run", "manifest"} of a run's folder. "summary" is null if it
 * was omitted. */
MIXWELL_C_API int mixwell_load(const char* folder, char** json);

struct mixwell_verify_options {
  const char* const* targets; /* names; none = all */
  size_t target_count;
  double budget;            /* gradients; 0 = default of the program */
  double alpha;             /* 0 = default of the program */
  double max_seconds;       /* 0 = no limit */
  int threads;              /* 0 = all cores */
  const mixwell_stop* stop; /* or NULL; a request makes the outcome inconclusive */
};

/* Returns what `mixwell verify --json` prints. */
MIXWELL_C_API int mixwell_verify(const mixwell_registry* registry,
                                 const mixwell_composition* composition,
                                 const struct mixwell_verify_options* options, char** json);

/* `stage` is "planning", "tuning", "running", ... */
typedef void (*mixwell_study_progress)(const char* stage, int64_t done, int64_t failed,
                                       int64_t running, int64_t total, void* user_data);
typedef void (*mixwell_remark)(const char* text, void* user_data);

struct mixwell_study_options {
  const char* path;                /* STUDY.toml */
  const char* folder;              /* of the results */
  int jobs;                        /* worker processes; 0 = as many as cores */
  const char* only;                /* cells, or NULL */
  int retry;                       /* run failed cells again */
  int quick;                       /* use [study.quick] of the study file */
  mixwell_study_progress progress; /* or NULL */
  mixwell_remark remark;           /* or NULL; receives sentences for the user */
  void* user_data;
  const mixwell_stop* stop; /* or NULL */
};

/* Runs a study. Returns {"folder", "total", "done", "failed", "interrupted", "findings"} */
MIXWELL_C_API int mixwell_study(const struct mixwell_study_options* options, char** json);
/* Returns {"study", "file", "axes", "aliases", "columns", "rows", "tune", "tunings", "findings",
 * "paper"} for the folder of a study. */
MIXWELL_C_API int mixwell_study_table(const char* folder, char** json);

/* Writes the report page of a run's or a study's folder to `file`, or to report.html in the folder
 * if `file` is NULL. `written` receives its path. */
MIXWELL_C_API int mixwell_report(const char* folder, const char* file, char** written);

#ifdef __cplusplus
}
#endif

#endif
