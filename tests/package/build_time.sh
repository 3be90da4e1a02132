#!/usr/bin/env bash
# What a plugin outside costs to build, in seconds of a processor: for every kind the component that
# `mixwell new` writes, compiled and linked, then with its test, beside a file that includes
# <Eigen/Core> and nothing else. Seconds depend on the machine, so the limits are multiples of that
# file's. When they were set, compiling a plugin took 1.6 to 2 times as long, and its test 2.5 to 3.5.
# A header that adds as much as Eigen to every plugin fails, and so does a main of Catch2's that is
# compiled with each test, which takes 13.
# usage: build_time.sh CMAKE BUILD_DIR CXX_COMPILER
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cmake=$1 build=$2 compiler=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/installed.sh" "$cmake" "$build"
export CCACHE_DISABLE=1
unset CMAKE_CXX_COMPILER_LAUNCHER
plugin_limit=2.6 both_limit=7.5

# seconds COMMAND...: of processors, of the command and its children.
seconds() {
  local TIMEFORMAT='%U %S' spent
  spent=$({ time "$@" >"$work/log" 2>&1; } 2>&1) || { cat "$work/log" >&2; exit 1; }
  awk '{ print $1 + $2 }' <<<"$spent"
}

echo '#include <Eigen/Core>' >"$work/eigen.cpp"
isa=$(find "$work/moved" -name MixwellConfig.cmake -exec sed -n 's/^set(Mixwell_ISA "\(.*\)")/\1/p' {} +)
eigen_file=("$compiler" -std=c++20 -O3 "-march=$isa" $(pkg-config --cflags eigen3)
  -c "$work/eigen.cpp" -o "$work/eigen.o")
printf '%-12s %8s %8s %8s\n' kind Eigen plugin 'and test'
for kind in "${kinds[@]}"; do
  "$program" new "$kind" "own-$kind" --in "$work" >/dev/null
  "$cmake" -S "$work/own-$kind" -B "$work/$kind" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/moved" >"$work/log"
  floor=$(seconds "${eigen_file[@]}")
  plugin=$(seconds "$cmake" --build "$work/$kind" --target "$kind-own-$kind")
  test=$(seconds "$cmake" --build "$work/$kind" -j 1)
  echo "$kind $floor $plugin $test" >>"$work/figures"
  awk -v k="$kind" -v f="$floor" -v p="$plugin" -v t="$test" \
    'BEGIN { printf "%-12s %8.2f %8.2f %8.2f\n", k, f, p, p + t }'
done
# The floor is the mean of seven: other work on the machine disturbs each a little.
awk -v plugin="$plugin_limit" -v both="$both_limit" '
  { floor += $2 / 7; p[$1] = $3; b[$1] = $3 + $4 }
  END {
    for (k in p) {
      if (p[k] > plugin * floor) { print k ": the plugin costs " p[k] / floor " times Eigen, at most " plugin; bad = 1 }
      if (b[k] > both * floor) { print k ": with its test " b[k] / floor " times Eigen, at most " both; bad = 1 }
    }
    exit bad
  }' "$work/figures"
