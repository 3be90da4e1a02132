#!/usr/bin/env bash
# <mixwell/plugin.hpp>, <mixwell/density.hpp>, which brings it too, and <mixwell/lab.hpp> bring all there
# is, and components include no other header of Mixwell, but <mixwell/recipe.hpp> and <mixwell/law/lanes.hpp>, which few of them need:
# what is built in is written as an outside author writes it.
# usage: one_header.sh SOURCE_DIR
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$1"

failed=0
fault() {
  echo "$*" >&2
  failed=1
}

# Reading the results of an earlier run is the laboratory's work, not that of a component's author.
reads_results='estimators/curvature-file/read.hpp|plugins/oracles/control-variate.cpp'

while IFS= read -r line; do
  [[ $line =~ ^($reads_results):.*\<mixwell/lab/draws.hpp\> ]] ||
    fault "$line: a component includes <mixwell/plugin.hpp>, which brings it"
done < <(grep -rHE '^#include <mixwell/' --include='*.[ch]pp' --include='*.cpp.in' \
  models integrators estimators plugins papers examples cmake/templates tests/package/plugin-project |
  grep -vE "_test\.cpp|<mixwell/(plugin|density|recipe|law/lanes)\.hpp>|<mixwell/callback\.h>|^examples/embed/") # a C header; a program

# brings UMBRELLA HEADER...: the umbrella includes each of these.
brings() {
  local umbrella=framework/include/mixwell/$1 header
  shift
  for header in "$@"; do
    header=${header#framework/include/}
    grep -qF "#include <$header>" "$umbrella" || fault "$umbrella: it does not include <$header>"
  done
}

shopt -s extglob
brings plugin.hpp framework/include/mixwell/!(plugin|density|lab|recipe|version).hpp \
  framework/include/mixwell/!(density|detail|lab)/!(lanes).hpp
brings density.hpp framework/include/mixwell/plugin.hpp framework/include/mixwell/density/*.hpp
brings lab.hpp framework/include/mixwell/plugin.hpp framework/include/mixwell/lab/*.hpp
exit "$failed"
