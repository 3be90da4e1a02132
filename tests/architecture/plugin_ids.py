# No source of the framework knows a plugin by its id.
# SPDX-License-Identifier: Apache-2.0
"""plugin_ids.py [SOURCE [PROGRAM]]   (defaults: $MIXWELL_SOURCE_DIR, $MIXWELL_PROGRAM)

The ids are those that PROGRAM lists, in its own folder of plugins. In texts of framework/ that are
code (not in comments) an id may stand only where ALLOWED says why: as a default of manifests that is
documented, or where the same word means something else. What the framework wants to know of a
component, the component declares: by a trait, a purpose, a capability, the metadata of a record.
A line of ALLOWED that allows what is never found is a fault too."""

import json
import os
import re
import subprocess
import sys
import tempfile

FOLDER = "framework"
TEXT = re.compile(r'"((?:\\.|[^"\\\n])*)"|//[^\n]*|/\*.*?\*/', re.S)

DEFAULTS = "what a manifest that leaves it out has, as documented"
TARGETS = "a target of `mixwell verify` is a manifest's table, listed in docs/verify.md"
HELP = "an example in a help text or a message"
CLASS = "the class of a certificate"
GUEST = "refused with the paper that it comes with"
REMOVED = "a key that it had is refused with what to write instead"
NOT_A_PLUGIN = "another thing of the same name"

# (file, id): why it may stand there
ALLOWED = {
    ("src/manifest/wiring.cpp", "chain"): DEFAULTS,
    ("include/mixwell/kernel/asymmetric.hpp", "exact"): DEFAULTS,
    ("src/kernel/transition.cpp", "exact"): DEFAULTS,
    ("src/kernel/transition.cpp", "identity"): DEFAULTS,
    ("src/kernel/transition.cpp", "diagonal"): DEFAULTS,
    ("src/manifest/wiring.cpp", "netcdf"): DEFAULTS,
    ("src/manifest/wiring.cpp", "ensemble-chain"): HELP,
    **{("src/verify/target.cpp", model): TARGETS
       for model in ("banana", "double-well", "gaussian", "gaussian-mixture", "quartic", "student-t")},
    **{("include/mixwell/lab/verify.hpp", model): TARGETS
       for model in ("banana", "double-well", "quartic", "student-t")},
    ("src/verify/verify.cpp", "quartic"): TARGETS,
    ("src/app/plugins_command.cpp", "hamiltonian"): HELP,
    **{("src/app/verify_command.cpp", model): HELP for model in ("banana", "quartic")},
    ("src/app/posteriordb_command.cpp", "stan"): "an option is for this model alone",
    **{("src/base/removed_names.cpp", model): REMOVED
       for model in ("callback", "probit-latent", "probit-regression", "riemannian", "stan")},
    ("src/certificate/rules.cpp", "cycle"): NOT_A_PLUGIN,  # the trait
    **{(file, "exact"): CLASS
       for file in ("src/certificate/record_json.cpp", "src/certificate/rules.cpp",
                    "src/verify/verify.cpp")},
    ("src/manifest/run_settings.cpp", "exact"): NOT_A_PLUGIN,  # init = "exact"
    ("src/manifest/schema.cpp", "exact"): NOT_A_PLUGIN,  # likewise
    **{(file, "chain"): NOT_A_PLUGIN  # of draws, and the dimension of draws.nc
       for file in ("src/results/draws.cpp", "src/sampler/sampler.cpp", "src/law/parameter_rules.cpp",
                    "src/run/record.cpp")},
    ("src/manifest/manifest_arguments.cpp", "stan"): "a program in the Stan language in the place of a manifest",
    ("src/app/modules/posteriordb/posteriordb.cpp", "stan"): "the programs of posteriordb are in the Stan language",
    **{("src/base/removed_names.cpp", guest): GUEST
       for guest in ("bayesian-neural-network", "fisher-scoring", "fixed-form-vb", "ica", "linear-chain-crf", "natural-gradient", "stable-factorisation")},
    ("src/results/cmdstan_csv.cpp", "nuts"): NOT_A_PLUGIN,  # an engine of CmdStan
    ("src/run/record.cpp", "netcdf"): NOT_A_PLUGIN,  # the library's version
}

# Ids that are words of statistics or of English: in prose they count only beside their kind, or in quotes.
ORDINARY = {"blocks", "chain", "conditional", "cycle", "diagonal", "exact", "gamma", "gaussian", "map", "mixture",
            "noisy", "slice", "stan"}


def own_plugins(program):
    listed = subprocess.run([program, "plugins", "--json"], capture_output=True, text=True, check=True,
                            env={**os.environ, "MIXWELL_PLUGIN_PATH": os.path.join(os.path.dirname(program), "../papers")})
    return {(plugin["kind"], plugin["id"]) for plugin in json.loads(listed.stdout)["plugins"]}


def texts_in(code):
    """Literals of a source, with their lines; not those in comments. Neighbours are one text, as for
    the compiler: a name may be broken over lines."""
    text, begin, end = "", 0, None
    for found in TEXT.finditer(code):
        if found[1] is None:
            continue
        if end is None or code[end:found.start()].strip():
            if end is not None:
                yield code.count("\n", 0, begin) + 1, text
            text, begin = "", found.start()
        text, end = text + found[1], found.end()
    if end is not None:
        yield code.count("\n", 0, begin) + 1, text


def mentions(text, kind, name):
    """The id alone, as `use` or table of a manifest, as KIND/ID, as the name of a library, or in
    prose: KIND ID, KIND `ID`, `ID`, and wherever it stands where it is no ordinary word."""
    id_ = re.escape(name)
    if name not in ORDINARY and re.search(rf"(?<![\w/-]){id_}(?![\w-])", text):
        return True
    return text == name or re.search(
        rf'use = \\?"?{id_}\b(?!-)|\b{kind}[/-]{id_}\b(?!-)|\b{kind}s? `?{id_}\b(?!-)|`{id_}`',
        text) is not None


def sources(root):
    for place, _, names in os.walk(os.path.join(root, FOLDER)):
        for name in sorted(names):
            if name.endswith((".cpp", ".hpp")):
                yield os.path.join(place, name)


def faults(root, plugins, allowed):
    found, used = [], set()
    for path in sources(root):
        name = os.path.relpath(path, os.path.join(root, FOLDER))
        with open(path, encoding="utf-8") as file:
            texts = list(texts_in(file.read()))
        for kind, id_ in sorted(plugins):
            for line, text in texts:
                if not mentions(text, kind, id_):
                    continue
                used.add((name, id_))
                if (name, id_) not in allowed:
                    found.append(f'{FOLDER}/{name}:{line}: "{text}" names the {kind} {id_}; let the '
                                 "component declare what is asked of it")
    found += [f"ORDINARY: there is no plugin {id_}" for id_ in sorted(ORDINARY - {id_ for _, id_ in plugins})]
    found += [f"ALLOWED: {name} names no {id_} any more" for name, id_ in sorted(set(allowed) - used)]
    return found


def catches_itself(plugins):
    """The rules find what they are for."""
    ids = [id_ for _, id_ in plugins]
    kind, id_ = min(plugin for plugin in plugins if ids.count(plugin[1]) == 1 and plugin[1] not in ORDINARY)
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, FOLDER))
        path = os.path.join(root, FOLDER, "tampered.cpp")

        def count(code, allowed=()):
            with open(path, "w", encoding="utf-8") as file:
                file.write(code)
            return len(faults(root, plugins, dict.fromkeys(allowed)))

        assert count(f'if (entry.id == "{id_}") return;\n') == 1
        assert count(f'table = "use = \\"{id_}\\"\\n";\n') == 1
        assert count(f'find("{kind}/{id_}");\n') == 1
        assert count(f'// "{id_}" is said in a comment\nconst char* word = "{id_}-like";\n') == 0
        assert count(f'refuse("{{}} fails; use {kind} {id_}");\n') == 1
        assert count(f'refuse("{{}} fails; use another, such as "\n       "`{id_}`");\n') == 1
        assert count(f'refuse("{{}} fails; use {kind} "\n       "{id_}, or leave it");\n') == 1
        assert count(f'refuse("{{}} fails; use {kind} {id_}-like, or two {id_}s");\n') == 0
        assert count(f'refuse("{{}} fails under a {id_}, and under others");\n') == 1
        assert count('refuse("{} is exact, a chain of kernels");\n') == 0
        assert count('refuse("{} fails; use kernel slice, or `slice`");\n') == 1
        assert count(f'call("{id_}");\n', [("tampered.cpp", id_)]) == 0
        assert count("nothing();\n", [("tampered.cpp", id_)]) == 1


def main():
    given = sys.argv[1:]
    root = given[0] if given else os.environ["MIXWELL_SOURCE_DIR"]
    plugins = own_plugins(given[1] if len(given) > 1 else os.environ["MIXWELL_PROGRAM"])
    catches_itself(plugins)
    found = faults(root, plugins, ALLOWED)
    print("\n".join(found) or f"{len(plugins)} plugins, none known by its id but for {len(ALLOWED)} "
                              "allowances")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
