#!/usr/bin/env bash
# finds.sh PROGRAM BUG FOLDER: whether the plain main function finds a planted bug by mutations of an input
# that lacks it by one letter, fails, and keeps the input.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
program=$1 bug=$2 folder=$3

rm -rf "$folder"
mkdir -p "$folder/corpus"
printf '%s' "${bug%?}~" >"$folder/corpus/innocent"
status=0
"$program" "$folder/corpus" 60 "$folder/finding" >"$folder/out" 2>&1 || status=$?
cat "$folder/out"
[[ $status == 1 ]] || { echo "exit code $status instead of 1"; exit 1; }
grep -Eq 'finding: |ERROR: AddressSanitizer|runtime error: ' "$folder/out"
# A sanitizer ends the process before the file is cut to the length of the input.
[[ $(head -c ${#bug} "$folder/finding") == "$bug" ]]
