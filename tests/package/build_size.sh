#!/usr/bin/env bash
# What a plugin outside costs to compile: for every kind the component that `mixwell new` writes, and its test, as
# bytes after the preprocessor, beside a file that includes only <Eigen/Core>. Bytes do not depend on what else the
# machine does. When the limits were set, a plugin took 1.64 to 1.67 times that file, and its test 1.82.
# A header that adds as much as Eigen to every plugin fails, and so does a main of Catch2 that is compiled with each test.
# usage: build_size.sh CMAKE BUILD_DIR CXX_COMPILER
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cmake=$1 build=$2 compiler=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/installed.sh" "$cmake" "$build"
plugin_limit=1.8 test_limit=2.0

# Prints, for each source of a project, its stem and the bytes that its compiler sees.
sizes() {
  python3 - "$1/compile_commands.json" <<'PYTHON'
import json, pathlib, re, subprocess, sys
for one in json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8")):
    command = re.sub(r" -o \S+ -c ", " -E -P ", re.sub(r" -M\w+( \S+\.(o|d))?", "", one["command"]))
    seen = subprocess.run(command, shell=True, cwd=one["directory"], capture_output=True, check=True).stdout
    print("test" if one["file"].endswith("_test.cpp") else "plugin", len(seen))
PYTHON
}

echo '#include <Eigen/Core>' >"$work/eigen.cpp"
# shellcheck disable=SC2046
floor=$("$compiler" -std=c++20 -E -P $(pkg-config --cflags eigen3) "$work/eigen.cpp" | wc -c)
printf '%-12s %-8s %10s %12s\n' kind source bytes 'times Eigen'
for kind in "${kinds[@]}"; do
  "$program" new "$kind" "own-$kind" --in "$work" >/dev/null
  "$cmake" -S "$work/own-$kind" -B "$work/$kind" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/moved" >"$work/log"
  sizes "$work/$kind" | sed "s/^/$kind /" >>"$work/figures"
done
awk -v floor="$floor" -v plugin="$plugin_limit" -v test="$test_limit" '
  { times = $3 / floor; printf "%-12s %-8s %10d %12.2f\n", $1, $2, $3, times; seen[$2]++
    if (times > ($2 == "test" ? test : plugin)) { print $1 ": its " $2 " is too large, at most " ($2 == "test" ? test : plugin); bad = 1 } }
  END { if (seen["plugin"] < 8 || seen["test"] < 8) { print "not every kind has a plugin and a test"; bad = 1 }; exit bad }' "$work/figures"
