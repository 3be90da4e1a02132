#!/usr/bin/env bash
# A study by one worker of Slurm and by two, on two nodes of one core each that are both this machine, and
# by one and two processes without Slurm, in turn: medians of seconds (docs/clusters.md).
# Arguments: PROGRAM [REPEATS]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

program=$1
repeats=${2:-5}
skip() {
  echo "left out: $*"
  exit 0
}
nodes=2
source "$(dirname "${BASH_SOURCE[0]}")/../tests/slurm/start.sh"
cd "$place/work"

cat >run.toml <<'RUN'
mixwell = 1
[run]
replicates = 2
warmup = 100
draws = 200000
checkpoint_seconds = 0
[model.g]
use = "quartic"
dimension = 20
[kernel.k]
use = "nuts"
target_acceptance = 0.8
RUN
cat >study.toml <<'STUDY'
mixwell = 1
[study]
repeats = 16
keep = "summary"
[study.variant.nuts]
manifest = "run.toml"
STUDY

now() { date +%s.%N; }
# study WHO WORKERS
study() {
  local began
  rm -rf out
  began=$(now)
  if [[ $1 == slurm ]]; then
    "$program" study study.toml --out out --slurm --workers "$2" --quiet >said
    "$program" study study.toml --out out --follow --quiet >said
  else
    "$program" study study.toml --out out --jobs "$2" --quiet >said
  fi
  awk -v began="$began" -v now="$(now)" 'BEGIN { printf "%.2f\n", now - began }' >>"$1-$2"
}
for ((k = 0; k < repeats; ++k)); do
  for who in local slurm; do
    for workers in 1 2; do study $who $workers; done
  done
done
for who in local slurm; do
  for workers in 1 2; do
    sort -n "$who-$workers" | awk -v what="$who, $workers" '
      { s[NR] = $1; all = all " " $1 }
      END { printf "%-8s %6.2f s   (%s )\n", what, s[int((NR + 1) / 2)], all }'
  done
done
