/* C functions for manifests, runs, tests, studies and reports, for use from other languages.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link with libmixwell_c. Results are JSON texts, as in the files of a run and in the output of
 * the program with --json (docs/results.md). Draws are in the run's draws.nc.
 *
 * A function that returns an int returns the program's exit code: 0 success, 1 failed, 2 bad input,
 * 3 refused by the certificate. If the code is not 0, mixwell_fault() returns the message, and the
 * function writes no result. Texts are UTF-8 and end with a zero byte. The caller owns each text
 * that a function returns through a `char**`, and must pass the text to mixwell_free(). Free each
 * handle once, after all calls with it. Several threads may use a registry or a composition at the
 * same time. Plugin libraries stay loaded until the process ends. The functions start threads,
 * which a forked process does not have. After a call to any of these functions, do not use the
 * library in forked child processes.
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
typedef struct mixwell_composition mixwell_composition; /* components and their connections */
typedef struct mixwell_stop mixwell_stop;               /* a request to end early */

/* Return the version, "0.1.0", and the ABI tag that plugins must have. Both texts stay valid until
 * the process ends. */
MIXWELL_C_API const char* mixwell_version(void);
MIXWELL_C_API const char* mixwell_abi(void);

/* Returns the message of this thread's last failed call, valid until the next failed call. */
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

/* Makes a composition from the manifest or Stan program at `path`. `settings` has `count` texts
 * such as "kernel.hmc.steps=5". */
MIXWELL_C_API int mixwell_compose_file(const mixwell_registry* registry, const char* path,
                                       const char* const* settings, size_t count,
                                       mixwell_composition** composition);
/* Makes a composition from the text of a manifest. Error messages state the key, its value and the
 * rule that the value breaks. They contain "composition NAME" instead of a file and a line. Mixwell
 * searches for files in the working directory, then in the folders of MIXWELL_DATA. */
MIXWELL_C_API int mixwell_compose_text(const mixwell_registry* registry, const char* toml,
                                       const char* name, mixwell_composition** composition);
/* Makes the composition of the interrupted run that left a checkpoint in the folder. */
MIXWELL_C_API int mixwell_compose_interrupted(const mixwell_registry* registry, const char* folder,
                                              mixwell_composition** composition);
MIXWELL_C_API void mixwell_composition_free(mixwell_composition* composition);
/* Returns the manifest as TOML with every default filled in. */
MIXWELL_C_API int mixwell_manifest(const mixwell_composition* composition, char** toml);

/* Returns a JSON object with the members of certificate.json, and with "name", "label", "words",
 * "text", "worlds", "cures" and "remarks". It also has "gradient" if `gradient` is not 0. If the
 * composition must not run, it has "error" and "code", but the function still returns 0. */
MIXWELL_C_API int mixwell_check(const mixwell_registry* registry,
                                const mixwell_composition* composition, int gradient, char** json);

MIXWELL_C_API mixwell_stop* mixwell_stop_new(void);
/* Makes the request: each call that got `stop` in its options ends early. Any thread and any signal
 * handler may call this function. */
MIXWELL_C_API void mixwell_stop_make(mixwell_stop* stop);
MIXWELL_C_API void mixwell_stop_free(mixwell_stop* stop);

/* mixwell_run calls this function about five times a second, on the thread that called mixwell_run.
 * `sampling` is 0 in warmup. `done` and `total` count the sweeps of both phases. */
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
  const mixwell_stop* stop; /* or NULL; on request, the run ends early and its draws are kept */
};

/* Runs a composition. Returns {"folder", "outcome", "ended_by", "resumable", "class", "remarks",
 * "summary", "certificate", "run"}. If a request stopped the run, "outcome" is "interrupted", and
 * the function still returns 0. */
MIXWELL_C_API int mixwell_run(const mixwell_composition* composition,
                              const struct mixwell_run_options* options, char** json);

/* Returns {"summary", "certificate", "run", "manifest"} of a run's folder. "summary" is null if the
 * run omitted it. */
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
  int jobs;                        /* worker processes; 0 = one for each core */
  const char* only;                /* pattern of the cells to run, as for --only; NULL = all */
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
 * if `file` is NULL. `written` receives the path of the page. */
MIXWELL_C_API int mixwell_report(const char* folder, const char* file, char** written);

#ifdef __cplusplus
}
#endif

#endif
