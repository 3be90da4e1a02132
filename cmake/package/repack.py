#!/usr/bin/env python3
"""repack.py WHEEL OUT: writes WHEEL into the folder OUT with its files in alphabetical order and without times."""
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys
import zipfile


def main():
    wheel, folder = map(pathlib.Path, sys.argv[1:])
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(
            folder / wheel.name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        files = [file for file in source.infolist() if not file.is_dir()]
        # The metadata comes last, as the format of wheels recommends.
        for file in sorted(files, key=lambda file: (".dist-info/" in file.filename, file.filename)):
            entry = zipfile.ZipInfo(file.filename)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix
            is_executable = file.external_attr >> 16 & 0o100
            entry.external_attr = (0o100755 if is_executable else 0o100644) << 16
            content = source.read(file)
            if file.filename.endswith(".dist-info/RECORD"):
                content = b"".join(sorted(content.splitlines(keepends=True)))
            target.writestr(entry, content, compresslevel=9)


if __name__ == "__main__":
    main()
