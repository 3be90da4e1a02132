#!/usr/bin/env bash
# Real ranks of MPI on this machine: the draws are those of one process, with learning that pools
# replicates too, and where ranks divide data or coordinates; a run goes on with other ranks than it was begun with; what cannot be is refused.
# Needs mpirun of Open MPI; without it, or in a build without MPI, this is skipped.
# Arguments: PROGRAM FOLDER, with the plugin of the wrong model `faulty` in FOLDER
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

program=$1
faulty=$2/faulty_model.so
skip() {
  echo "skipped: $*"
  exit 77
}
command -v mpirun >/dev/null || skip "no mpirun (package openmpi-bin)"
[[ $(mpirun --version) == *"Open MPI"* ]] || skip "mpirun is not Open MPI's"
module=$(dirname "$program")/../lib/mixwell/commands/mpi.so
[[ -e $module ]] || skip "built without MPI (package libopenmpi-dev)"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

fail() {
  echo "FAILED: $*"
  exit 1
}

# ranks N COMMAND...: more ranks than cores, loopback alone.
ranks() {
  local n=$1
  shift
  timeout 600 mpirun -n "$n" --oversubscribe --mca btl self,vader --mca plm isolated \
    --mca oob_tcp_if_include lo "$@"
}

# figure NAME FOLDER: lines of run.json, but for time and threads.
figure() { grep -A 3 "$1" "$2/run.json" | grep -v -e created_at -e threads; }
hash_of() { sed -n 's/.*"draws_sha256": "\(.*\)".*/\1/p' "$1/run.json"; }

# refused TEXT COMMAND...: exit code 2, a message with the text, once, and no results.
refused() {
  local text=$1 code=0
  shift
  "$@" >refused 2>&1 || code=$?
  [[ $code == 2 ]] || fail "exit code $code of $*: $(cat refused)"
  [[ $(grep -c 'mixwell: error' refused) -ge 1 ]] || fail "no message of $*"
  grep -q -- "$text" refused || fail "no '$text' in: $(cat refused)"
  [[ ! -e no/run.json ]] || fail "results of $*"
}

cat >alone.toml <<'TOML'
mixwell = 1
[run]
replicates = 29
warmup = 150
draws = 200
record_warmup = true
stop_min_ess = 2000
check_every = 50
[model.gaussian]
use = "gaussian"
covariance = "diagonal"
variances = [1, 4, 0.25, 9]
[integrator.verlet]
use = "leapfrog"
[estimator.dense]
use = "dense"
[kernel.nuts]
use = "nuts"
[compositor.main]
use = "chain"
TOML
sed 's/use = "dense"/&\npool = true/; s/use = "nuts"/&\npool = true/' alone.toml >pooled.toml

for manifest in alone pooled; do
  "$program" run $manifest.toml --out $manifest-1 --quiet
  for n in 2 4; do
    ranks $n "$program" run $manifest.toml --out $manifest-$n --quiet
    [[ $(hash_of $manifest-$n) == "$(hash_of $manifest-1)" ]] ||
      fail "$n ranks draw others than one process: $manifest.toml"
  done
  for what in '"ended_by"' '"draws_sha256"' '"gradients"' '"potentials"'; do
    diff <(figure "$what" $manifest-1) <(figure "$what" $manifest-4) ||
      fail "$what of run.json differs: $manifest.toml"
  done
  # Efficiencies are per second too; all else of a summary is the draws'.
  diff <(grep -v per_second $manifest-1/summary.json) <(grep -v per_second $manifest-4/summary.json) ||
    fail "the summaries differ: $manifest.toml"
  grep -q '4 MPI ranks computed this run' $manifest-4/run.json || fail "run.json does not tell of the ranks"
  "$program" summary $manifest-4 >/dev/null
done
[[ $(hash_of alone-1) != "$(hash_of pooled-1)" ]] || fail "pooling learns nothing of its own"

# begun FOLDER: four ranks at long.toml, as soon as they have a checkpoint with draws.
begun() {
  ranks 4 "$program" run long.toml --out "$1" --quiet >"$1.log" 2>&1 &
  runs=$!
  for _ in $(seq 1200); do # four ranks on a busy machine of two cores take their time
    [[ -e $1/resume/checkpoint && -n $(find "$1/resume" -name 'draws.nc.partial.1') ]] && return
    sleep 0.05
  done
  fail "no checkpoint in $1: $(cat "$1.log")"
}

# process_of FOLDER RANK
process_of() {
  local process
  for process in $(pgrep -f -- "run [a-z]*.toml --out $1 "); do
    grep -qz "^OMPI_COMM_WORLD_RANK=$2\$" "/proc/$process/environ" 2>/dev/null && echo "$process"
  done
}

# Asked to stop in one rank, not rank 0; killed in another. However fast the machine is, a run is still
# at its draws then: its model is slow as long as there is a file `held`.
mkdir plugins
cp "$faulty" plugins
export MIXWELL_PLUGIN_PATH=$place/plugins${MIXWELL_PLUGIN_PATH:+:$MIXWELL_PLUGIN_PATH}
sed 's/^draws.*/draws = 2500/; /^stop/d; /^check_every/d; /^record/d; s/^warmup.*/warmup = 30\ncheckpoint_seconds = 0.2/
  s/^use = "gaussian"/use = "faulty"\nfault = "held"/; /^covariance/d; /^variances/d' \
  pooled.toml >long.toml
"$program" run long.toml --out whole --quiet
code=0
touch held
begun cut
kill -TERM "$(process_of cut 2)"
wait $runs || code=$?
[[ $code == 1 ]] || fail "an interrupted run ended with $code: $(cat cut.log)"
grep -q 'mixwell run --resume cut` continues the run' cut.log || fail "no way on: $(cat cut.log)"
code=0
begun killed
kill -KILL "$(process_of killed 3)"
wait $runs || code=$?
[[ $code != 0 ]] || fail "a killed rank was not seen"
rm held

# Gone on with by other ranks, and by one process.
cp -r cut again
ranks 2 "$program" run --resume cut --quiet
"$program" run --resume again --quiet
ranks 3 "$program" run --resume killed --quiet
for folder in cut again killed; do
  [[ $(hash_of $folder) == "$(hash_of whole)" ]] || fail "$folder goes on with other draws"
done

# An operation that fails in one rank ends the run for all.
refused 'replicate' ranks 4 "$program" run alone.toml --set 'run.init={value=[1e200]}' --out no

# What cannot be.
refused '5 ranks are too many: .*Start at most 4 ranks, or set run.replicates above 32' \
  ranks 5 "$program" run alone.toml --out no
refused 'Start one process' ranks 2 "$program" run alone.toml --set run.replicates=8 --out no
mkdir other
sed 's/= 29/= 30/' alone.toml >other/alone.toml
refused 'rank 1 (process .* `replicates = 30 .*instead of `replicates = 29 ' \
  ranks 1 "$program" run alone.toml --out no : -n 1 "$program" run other/alone.toml --out no
refused 'the options are `--out=no2' \
  ranks 1 "$program" run alone.toml --out no : -n 1 "$program" run alone.toml --out no2
cp alone.toml here.toml
refused 'rank 1, .*absent.toml' \
  ranks 1 "$program" run here.toml --out no : -n 1 "$program" run absent.toml --out no
refused 'there is no checkpoint' ranks 2 "$program" run --resume "$place/nowhere"
refused 'reports 1 as the number of processes' env OMPI_COMM_WORLD_SIZE=4 "$program" run alone.toml --out no
mkdir -p bare/bin bare/lib/mixwell
cp "$program" bare/bin
cp -P "$(dirname "$program")"/../lib/libmixwell.so* bare/lib
refused 'built without MPI' \
  env OMPI_COMM_WORLD_SIZE=4 LD_LIBRARY_PATH="$place/bare/lib" bare/bin/mixwell run alone.toml --out no

# Data divided: rows of two labels, as CSV and as LIBSVM text.
awk 'BEGIN {
  srand(3)
  print "a,b,c,y" >"cases.csv"
  for (n = 0; n < 500; ++n) {
    a = rand() - 0.5; b = 10 * rand(); c = rand() * rand()
    y = (a + c > rand() - 0.2) ? 1 : 0
    printf "%.4f,%.4f,%.4f,%d\n", a, b, c, y >"cases.csv"
    printf "%d 1:%.4f 3:%.4f\n", y, a, c >"cases.svm"
  }
}'
cat >csv.toml <<'TOML'
mixwell = 1
[run]
ranks = "data"
warmup = 12
draws = 12
allow = ["biased"]
[model.logistic]
use = "logistic-regression"
data = "cases.csv"
response = "y"
[integrator.verlet]
use = "leapfrog"
[kernel.hmc]
use = "hamiltonian"
steps = 3
target_acceptance = 0.8
[compositor.main]
use = "chain"
TOML
sed 's/cases.csv/cases.svm/; s/^response.*/format = "libsvm"/' csv.toml >svm.toml
sed '/^.kernel.hmc/,/^target/d; /^.integrator/,/^use/d' csv.toml >batch.toml
cat >>batch.toml <<'TOML'
[oracle.batch]
use = "minibatch"
size = 37
[kernel.sgld]
use = "langevin"
step_size = 0.001
TOML
# Its mode is sought while the run is composed, by all ranks together.
sed 's/"minibatch"/"control-variate"/' batch.toml >control.toml
for run in csv:4 svm:3 batch:2 control:3; do
  manifest=${run%:*}
  n=${run#*:}
  [[ -e $manifest-alone ]] || "$program" run $manifest.toml --out $manifest-alone --quiet
  ranks "$n" "$program" run $manifest.toml --out "$manifest-by-$n" --quiet
  [[ $(hash_of "$manifest-by-$n") == "$(hash_of $manifest-alone)" ]] ||
    fail "data divided among $n ranks draw others than one process: $manifest.toml"
done
grep -q 'each rank processed a part of the data. Rank 0 sent' csv-by-4/run.json || fail "run.json does not tell of the data"

refused 'run.ranks = "data": this value needs a model that has a log density that is a sum over cases' \
  "$program" run alone.toml --set run.ranks=data --out no
sed '400s/.*/0.1,oops,0.3,1/' cases.csv >broken.csv
refused 'broken.csv:400: row 399, column "b": "oops" is not a finite number' \
  ranks 2 "$program" run csv.toml --set model.logistic.data=broken.csv --out no
gzip -k cases.csv
ranks 2 "$program" run csv.toml --set model.logistic.data=cases.csv.gz --out zipped-by-2 --quiet
[[ $(hash_of zipped-by-2) == "$(hash_of csv-alone)" ]] || fail 'gzipped data divided among 2 ranks draw others'
mkdir elsewhere && cp cases.csv elsewhere
sed 's/^draws.*/draws = 41/' csv.toml >elsewhere/csv.toml
refused 'draws = 41' \
  ranks 1 "$program" run csv.toml --out no : -n 1 "$program" run elsewhere/csv.toml --out no
sed '300s/.*/0.1,2,0.3,1/' cases.csv >elsewhere/cases.csv
cp csv.toml elsewhere
refused 'elsewhere/cases.csv"' \
  ranks 1 "$program" run csv.toml --out no : -n 1 "$program" run elsewhere/csv.toml --out no

# Coordinates divided: factors of 13 users and 9 items, in four blocks of each.
awk 'BEGIN {
  for (i = 1; i <= 13; ++i)
    for (j = 1; j <= 9; ++j)
      if ((5 * i + 7 * j) % 3) printf "%d::%d::%d\n", i, j, 1 + (i * j) % 5 >"ratings.dat"
}'
cat >sgld.toml <<'TOML'
mixwell = 1
[run]
ranks = "coordinates"
warmup = 10
draws = 20
allow = ["biased"]
[model.ratings]
use = "matrix-factorisation"
data = "ratings.dat"
rank = 3
biases = false
prior = "fixed"
folds = 10
[oracle.blocks]
use = "strata"
strata = 4
[kernel.factors]
use = "langevin"
step_size = 1e-3
TOML
cp sgld.toml hamcmc.toml
cat >>hamcmc.toml <<'TOML'
[estimator.curvature]
use = "lbfgs"
gamma = 0.1
regularisation = 10
[compositor.main]
use = "lagged"
memory = "displacements"
slots = 2
TOML
for manifest in sgld hamcmc; do
  "$program" run $manifest.toml --out $manifest-alone --quiet
  for n in 2 3 4; do
    ranks $n "$program" run $manifest.toml --out $manifest-by-$n --quiet
    [[ $(hash_of $manifest-by-$n) == "$(hash_of $manifest-alone)" ]] ||
      fail "coordinates divided among $n ranks draw others than one process: $manifest.toml"
  done
  diff <(grep -v per_second $manifest-alone/summary.json) <(grep -v per_second $manifest-by-4/summary.json) ||
    fail "the summaries differ: $manifest.toml"
done
# What is advised at the end evaluates nothing that other ranks would have to answer.
ranks 2 "$program" run sgld.toml --set 'oracle.blocks.weight="count"' --out advised >advised.log ||
  fail "a run with another certificate: $(cat advised.log)"
grep -q 'Results are in' advised.log || fail "no end in: $(cat advised.log)"
"$program" check sgld.toml --no-worlds >checked.log || fail "check: $(cat checked.log)"
# Each divergence is told once, with the coordinates of all ranks.
diverge=(--set kernel.factors.step_size=3 --set run.replicates=3 --quiet)
"$program" run sgld.toml "${diverge[@]}" --out diverges-alone
ranks 3 "$program" run sgld.toml "${diverge[@]}" --out diverges-by-3
told() { grep -c '"sweep"' "$1/run.json"; }
[[ $(told diverges-by-3) == "$(told diverges-alone)" ]] ||
  fail "$(told diverges-alone) divergences of one process, $(told diverges-by-3) of three"
# A number of threads that one rank does not have ends all of them.
refused 'threads are not allowed. Use 1 to' ranks 2 bash -c '"$0" run sgld.toml --out no --threads $((1 + 100000 * OMPI_COMM_WORLD_RANK))' "$program"

grep -q 'each rank processed a part of the coordinates' sgld-by-4/run.json || fail "run.json does not tell of the coordinates"

# Gone on with by as many ranks as it was begun with, and by no others. A machine on which they are at the
# end before they can be asked to stop gets longer runs.
for draws in 1500 6000 24000 96000; do
  sed "s/^draws.*/draws = $draws\ncheckpoint_seconds = 0.05/" sgld.toml >blocks.toml
  rm -rf blocks-cut
  ranks 4 "$program" run blocks.toml --out blocks-cut --quiet >blocks-cut.log 2>&1 &
  runs=$!
  until [[ -e blocks-cut/resume/checkpoint ]] || ! kill -0 $runs 2>/dev/null; do sleep 0.02; done
  kill -TERM "$(process_of blocks-cut 2)" 2>/dev/null || true
  code=0
  wait $runs || code=$?
  [[ $code == 0 ]] || break
done
[[ $code == 1 ]] || fail "an interrupted run ended with $code: $(cat blocks-cut.log)"
"$program" run blocks.toml --out blocks-whole --quiet
refused 'was started with 4 ranks' ranks 2 "$program" run --resume blocks-cut
ranks 4 "$program" run --resume blocks-cut --quiet
[[ $(hash_of blocks-cut) == "$(hash_of blocks-whole)" ]] || fail "blocks-cut goes on with other draws"

refused 'run.ranks = "coordinates": this value needs a model that divides its coordinates into blocks' \
  "$program" run alone.toml --set run.ranks=coordinates --out no
refused 'blocks.*must be at least 5, the number of ranks' ranks 5 "$program" run sgld.toml --out no
refused 'must be "fixed" with run.ranks' \
  ranks 2 "$program" run sgld.toml --set model.ratings.prior=gamma --out no
sed '7s/.*/three::4::5/' ratings.dat >broken.dat
refused 'broken.dat:7' \
  ranks 2 "$program" run sgld.toml --set model.ratings.data=broken.dat --out no
echo "equal draws by 1, 2, 3 and 4 ranks"
