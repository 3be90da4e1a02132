#!/usr/bin/env bash
# Plugins of another compiler in the program of this one: they load, pass their tests and the checks,
# and sample as the same plugins of this compiler do. Exits with 77 where that compiler is not there.
# usage: compiler.sh CMAKE BUILD_DIR CXX_COMPILER OTHER_COMPILER
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cmake=$1 build=$2 compiler=$3 other=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v "$other" >/dev/null || { echo "no $other here"; exit 77; }
source "$here/installed.sh" "$cmake" "$build"

# configure SOURCE BUILD COMPILER: warnings are errors.
configure() {
  "$cmake" -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$3" \
    -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror" >"$2.log" ||
    { cat "$2.log"; exit 1; }
}

configure "$here/plugin-project" "$work/mine" "$compiler"
configure "$here/plugin-project" "$work/others" "$other"
"$cmake" --build "$work/mine" --target model-tilted
"$cmake" --build "$work/others"
"${cmake%/*}/ctest" --test-dir "$work/others" --output-on-failure

export MIXWELL_PLUGIN_PATH=$work/others
"$program" plugins show model/tilted
"$program" check "$here/plugin-project/tilted.toml" --gradient
for built in mine others; do
  MIXWELL_PLUGIN_PATH=$work/$built "$program" run "$here/plugin-project/tilted.toml" \
    --out "$work/out-$built" --quiet
done
/usr/bin/python3 "$here/check_summary.py" "$work/out-others/summary.json"
/usr/bin/python3 "$here/compare_summaries.py" "$work/out-mine" "$work/out-others"

# Every kind, one build: each loads and takes part in a run.
mkdir "$work/new"
for kind in "${kinds[@]}"; do "$program" new "$kind" "own-$kind" --in "$work/new" >/dev/null; done
{
  echo 'cmake_minimum_required(VERSION 3.25)'
  echo 'project(AllKinds LANGUAGES CXX)'
  echo 'enable_testing()'
  for kind in "${kinds[@]}"; do echo "add_subdirectory(own-$kind)"; done
} >"$work/new/CMakeLists.txt"
configure "$work/new" "$work/new/build" "$other"
targets=(model-own-model-test) # it links Mixwell::test_main, which this compiler made
for kind in "${kinds[@]}"; do targets+=("$kind-own-$kind"); done
"$cmake" --build "$work/new/build" --target "${targets[@]}"
MIXWELL_PLUGIN_PATH='' "${cmake%/*}/ctest" --test-dir "$work/new/build" --output-on-failure -R model
for kind in "${kinds[@]}"; do
  MIXWELL_PLUGIN_PATH=$work/new/build/own-$kind \
    "$program" run "$work/new/own-$kind/manifest.toml" --out "$work/out-$kind" >/dev/null
done
