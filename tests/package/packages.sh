#!/usr/bin/env bash
# What ./dev package made, each installed where nothing of a build is, and made to run the demo in a minute:
# the wheel in an environment of its own, the tarball in a folder, the Debian packages unpacked into a root.
# usage: packages.sh SOURCE DIST      Exit code 77 (skipped) where DIST has no packages.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

source=$(cd "$1" && pwd)
dist=$2
[[ -d $dist ]] || { echo "skipped: no packages; ./dev package makes them"; exit 77; }
dist=$(cd "$dist" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fault() { echo "$*" >&2; exit 1; }
# Nothing of the user's or of a build: as a new machine has it.
clean() { (cd "$work" && env -i PATH=/usr/bin:/bin HOME="$work" LANG=C.UTF-8 "$@"); }

# demo PROGRAM NAME: the posterior of the demo, and whether its numbers are those of the README.
demo() {
  local began=$SECONDS
  clean "$1" run "$source/examples/challenger/challenger.toml" --out "$work/out-$2" --quiet
  ((SECONDS - began <= 60)) || fault "$2: the demo took $((SECONDS - began)) s"
  clean /usr/bin/python3 - "$work/out-$2/summary.json" <<'PYTHON'
import json, sys
mean = json.load(open(sys.argv[1]))["variables"]["p_31F"]["mean"]
assert abs(mean - 0.986) < 0.01, mean
PYTHON
  clean "$1" report "$work/out-$2" >/dev/null
  clean "$1" verify "$source/examples/certificates/hmc.toml" --target own --budget 1e5 >/dev/null
  echo "$2: the demo, a report and a test of a certificate in $((SECONDS - began)) s"
}

wheel=$(echo "$dist"/mixwell-*.whl)
bytes=$(stat -c %s "$wheel")
((bytes <= 25 * 1024 * 1024)) || fault "the wheel has $bytes bytes, more than 25 MiB"
began=$SECONDS
/usr/bin/python3 -m venv "$work/environment"
clean "$work/environment/bin/pip" install --quiet --disable-pip-version-check "$wheel"
echo "wheel: $bytes bytes, installed in $((SECONDS - began)) s"
demo "$work/environment/bin/mixwell" wheel
clean "$work/environment/bin/python" - <<'PYTHON'
import mixwell as mw
run = mw.run(mw.function(lambda t: (0.5 * (t**2).sum(axis=1), t), {"x": 2}), draws=200)
assert run.certificate.is_exact and run.is_complete, run
PYTHON

mkdir "$work/tarball"
tar -xzf "$dist"/mixwell-*.tar.gz -C "$work/tarball"
demo "$(echo "$work"/tarball/mixwell-*/bin/mixwell)" tarball

for package in "$dist"/*.deb; do dpkg-deb -x "$package" "$work/root"; done
demo "$work/root/usr/bin/mixwell" debian
for share in "$work/root/usr/share" "$(echo "$work"/tarball/mixwell-*/share)"; do
  [[ -f $share/man/man1/mixwell-run.1 && -f $share/bash-completion/completions/mixwell ]] ||
    fault "$share lacks manual pages or completion"
done
[[ -f $work/root/usr/include/mixwell/lab.h && -f $work/root/usr/share/doc/mixwell/docs/python.md ]] ||
  fault "the Debian packages lack headers or documents"
