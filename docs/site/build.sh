#!/usr/bin/env bash
# build.sh PREFIX: the site of the documents, from them and from the program in PREFIX (the build, or an
# installation). The last line that it prints is the file to open. Exit code 77 where its tools cannot be had.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
prefix=$(cd "$1" && pwd)
tools=$source/build/site/tools

# NumPy: the Python package is asked for its docstrings.
install_tools() {
  /usr/bin/python3 -m venv --clear "$tools" &&
    "$tools/bin/pip" install --quiet --disable-pip-version-check --retries 1 'mkdocs-material<10' numpy &&
    (cd "$tools" && npm pack --silent iframe-worker@1.0.4 && tar -xzf iframe-worker-1.0.4.tgz) &&
    touch "$tools/ready"
}
[[ -f $tools/ready ]] || {
  mkdir -p "$source/build/site"
  install_tools >&2 || { echo "no tools to make the site with: mkdocs-material, npm"; exit 77; }
}
MIXWELL_PREFIX=$prefix "$tools/bin/python" "$source/docs/site/site.py" "$source" "$prefix" \
  "$source/build/site"
NO_MKDOCS_2_WARNING=1 "$tools/bin/mkdocs" --quiet build --strict --config-file "$source/docs/site/mkdocs.yml"
"$tools/bin/python" "$source/docs/site/offline.py" "$source/build/site/html" \
  "$tools/package/shim/index.js"
echo "$source/build/site/html/index.html"
