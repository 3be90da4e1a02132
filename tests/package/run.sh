#!/usr/bin/env bash
# Installs a build into an empty prefix, builds plugin-project against it, runs that project's own
# test, and runs the installed program on manifests that use its plugins; builds and runs a program that
# embeds the package. Then the same for what
# `mixwell new` of the installed program writes, for every kind, all in one build.
# usage: run.sh CMAKE BUILD_DIR CXX_COMPILER
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

cmake=$1 build=$2 compiler=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/installed.sh" "$cmake" "$build"
# Nothing may hold on to the path of the build or of the first prefix.
if grep -rlF -e "$build" -e "$work/prefix" "$work/moved" --include='*.cmake'; then
  echo "the package above names a folder of the build" >&2
  exit 1
fi

for made in man/man1/mixwell-run.1 bash-completion/completions/mixwell zsh/site-functions/_mixwell; do
  [[ -s $work/moved/share/$made ]] || { echo "share/$made is not installed" >&2; exit 1; }
done

"$cmake" -S "$here/plugin-project" -B "$work/plugin" -G Ninja \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/moved" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror"
"$cmake" --build "$work/plugin"
"${cmake%/*}/ctest" --test-dir "$work/plugin" --output-on-failure

export MIXWELL_PLUGIN_PATH=$work/plugin
"$program" plugins
"$program" plugins show model/tilted
"$program" run "$here/plugin-project/tilted.toml" --out "$work/out"
/usr/bin/python3 "$here/check_summary.py" "$work/out/summary.json"
if [[ -f $build/share/mixwell/report/page.html ]]; then
  "$program" report "$work/out"
  grep -q '<title>out - Mixwell</title>' "$work/out/report.html"
fi

# Programs that embed the package; one is the code of the README.
sed -n '/^```cpp$/,/^```$/p' "$here/../../README.md" | sed '/^```/d' |
  diff - <(tail -n +3 "$here/../../examples/embed/embed.cpp")
"$cmake" -S "$here/../../examples/embed" -B "$work/embed" -G Ninja \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/moved" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror"
"$cmake" --build "$work/embed"
(cd "$work" && PATH=$work/embed:$PATH embed) | tee "$work/embed.log"
for line in '^exact after warmup: each update leaves the target distribution unchanged (Metropolis-corrected)' '^x\[2\]: 2\.[45]' '^2000 draws of 4 chains$' \
  '^from the manifest: the same draws$'; do
  grep -q "$line" "$work/embed.log" || { echo "the output above lacks $line" >&2; exit 1; }
done
/usr/bin/python3 "$here/check_summary.py" "$work/out/bowl/summary.json"
(cd "$work" && PATH=$work/embed:$PATH own_model) | tee "$work/own_model.log"
grep -q '^exact after warmup: ' "$work/own_model.log" && grep -q '^x\[2\]: 2\.[45]' "$work/own_model.log" ||
  { echo "the output above lacks a certificate or the mean of x[2]" >&2; exit 1; }

(cd "$work" && PATH=$work/embed:$PATH checked) | tee "$work/checked.log"
for line in '^asymptotic' '^cure: kernel\.hmc\.metropolis = true (exact after warm-up)$' '^gradient: agrees with central'; do
  grep -q "$line" "$work/checked.log" || { echo "the output above lacks $line" >&2; exit 1; }
done

# A plugin that claims to be exact and is not.
"$program" check "$here/plugin-project/hasty.toml" | grep 'exact'
status=0
"$program" verify "$here/plugin-project/hasty.toml" >"$work/verify.log" || status=$?
cat "$work/verify.log"
if [[ $status != 4 ]] || ! grep -q 'FAILED on own: law of ' "$work/verify.log"; then
  echo "verify above exits with $status, not with 4 and a statistic that failed" >&2
  exit 1
fi

mkdir "$work/new"
{
  echo 'cmake_minimum_required(VERSION 3.25)'
  echo 'project(AllKinds LANGUAGES CXX)'
  echo 'enable_testing()'
  for kind in "${kinds[@]}" by-hand; do echo "add_subdirectory(own-$kind)"; done
} >"$work/new/CMakeLists.txt"
for kind in "${kinds[@]}"; do "$program" new "$kind" "own-$kind" --in "$work/new"; done
"$program" new model own-by-hand --by-hand --in "$work/new"

# The texts are the same each time, so a second run finds its objects in the cache.
launcher=()
if command -v ccache >/dev/null; then
  export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
"$cmake" -S "$work/new" -B "$work/new/build" -G Ninja "${launcher[@]}" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/moved" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror"
"$cmake" --build "$work/new/build" --parallel 2
MIXWELL_PLUGIN_PATH='' "${cmake%/*}/ctest" --test-dir "$work/new/build" --output-on-failure
for kind in "${kinds[@]}"; do
  export MIXWELL_PLUGIN_PATH=$work/new/build/own-$kind
  "$program" plugins show "$kind/own-$kind" >/dev/null
  "$program" run "$work/new/own-$kind/manifest.toml" --out "$work/out-$kind" >/dev/null
done
MIXWELL_PLUGIN_PATH=$work/new/build/own-by-hand \
  "$program" run "$work/new/own-by-hand/manifest.toml" --out "$work/out-by-hand" >/dev/null
