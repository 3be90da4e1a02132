#!/usr/bin/env bash
# tarball.sh WHEEL OUT: the wheel as a tarball that works wherever it is unpacked, with bin/mixwell at its
# top. Its Python package is found with PYTHONPATH, its CMake package with CMAKE_PREFIX_PATH=.../mixwell/native.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

wheel=$(readlink -e "$1") out=$(mkdir -p "$2" && cd "$2" && pwd)
version=$(basename "$wheel" | cut -d - -f 2)
name=mixwell-$version-linux-x86_64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/$name/bin"
/usr/bin/python3 -m zipfile -e "$wheel" "$work/$name"
chmod +x "$work/$name"/mixwell/native/bin/mixwell "$work/$name"/mixwell/native/lib/mixwell/*/bin/mixwell
ln -s ../mixwell/native/bin/mixwell "$work/$name/bin/mixwell"
# Where man looks: beside the folder of a program.
ln -s mixwell/native/share "$work/$name/share"
tar -C "$work" --owner 0 --group 0 -czf "$out/$name.tar.gz" "$name"
echo "$out/$name.tar.gz"
