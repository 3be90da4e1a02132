#!/usr/bin/env bash
# The hash of the draws of every example, those of papers under PAPER/, a line each: what a change that should not move a bit leaves
# as it is. Studies are left out; an example whose engine is missing is a line that says so.
# usage: example_hashes.sh PROGRAM [FOLDER_OF_EXAMPLES]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

program=$(readlink -f "$1")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
examples=${2:-$source/examples}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

hash_of() { # run.json of one run
  sed -n 's/.*"draws_sha256": *"\([0-9a-f]*\)".*/\1/p' "$1" | head -n 1
}

run() {
  local manifest=$1 out
  out=$work/out/$(basename "$manifest" .toml)
  [[ ! -e $out ]] || out=$work/again/${manifest//\//-} # of one name in two folders
  if ! "$program" run "$manifest" --out "$out" --quiet 2>"$work/errors"; then
    echo "failed: $(head -n 1 "$work/errors")"
  else
    hash_of "$out/run.json"
  fi
}

# A copy: what one example learns another loads, from out/ beside the examples.
cp -r "$examples" "$work/examples"
for paper in "$source"/papers/*/examples; do
  [[ -n ${2:-} ]] || cp -r "$paper" "$work/examples/$(basename "$(dirname "$paper")")"
done
cd "$work/examples"
while IFS= read -r manifest; do
  grep -q '^\[study\]' "$manifest" && continue
  printf '%s  %s\n' "$(run "$manifest")" "${manifest#./}"
done < <(find . -name '*.toml' | LC_ALL=C sort)
