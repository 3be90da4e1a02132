# Fragments of TOML, C++, C, CMake, R and SQL in the documents, each checked as its kind allows.
# SPDX-License-Identifier: Apache-2.0
import functools
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tomllib

from commands import OUTSIDE, PROGRAM, SOURCE, carried_out

KINDS = ("model", "oracle", "integrator", "estimator", "steps", "kernel", "compositor", "recorder")


def said(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True,
                          env={**os.environ, "MIXWELL_PLUGIN_PATH": OUTSIDE}).stdout


@functools.cache
def schema(of_study):
    return json.loads(said("schema", *(["--study"] if of_study else [])))


@functools.cache
def keys_of(kind):
    """Every key of every component of a kind."""
    listed = json.loads(said("plugins", kind, "--json"))["plugins"]
    return {parameter["key"].split(".")[0].removesuffix("[]") for one in listed for parameter in
            json.loads(said("plugins", "show", f"{kind}/{one['id']}", "--json"))["parameters"]} | {"use"}


TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}


def unlike(rule, value, path=""):
    """What of a value a JSON schema does not allow; what is not there is not missed."""
    faults, types = [], rule.get("type")
    types = [types] if isinstance(types, str) else types or []
    if types and not any(isinstance(value, TYPES[name]) for name in types):
        return [f"{path} is of no type {' or '.join(types)}"]
    if "enum" in rule and value not in rule["enum"] or "const" in rule and value != rule["const"]:
        return [f"{path} = {value!r} is none of {rule.get('enum', rule.get('const'))}"]
    for part in rule.get("allOf", []):
        if "if" not in part:
            faults += unlike(part, value, path)
        elif all(value.get(key) == wanted["const"] for key, wanted in part["if"]["properties"].items()):
            faults += unlike(part["then"], value, path)
    if isinstance(value, dict):
        named, others = rule.get("properties", {}), rule.get("additionalProperties", True)
        for key, inner in value.items():
            if key in named:
                faults += unlike(named[key], inner, f"{path}.{key}")
            elif others is False:
                faults.append(f"{path} has no key {key}")
            elif others is not True:
                faults += unlike(others, inner, f"{path}.{key}")
    if isinstance(value, list) and "items" in rule:
        faults += [fault for k, inner in enumerate(value) for fault in unlike(rule["items"], inner, f"{path}[{k}]")]
    return faults


def unknown_in(table, path=""):
    """Of tables that hold KIND.NAME.KEY somewhere (axes, changes of variants): keys of no component."""
    faults = []
    for key, value in table.items() if isinstance(table, dict) else ():
        if key in KINDS and isinstance(value, dict) and all(isinstance(one, dict) for one in value.values()):
            faults += [f"{path}.{key}.{name}: no {key} has the key {inner}" for name, one in value.items()
                       if "manifest" not in one and not one.keys() & {"axes", *KINDS}
                       for inner in one if inner not in keys_of(key)]
        if isinstance(value, dict):
            faults += unknown_in(value, f"{path}.{key}")
        elif isinstance(value, list):
            faults += [fault for one in value for fault in unknown_in(one, f"{path}.{key}")]
    return faults


class Tomls:
    """A block without `use` speaks of the component that an earlier block of its document has."""

    def __init__(self, place):
        self.place, self.document, self.uses = place, "", {}

    def faults(self, block):
        if block.document != self.document:
            self.document, self.uses = block.document, {}
        try:
            tables = tomllib.loads(block.as_read())
        except tomllib.TOMLDecodeError as fault:
            return [str(fault)]
        for kind in KINDS:
            for name, table in tables.get(kind, {}).items():
                if "use" in table:
                    self.uses[kind, name] = table["use"]
                elif (kind, name) in self.uses:
                    table["use"] = self.uses[kind, name]
        if "study" in tables:
            return unlike(schema(True), tables, "study file") + unknown_in(tables["study"], "study")
        faults = unlike(schema(False), tables, "manifest")
        return faults or ([] if "mixwell" not in tables or block.mark == "not run" else self.refused(block))

    def refused(self, block):
        """A whole manifest is put to `mixwell check`."""
        name = block.words if block.mark == "file" else "whole.toml"
        (self.place / name).write_text(block.as_read(), encoding="utf-8")
        done = carried_out(f"mixwell check {name}", self.place)
        return [] if done.returncode == 0 else [done.stdout]


def condensed(text):
    return re.sub(r"\s+", " ", text).strip()


@functools.cache
def compiled():
    """Texts that a build or a test compiles, and what `mixwell new` writes."""
    listed = subprocess.run(["git", "ls-files", "*.cpp", "*.hpp", "*.c", "*.h", "*/CMakeLists.txt"], cwd=SOURCE,
                            check=True, capture_output=True, text=True).stdout.split()
    return {name: condensed((SOURCE / name).read_text("utf-8")) for name in listed}


def written_anew(place):
    """The model and the kernel whose code the documents show."""
    done = carried_out("mkdir anew && cd anew && mixwell new model own-density && mixwell new kernel my-walk", place)
    if done.returncode != 0:
        raise SystemExit(done.stdout)
    return {str(path): condensed(path.read_text("utf-8")) for path in (place / "anew").rglob("*.cpp")}


def is_compiled(block, texts):
    return any(condensed(block.text) in text for text in texts.values())


def faults_of_compiler(block, place):
    """With what `compiles` puts after it; a test of a plugin has the headers that `mixwell new` writes."""
    build = pathlib.Path(PROGRAM).parents[1]
    cache = (build / "CMakeCache.txt").read_text("utf-8")
    eigen = re.search(r'-isystem (\S*eigen3)\b', (build / "compile_commands.json").read_text("utf-8"))
    cpp = block.language == "cpp"
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.M)[1] if cpp else "cc"
    done = subprocess.run(
        [compiler, "-fsyntax-only", *(["-std=c++20", '-DMIXWELL_ISA="x86-64"'] if cpp else []), "-x", "c++" if cpp else "c", "-",
         "-I", SOURCE / "framework" / "include", "-I", SOURCE / "framework" / "contracts" / "include",
         "-I", place / "anew" / "own-density" / "tests", *(["-isystem", eigen[1]] if eigen else [])],
        input=block.text + block.words + "\n", text=True, capture_output=True)
    return [] if done.returncode == 0 else [done.stderr[:2000]]


def faults_of_r(block):
    if shutil.which("Rscript") is None:
        return []
    done = subprocess.run(["Rscript", "-e", "invisible(parse(file('stdin')))"], input=block.text, text=True,
                          capture_output=True)
    return [] if done.returncode == 0 else [done.stderr]


def faults_of_sql(block, place):
    """The SELECTs, by SQLite on the study that README has made, attached as the document says."""
    database = sqlite3.connect(":memory:")
    attached = re.search(r"ATTACH '([^']+)' AS (\w+)", block.text)
    try:
        database.execute(f"ATTACH '{pathlib.Path(place, attached[1])}' AS {attached[2]}")
        rows = [row for query in re.findall(r"^SELECT .*?;", block.text, re.M | re.S)
                for row in database.execute(query)]
    except sqlite3.Error as fault:
        return [str(fault)]
    return [] if rows else ["no row"]
