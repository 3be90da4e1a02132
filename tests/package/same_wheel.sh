#!/usr/bin/env bash
# The wheel of ./dev package has the bytes of one that a copy of the sources gives in another folder, without ccache.
# Takes as long as a build of dependencies and Mixwell.
# usage: same_wheel.sh SOURCE DIST
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

source=$(cd "$1" && pwd) dist=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/copy"
git -C "$source" ls-files -z | (cd "$source" && tar -c --null -T -) | tar -x -C "$work/copy"
CCACHE_DISABLE=1 "$work/copy/cmake/package/wheel.sh" "$work/copy" "$work/elsewhere" "$work/out" >"$work/log" 2>&1 ||
  { tail -n 30 "$work/log" >&2; exit 1; }
first=$(echo "$dist"/mixwell-*"$(uname -m)".whl)
second=$(echo "$work"/out/mixwell-*.whl)
sha256sum "$first" "$second"
cmp "$first" "$second" || {
  /usr/bin/python3 - "$first" "$second" <<'PYTHON'
import sys, zipfile
one, other = ({file.filename: file.CRC for file in zipfile.ZipFile(wheel).infolist()} for wheel in sys.argv[1:])
for name in sorted(set(one) | set(other)):
    if one.get(name) != other.get(name):
        print(name, "differs" if name in one and name in other else "is in one wheel only")
PYTHON
  exit 1
}
