/* The laboratory for other languages: manifests, runs, tests, studies and reports by C functions.
 * SPDX-License-Identifier: Apache-2.0
 *
 * libmixwell_c has them. What it hands out is JSON, the same as in the files of a run and as the
 * program prints with --json (docs/results.md); draws are in the run's draws.nc.
 *
 * A function that returns an int returns the program's exit code: 0 well, 1 failed, 2 bad input,
 * 3 refused by the certificate. Then mixwell_fault() has the message, and nothing else is written.
 * Texts are UTF-8 and end with 0; one that is handed out by `char**` is the caller's, who gives it
 * to mixwell_free(). Handles are freed once, after all calls with them. A registry and a
 * composition may be used by several threads at once; libraries of plugins stay loaded until the
 * process ends. Calls start threads: a process that has made one must not go on in a fork.
 */
#ifndef MIXWELL_LAB_H
#define MIXWELL_LAB_H

#include <mixwell/callback.h>

#include <stdint.h>

#define MIXWELL_C_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mixwell_registry mixwell_registry;       /* all components at hand */
typedef struct mixwell_composition mixwell_composition; /* components wired together */
typedef struct mixwell_stop mixwell_stop;               /* a request that what takes long ends */

/* "0.1.0", and the tag that plugins are checked against. Good until the process ends. */
MIXWELL_C_API const char* mixwell_version(void);
MIXWELL_C_API const char* mixwell_abi(void);

/* Of the last call in this thread that failed; good until the next one that does. */
MIXWELL_C_API const char* mixwell_fault(void);
MIXWELL_C_API void mixwell_free(char* text);

/* The plugins beside libmixwell, and those in the folders of MIXWELL_PLUGIN_PATH. */
MIXWELL_C_API int mixwell_registry_new(mixwell_registry** registry);
MIXWELL_C_API void mixwell_registry_free(mixwell_registry* registry);
/* The plugin library at `path`; not while another call uses the registry. */
MIXWELL_C_API int mixwell_registry_add(mixwell_registry* registry, const char* path);
/* {"plugins": [{"id", "kind", "summary", "details", "parameters", "traits", "sources",
 * "library"}...], "broken": [{"library", "reason"}...]} */
MIXWELL_C_API int mixwell_plugins(const mixwell_registry* registry, char** json);
/* JSON schema of manifests. */
MIXWELL_C_API int mixwell_schema(const mixwell_registry* registry, char** json);

/* Of the manifest, or the program in the Stan language, at `path`, with `count` settings as
 * "kernel.hmc.steps=5". */
MIXWELL_C_API int mixwell_compose_file(const mixwell_registry* registry, const char* path,
                                       const char* const* settings, size_t count,
                                       mixwell_composition** composition);
/* Of TOML that a program wrote: messages name key, value and rule, and "composition NAME" in the
 * place of file and line. Files are looked for in the working directory, then in MIXWELL_DATA. */
MIXWELL_C_API int mixwell_compose_text(const mixwell_registry* registry, const char* toml,
                                       const char* name, mixwell_composition** composition);
/* Of the interrupted run that left a checkpoint in the folder. */
MIXWELL_C_API int mixwell_compose_interrupted(const mixwell_registry* registry, const char* folder,
                                              mixwell_composition** composition);
MIXWELL_C_API void mixwell_composition_free(mixwell_composition* composition);
/* TOML with every default filled in. */
MIXWELL_C_API int mixwell_manifest(const mixwell_composition* composition, char** toml);

/* certificate.json with "name", "label", "words", "text", "cures", "remarks", and "gradient" where
 * that is not 0. A composition that must not run has "error" and "code" in it: that it was found is
 * no failure. */
MIXWELL_C_API int mixwell_check(const mixwell_registry* registry,
                                const mixwell_composition* composition, int gradient, char** json);

MIXWELL_C_API mixwell_stop* mixwell_stop_new(void);
/* From any thread, and from signal handlers. */
MIXWELL_C_API void mixwell_stop_make(mixwell_stop* stop);
MIXWELL_C_API void mixwell_stop_free(mixwell_stop* stop);

/* Told from the thread that called, about five times a second. `sampling`: 0 in warm-up; sweeps of
 * both phases are done of `total`. */
typedef void (*mixwell_run_progress)(int sampling, int64_t done, int64_t total, double seconds,
                                     int64_t divergences, void* user_data);

struct mixwell_run_options {
  const char* folder;            /* of the results */
  int threads;                   /* 0 = all cores */
  int force;                     /* replace the results of an earlier run */
  int resume;                    /* go on from the checkpoint in the folder */
  int checked;                   /* repeat evaluations, twice as slow */
  mixwell_run_progress progress; /* or NULL */
  void* user_data;
  const mixwell_stop* stop; /* or NULL; made, the run ends soon and keeps its draws */
};

/* {"folder", "outcome", "ended_by", "resumable", "class", "remarks", "summary", "certificate",
 * "run"}: "outcome" is "interrupted" where it was stopped, which is no failure. */
MIXWELL_C_API int mixwell_run(const mixwell_composition* composition,
                              const struct mixwell_run_options* options, char** json);

/* {"summary", "certificate", "run", "manifest"}: of a run's folder, the first null where it was
 * left out. */
MIXWELL_C_API int mixwell_load(const char* folder, char** json);

struct mixwell_verify_options {
  const char* const* targets; /* names; none = all */
  size_t target_count;
  double budget;            /* gradients; 0 = as the program */
  double alpha;             /* 0 = as the program */
  double max_seconds;       /* 0 = no limit */
  int threads;              /* 0 = all cores */
  const mixwell_stop* stop; /* or NULL; made, the outcome is inconclusive */
};

/* What `mixwell verify --json` prints. */
MIXWELL_C_API int mixwell_verify(const mixwell_registry* registry,
                                 const mixwell_composition* composition,
                                 const struct mixwell_verify_options* options, char** json);

/* `stage`: "planning", "tuning", "running", ... */
typedef void (*mixwell_study_progress)(const char* stage, int64_t done, int64_t failed,
                                       int64_t running, int64_t total, void* user_data);
typedef void (*mixwell_remark)(const char* text, void* user_data);

struct mixwell_study_options {
  const char* path;                /* STUDY.toml */
  const char* folder;              /* of the results */
  int jobs;                        /* worker processes; 0 = as many as cores */
  const char* only;                /* cells, or NULL */
  int retry;                       /* failed cells run again */
  int quick;                       /* as [study.quick] says */
  mixwell_study_progress progress; /* or NULL */
  mixwell_remark remark;           /* or NULL: what the user should know, a sentence each */
  void* user_data;
  const mixwell_stop* stop; /* or NULL */
};

/* {"folder", "total", "done", "failed", "interrupted", "findings"} */
MIXWELL_C_API int mixwell_study(const struct mixwell_study_options* options, char** json);
/* {"study", "file", "axes", "aliases", "columns", "rows", "tune", "tunings", "findings", "paper"}
 * of the folder of a study. */
MIXWELL_C_API int mixwell_study_table(const char* folder, char** json);

/* Writes the page of a run's or a study's folder into `file`, or where that is NULL into
 * report.html in the folder; `written` is its path. */
MIXWELL_C_API int mixwell_report(const char* folder, const char* file, char** written);

#ifdef __cplusplus
}
#endif

#endif
