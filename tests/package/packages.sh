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

set_of() { grep -o '"isa": "[^"]*"' "$1/run.json" | cut -d '"' -f 4; }
hash_of() { grep -o '"draws_sha256": "[^"]*"' "$1/run.json"; }
expect() { [[ $2 == "$3" ]] || fault "$1: expected $3, found $2"; }

# sets PROGRAM NAME: bin/mixwell picks an instruction set; manifest, checkpoint and study keep theirs. Under an emulated
# processor without AVX2, bin/mixwell picks x86-64-v2, whose program runs there, and the program of x86-64-v3 does not.
sets() {
  local program=$1 folder=$work/sets-$2 emulated=(qemu-x86_64 -cpu Nehalem) of_set
  mkdir "$folder"
  cat >"$folder/m.toml" <<'TOML'
mixwell = 1
[model.g]
use = "gaussian"
dimension = 2
[kernel.k]
use = "nuts"
step_size = 0.5
TOML
  printf 'mixwell = 1\n[study]\nbase = "m.toml"\nrepeats = 2\nkeep = "draws"\n' >"$folder/s.toml"
  of_set=$(find -L "$(dirname "$program")/.." -path '*/mixwell/x86-64-v2/bin/mixwell')
  of_set=${of_set%/x86-64-v2/bin/mixwell}
  run() { clean "$program" run "$folder/m.toml" --quiet --out "$folder/$1" "${@:2}"; }
  run usual
  expect "$2: usual set" "$(set_of "$folder/usual")" x86-64-v3
  clean env MIXWELL_ISA=x86-64-v2 "$program" run "$folder/m.toml" --quiet --out "$folder/v2"
  expect "$2: MIXWELL_ISA" "$(set_of "$folder/v2")" x86-64-v2
  run asked --set 'run.isa="x86-64-v2"'
  expect "$2: run.isa" "$(hash_of "$folder/asked")" "$(hash_of "$folder/v2")"
  clean env MIXWELL_ISA=x86-64-v2 timeout -s INT 2 "$program" run "$folder/m.toml" --quiet --out "$folder/cut" \
    --set run.draws=200000000 2>/dev/null && fault "$2: the run was not interrupted"
  clean timeout -s INT 2 "$program" run --resume "$folder/cut" --quiet 2>/dev/null || true
  expect "$2: resumed run" "$(set_of "$folder/cut")" x86-64-v2
  clean env MIXWELL_ISA=x86-64-v2 "$program" study "$folder/s.toml" --quiet --out "$folder/study" --prepare
  clean "$program" study "$folder/s.toml" --quiet --out "$folder/study"
  expect "$2: study" "$(grep -ho '"isa": "[^"]*"' "$folder"/study/cells/*/run.json | sort | uniq -c | xargs)" '2 isa: x86-64-v2'
  if ! grep -qm1 avx512vl /proc/cpuinfo; then
    run v4 --set 'run.isa="x86-64-v4"' 2>"$folder/refused" && fault "$2: x86-64-v4 ran on a processor without it"
    grep -q 'does not have the instruction set x86-64-v4' "$folder/refused" || fault "$(cat "$folder/refused")"
  fi
  command -v qemu-x86_64 >/dev/null || { echo "$2: not tested on an emulated processor (package qemu-user)"; return; }
  clean "${emulated[@]}" "$program" run "$folder/m.toml" --quiet --out "$folder/picked"
  expect "$2: set picked without AVX2" "$(set_of "$folder/picked")" x86-64-v2
  clean "${emulated[@]}" "$of_set/x86-64-v2/bin/mixwell" run "$folder/m.toml" --quiet --out "$folder/emulated"
  expect "$2: draws without AVX2" "$(hash_of "$folder/emulated")" "$(hash_of "$folder/v2")"
  clean "${emulated[@]}" "$of_set/x86-64-v3/bin/mixwell" run "$folder/m.toml" --quiet --out "$folder/none" 2>/dev/null &&
    fault "$2: the program of x86-64-v3 runs without AVX2, so this test shows nothing"
  echo "$2: x86-64-v2, v3 and v4 are chosen as they should"
}

wheel=$(echo "$dist"/mixwell-*.whl)
bytes=$(stat -c %s "$wheel")
((bytes <= 25 * 1024 * 1024)) || fault "the wheel has $bytes bytes, more than 25 MiB"
began=$SECONDS
/usr/bin/python3 -m venv "$work/environment"
clean "$work/environment/bin/pip" install --quiet --disable-pip-version-check "$wheel"
echo "wheel: $bytes bytes, installed in $((SECONDS - began)) s"
demo "$work/environment/bin/mixwell" wheel
sets "$work/environment/lib/python3"*/site-packages/mixwell/native/bin/mixwell wheel
for set in '' x86-64-v2; do
  clean env ${set:+"MIXWELL_ISA=$set"} "$work/environment/bin/python" - "${set:-x86-64-v3}" <<'PYTHON'
import json, sys
import mixwell as mw
run = mw.run(mw.function(lambda t: (0.5 * (t**2).sum(axis=1), t), {"x": 2}), draws=200)
assert run.certificate.is_exact and run.is_complete, run
assert json.loads((run.folder / "run.json").read_text())["versions"]["isa"] == sys.argv[1]
PYTHON
done
clean env MIXWELL_ISA=x86-64-v9 "$work/environment/bin/python" -c 'import mixwell as mw; mw.function(len, {"x": 2})' \
  2>"$work/unknown" && fault "a library for x86-64-v9 was found"
grep -q 'InputError: MIXWELL_ISA is x86-64-v9' "$work/unknown" || fault "$(cat "$work/unknown")"

mkdir "$work/tarball"
tar -xzf "$dist"/mixwell-*.tar.gz -C "$work/tarball"
demo "$(echo "$work"/tarball/mixwell-*/bin/mixwell)" tarball

for package in "$dist"/*.deb; do dpkg-deb -x "$package" "$work/root"; done
demo "$work/root/usr/bin/mixwell" debian
if command -v lintian >/dev/null; then lintian --fail-on error "$dist"/*.deb; else echo 'debian: lintian is missing and was not run'; fi
sets "$work/root/usr/bin/mixwell" debian
for share in "$work/root/usr/share" "$(echo "$work"/tarball/mixwell-*/share)"; do
  compgen -G "$share/man/man1/mixwell-run.1*" >/dev/null && [[ -f $share/bash-completion/completions/mixwell ]] ||
    fault "$share lacks manual pages or completion"
done
[[ -f $work/root/usr/include/mixwell/lab.h && -f $work/root/usr/share/doc/mixwell/docs/python.md ]] ||
  fault "the Debian packages lack headers or documents"
