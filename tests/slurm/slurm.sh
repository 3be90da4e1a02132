#!/usr/bin/env bash
# A real Slurm on this machine alone: a study of 60 cells as a job array, with workers that are killed, one
# job that is requeued and a claim of a machine that is gone, ends with the table of one process; and two
# ranks that srun starts draw what one process draws.
# Needs slurm-wlm, munge and root; without them this is skipped.
# Arguments: PROGRAM [TASKS OF AN ARRAY]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

program=$1
skip() {
  echo "skipped: $*"
  exit 77
}
source "$(dirname "${BASH_SOURCE[0]}")/start.sh"

cd "$place/work"
cat >s.toml <<'STUDY'
mixwell = 1
[run]
replicates = 2
warmup = 100
draws = 12000
checkpoint_seconds = 0.1
[model.g]
use = "quartic"
dimension = 3
[estimator.i]
use = "identity"
[kernel.k]
use = "hamiltonian"
step_size = 0.3
steps = 5
[study]
repeats = 5
dead_after = 4.0
[study.axes]
kernel.k.step_size = [0.1, 0.2, 0.3, 0.4]
kernel.k.steps = [2, 5, 9]
STUDY

# Waits until no job of this test is left.
no_jobs() {
  local k
  for ((k = 0; k < 300; ++k)); do
    [[ -n $(squeue -h) ]] || return 0
    sleep 0.2
  done
  return 1
}
say() { echo "== $*"; }
of_cells() { # FOLDER: id, status and hash of every cell
  "$program" study s.toml --table --json --out "$1" 2>/dev/null |
    python3 -c 'import json, sys
for row in sorted(json.load(sys.stdin)["rows"], key=lambda row: row["cell"]):
    print(row["cell"], row["status"], row["draws_sha256"])'
}
ended() { find out/s/cells -name cell.json 2>/dev/null | wc -l; }

"$program" study s.toml --out alone --quiet
of_cells alone >expected
[[ $(grep -c ' done ' expected) == 60 ]]

say 'what Slurm refuses is said'
! "$program" study s.toml --slurm --partition no-such --quiet 2>refused
grep -q 'Slurm refused the job: .*[Pp]artition' refused
rm -rf out

say 'six workers, in two arrays of at most four, on a disk of the node'
mkdir "$place/node"
export NODE=$place/node
"$program" study s.toml --slurm --workers 6 --scratch '$NODE/cells' --quiet
[[ $(wc -l <out/s/slurm/jobs) == 2 ]]
first=$(head -n 1 out/s/slurm/jobs)
while (($(ended) < 4)); do sleep 0.1; done
say 'a worker is killed'
pkill -9 -o -f -- '--out .*/out/s --jobs 1 --worker' || true
while (($(ended) < 8)); do sleep 0.1; done
say 'a job is requeued'
for ((k = 0; k < 50; ++k)); do
  task=$(squeue -h -t running -j "$first" -o %K | head -n 1)
  [[ -z $task ]] || ! scontrol requeue "${first}_$task" || break
  sleep 0.1
done
((k < 50))
say 'a claim of a machine that is gone'
open=$(comm -23 <(cut -d' ' -f1 expected | sort) <(ls out/s/cells out/s/claims | sort -u) | tail -n 1)
mkdir -p "out/s/claims/$open"
echo '{"host":"gone","process":1,"birth":"1","machine":"another","job":"9_9"}' >"out/s/claims/$open/1"
"$program" study s.toml --follow --quiet
of_cells out/s >found
diff expected found
[[ -d $NODE/cells && -z $(find out/s/cells -name '*.partial') ]]

say 'cancelled, and gone on with'
scancel --user="$(id -un)"
no_jobs # workers that end write into the folder
rm -rf out
"$program" study s.toml --slurm --workers 2 --quiet
while (($(ended) < 3)); do sleep 0.1; done
"$program" study s.toml --cancel
no_jobs
(($(ended) < 60))
"$program" study s.toml --slurm --workers 2 --quiet
"$program" study s.toml --follow --quiet
of_cells out/s >found
diff expected found

module=$(dirname "$program")/../lib/mixwell/commands/mpi.so
if [[ -e $module ]] && srun --mpi=list 2>&1 | grep -q pmix; then
  say 'ranks that srun starts'
  awk 'BEGIN {
    for (i = 1; i <= 13; ++i)
      for (j = 1; j <= 9; ++j)
        if ((5 * i + 7 * j) % 3) printf "%d::%d::%d\n", i, j, 1 + (i * j) % 5 >"ratings.dat"
  }'
  cat >ranks.toml <<'RUN'
mixwell = 1
[run]
ranks = "coordinates"
warmup = 10
draws = 20
[model.ratings]
use = "matrix-factorisation"
data = "ratings.dat"
rank = 3
biases = false
prior = "fixed"
[oracle.blocks]
use = "strata"
strata = 4
[kernel.factors]
use = "langevin"
step_size = 1e-3
RUN
  "$program" run ranks.toml --out ranks-1 --quiet
  srun --mpi=pmix --ntasks=2 --overcommit "$program" run ranks.toml --out ranks-2 --quiet
  grep -q '2 MPI ranks computed this run' ranks-2/run.json
  diff <(grep draws_sha256 ranks-1/run.json) <(grep draws_sha256 ranks-2/run.json)
else
  echo 'left out: ranks that srun starts (a build with MPI, a Slurm with pmix)'
fi
echo 'the tables are equal'
