#!/usr/bin/env bash
# What one_header.sh and self_contained.sh are there to find, each in a copy of what they read: a header
# that the umbrella forgot, a component that includes past it, a header that needs another before it.
# usage: mutants.sh SOURCE_DIR COMPILER
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source=$1 compiler=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# copy NAME: what one_header.sh reads, in a folder of its own.
copy() {
  mkdir "$work/$1"
  (cd "$source" && cp -r --parents models integrators estimators plugins examples cmake/templates \
    tests/package/plugin-project framework/include "$work/$1")
  cd "$work/$1"
}

# finds WORDS COMMAND...: the command fails and its words say what is wrong.
finds() {
  local words=$1 said
  shift
  if said=$("$@" 2>&1); then
    echo "not found: $words" >&2
    exit 1
  fi
  grep -qF "$words" <<<"$said" || { printf 'expected: %s\nsaid: %s\n' "$words" "$said" >&2; exit 1; }
}

copy right
"$here/one_header.sh" .

copy forgotten
echo '#pragma once' >framework/include/mixwell/forgotten.hpp
finds 'it does not include <mixwell/forgotten.hpp>' "$here/one_header.sh" .

copy past
echo '#include <mixwell/model.hpp>' >>models/gaussian.cpp
finds 'a component includes <mixwell/plugin.hpp>, which brings it' "$here/one_header.sh" .

mkdir -p "$work"/alone/framework/{include,contracts/include}/mixwell
cd "$work/alone/framework"
printf '#pragma once\n#include <vector>\ninline std::vector<double> a() { return {}; }\n' \
  >include/mixwell/alone.hpp
cp include/mixwell/alone.hpp contracts/include/mixwell/contract_alone.hpp
"$here/self_contained.sh" "$work/alone" "$compiler"
printf '#pragma once\ninline std::vector<double> b() { return {}; }\n' >include/mixwell/needy.hpp
finds '<mixwell/needy.hpp> does not compile alone' "$here/self_contained.sh" "$work/alone" "$compiler"
