"""How large the project is: ./dev weight [COMMIT] [--program PATH]

Product lines are lines of C++ in framework, plugins, models, integrators and estimators, without those that are blank or
hold only a comment; those in papers are counted apart, without their tests. Keys are those that the components of PATH declare.
"""

# SPDX-License-Identifier: Apache-2.0
import argparse
import json
import re
import subprocess
import sys

from code_lines import code_lines

TRUNK = ("framework", "plugins", "models", "integrators", "estimators")
NO_AUTHORS = ("lab.hpp", "lab.h", "callback.h", "export.hpp", "version.hpp")
NO_AUTHORS_FOLDERS = ("lab", "detail")


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True).stdout


def files_of(commit):
    return git("ls-tree", "-r", "--name-only", "-z", commit).decode().split("\0")[:-1]


def texts_of(commit, names):
    asked = "".join(f"{commit}:{name}\n" for name in names).encode()
    answer = subprocess.run(["git", "cat-file", "--batch"], input=asked, check=True, capture_output=True).stdout
    for name in names:
        head, _, answer = answer.partition(b"\n")
        size = int(head.split()[2])
        yield name, answer[:size].decode()
        answer = answer[size + 1 :]


def keys_of(program):
    def asked(*words):
        return json.loads(subprocess.run([program, *words, "--json"], check=True, capture_output=True).stdout)

    plugins = asked("plugins")["plugins"]
    return sum(len(asked("plugins", "show", f"{one['kind']}/{one['id']}")["parameters"]) for one in plugins)


def weigh(commit):
    names = files_of(commit)
    code = [name for name in names if name.endswith((".cpp", ".hpp", ".h"))]
    lines = {}
    for name, text in texts_of(commit, code):
        lines[name] = len(code_lines(text))
    product = {top: sum(count for name, count in lines.items() if name.startswith(top + "/")) for top in TRUNK}
    print(f"{commit}: {len(names)} files")
    for top, count in product.items():
        print(f"  {top:12} {count:7}")
    is_test = {name: name.startswith("tests/") or re.match(r"papers/[^/]+/tests/", name) is not None for name in lines}
    papers = sum(count for name, count in lines.items() if name.startswith("papers/") and not is_test[name])
    print(f"product lines: trunk {sum(product.values())}, papers {papers}, both {sum(product.values()) + papers}")
    print(f"lines of C++ tests: {sum(count for name, count in lines.items() if is_test[name])}")
    headers = [name.split("/")[3:] for name in names if name.startswith("framework/include/mixwell/")]
    authors = [name for name in headers if name[-1] not in NO_AUTHORS and name[0] not in NO_AUTHORS_FOLDERS]
    print(f"headers for authors: {len(authors)}, at the top {sum(len(name) == 1 for name in authors)}")
    long = [name for name, count in lines.items() if count > 300 and name.split("/")[0] in TRUNK + ("papers",)]
    print(f"files above 300 lines: {len(long)}")


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("commit", nargs="?", default="HEAD")
    reader.add_argument("--program", help="whose components' keys are counted")
    arguments = reader.parse_args()
    weigh(arguments.commit)
    if arguments.program:
        print(f"keys: {keys_of(arguments.program)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
