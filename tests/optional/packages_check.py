# ./dev without root, without apt-get and with everything installed, and the page that names the packages of other systems.
# SPDX-License-Identifier: Apache-2.0
"""./dev runs with a PATH that has only what it calls before it installs packages. dpkg-query, id and apt-get are stubs: the
user is not root, and nobody has sudo."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["MIXWELL_SOURCE_DIR"]
DEV = os.path.join(SOURCE, "dev")


def write_program(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text + "\n")
    os.chmod(path, 0o755)


def demo(missing, apt_get=True):
    """`./dev demo` where dpkg-query reports these packages as not installed."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ["bash", "env", "dirname", "readlink", "nproc"]:
            os.symlink(shutil.which(name), os.path.join(folder, name))
        names = "|".join(missing)
        write_program(folder, "dpkg-query", f'case "$3" in {names}) exit 1 ;; *) printf installed ;; esac')
        write_program(folder, "id", "echo 1000")
        if apt_get:
            write_program(folder, "apt-get", "echo apt-get was called")
        return subprocess.run([DEV, "demo"], env={"PATH": folder}, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)


def packages_of(*lists):
    """The names in these lists of ./dev."""
    with open(DEV, encoding="utf-8") as file:
        text = file.read()
    return [name for one in lists
            for name in re.search(rf"^{one}=\(([^)]*)\)", text, re.MULTILINE).group(1).split() if name[0] != '"']


def packages_on_page():
    with open(os.path.join(SOURCE, "docs/platforms.md"), encoding="utf-8") as file:
        table = file.read().split("| Debian, Ubuntu (apt) |")[1].split("\n\n")[0]
    return re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)


def check(what, holds):
    print(("ok      " if holds else "FAILED  ") + what)
    return holds


def main():
    without_root = demo(["libzip-dev", "graphviz"])
    without_apt = demo(["libzip-dev"], apt_get=False)
    demo_packages = packages_of("program_packages", "run_packages")
    needed = packages_of("program_packages", "build_packages", "run_packages") + ["nodejs", "npm"]
    holds = [
        check("without root one line says what to run", without_root.returncode == 2 and without_root.stdout ==
              "dev: packages are missing. Run as root: apt-get install --no-install-recommends libzip-dev graphviz\n"),
        check("every package of the demo is in that line",
              demo(demo_packages).stdout.split("recommends ")[1].split() == demo_packages),
        check("without apt-get one line names the page", without_apt.returncode == 2
              and without_apt.stdout.count("\n") == 1 and "docs/platforms.md" in without_apt.stdout),
        check("the page has the packages of ./dev", sorted(packages_on_page()) == sorted(needed)),
    ]
    sys.exit(0 if all(holds) else 1)


main()
