# Libraries and tools that a build can do without: it is configured with each and without it.
# SPDX-License-Identifier: Apache-2.0
"""A configuration that lacks a library has to end, and must not have the part that needs the library. MPI is made
absent by giving CMake a compiler that is no wrapper of MPI's: CMake then makes the target MPI::MPI_CXX all the same,
as it does on a machine without MPI."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["MIXWELL_SOURCE_DIR"]
BUILD = os.environ["MIXWELL_BUILD_DIR"]


def cached(name):
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        found = re.search(rf"^{name}:\w+=(.*)$", cache.read(), re.MULTILINE)
    return found.group(1) if found else ""


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def targets_with(*options):
    """The names of all targets of a configuration with these options."""
    with tempfile.TemporaryDirectory() as folder:
        compiler = cached("CMAKE_CXX_COMPILER")
        done = run("cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", "-DMIXWELL_TESTS=OFF",
                   "-DCMAKE_CXX_COMPILER=" + compiler, *options)
        if done.returncode != 0:
            sys.exit(f"not configured with {options}:\n{done.stdout}")
        listed = run("ninja", "-C", folder, "-t", "targets", "all").stdout
    return {line.split(":")[0] for line in listed.splitlines()}


def failed_page():
    """What the build of the page says where node and npm are absent."""
    with tempfile.TemporaryDirectory() as folder:
        return run("cmake", "-DNODE=NODE-NOTFOUND", "-DNPM=NPM-NOTFOUND", "-DFOLDER=" + folder, "-P",
                   os.path.join(SOURCE, "cmake", "MixwellFetchPage.cmake"))


def check(what, holds):
    print(("ok      " if holds else "FAILED  ") + what)
    return holds


def main():
    compiler = cached("CMAKE_CXX_COMPILER")
    bare = targets_with("-DMPI_CXX_COMPILER=" + compiler, "-DMIXWELL_REPORT=OFF")
    whole = targets_with()
    holds = [
        check("without MPI there is no module mpi", "mixwell_command_mpi" not in bare),
        check("the program is built without MPI", "mixwell" in bare and "mixwell_command_study" in bare),
        check("without the report there is no page", "mixwell_page" not in bare),
        check("the page is built where it is asked for", "mixwell_page" in whole),
    ]
    if shutil.which("mpicxx"):
        holds.append(check("with MPI there is the module mpi", "mixwell_command_mpi" in whole))
    page = failed_page()
    holds.append(check("without node the build of the page says what to install",
                       page.returncode != 0 and "apt-get install nodejs npm" in page.stdout
                       and "MIXWELL_REPORT=OFF" in page.stdout))
    sys.exit(0 if all(holds) else 1)


main()
