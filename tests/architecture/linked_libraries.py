# What plugins are linked with brings few libraries, and none for networks.
# SPDX-License-Identifier: Apache-2.0
"""linked_libraries.py [PROGRAM]   (default: $MIXWELL_PROGRAM)

NetCDF brings HDF5, curl, LDAP and Kerberos. libmixwell loads it when a file of draws is first read,
the recorder is linked with it: where this test cannot see it there, it sees nothing. Skipped with
sanitizers, where libmixwell is linked with it."""

import os
import pathlib
import re
import subprocess
import sys

HEAVY = re.compile(r"lib(netcdf|hdf5|curl|ldap|krb5|icu)")


def heavy(file):
    shown = subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout
    return sorted({match.group(0) for match in HEAVY.finditer(shown)})


def has_sanitizers(build):
    cache = (build / "CMakeCache.txt").read_text("utf-8")
    return re.search(r"^MIXWELL_SANITIZE:STRING=.+", cache, re.M) is not None


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["MIXWELL_PROGRAM"])
    if has_sanitizers(program.parent.parent):
        print("skipped: a build with sanitizers")
        return 77
    built = program.parent.parent / "lib"
    plugins = built / "mixwell" / "plugins"
    if "libnetcdf" not in heavy(plugins / "recorder-netcdf.so"):
        return "recorder-netcdf.so: is not linked with NetCDF, or ldd does not say so"
    light = [program, built / "libmixwell.so", built / "libmixwell_lab.so", plugins / "model-gaussian.so"]
    found = {file.name: heavy(file) for file in light}
    return "\n".join(f"{name}: brings {', '.join(libraries)}" for name, libraries in found.items() if libraries)


if __name__ == "__main__":
    sys.exit(main() or 0)
