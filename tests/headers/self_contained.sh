#!/usr/bin/env bash
# Every public header compiles alone: in whatever order they are included, none misses another.
# usage: self_contained.sh SOURCE_DIR COMPILER FLAG...
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source=$1
shift

alone() {
  local header=$1
  shift
  echo "#include <$header>" | "$@" -std=c++20 -Wall -Wextra -Wpedantic -Werror -x c++ -fsyntax-only - ||
    { echo "<$header> does not compile alone" >&2; return 1; }
}
export -f alone

# Headers for authors in C compile as C of 1999 too.
shopt -s nullglob
for header in "$source"/framework/include/mixwell/*.h; do
  "$1" -std=c99 -Wall -Wextra -Wpedantic -Werror -x c -I "$source/framework/include" \
    -fsyntax-only "$header"
  "$1" -std=c++20 -Wall -Wextra -Wpedantic -Werror -x c++ -I "$source/framework/include" \
    -fsyntax-only "$header"
done

{
  (cd "$source/framework/include" && find mixwell -name '*.hpp')
  (cd "$source/framework/contracts/include" && find mixwell -name '*.hpp')
} | xargs -P "$(nproc)" -I '{}' bash -c 'alone "$@"' _ '{}' "$@" \
  "-I$source/framework/include" "-I$source/framework/contracts/include"
