#!/usr/bin/env bash
# Builds the plugins of papers/ against an installed copy, as their authors would, and runs the short form of one
# study of each paper by the installed program.
# usage: papers.sh CMAKE BUILD_DIR CXX_COMPILER SOURCE_DIR
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

cmake=$1 build=$2 compiler=$3 source=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/installed.sh" "$cmake" "$build"

# A copy: whatever the guests include from the tree is missing here.
cp -r "$source/papers" "$work/papers"
launcher=()
if command -v ccache >/dev/null; then
  export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
"$cmake" -S "$work/papers" -B "$work/guests" -G Ninja "${launcher[@]}" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror"
"$cmake" --build "$work/guests" --parallel 2

# Without them a manifest that names one says what to build.
status=0
"$program" check "$work/papers/hmc-bfgs/examples/chunks.toml" 2>"$work/refusal" || status=$?
if [[ $status != 2 ]] || ! grep -q 'This component is in the folder papers/hmc-bfgs' "$work/refusal"; then
  cat "$work/refusal"
  echo "a manifest of a guest that is not there: exit code $status" >&2
  exit 1
fi

export MIXWELL_PLUGIN_PATH=$work/guests
for library in "$work/guests"/*.so; do
  name=$(basename "$library" .so)
  "$program" plugins show "${name/-//}" >/dev/null
done
# Some cells of each, some seconds in all.
while read -r study cells; do
  name=$(basename "$study")
  "$program" study "$work/papers/$study/$name.toml" --quick --only "$cells" --out "$work/out/$name" --quiet
  echo "$study: $(($("$program" study "$work/out/$name" --table --csv | wc -l) - 1)) cells"
done <<'STUDIES'
qnhmc/qn-t1 */qnhmc*/1
hmc-bfgs/zs-f2 */1
hamcmc/ha-f3 *sgld*/1
sghmc/sg-f2 */1
vhmc/vh-f5 */1
STUDIES
