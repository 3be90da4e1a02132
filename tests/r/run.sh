#!/usr/bin/env bash
# Runs an R script of this folder: run.sh SCRIPT ARGUMENTS. Exit code 77 (skipped) where R is missing.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

if ! command -v Rscript >/dev/null; then
  echo "skipped: Rscript is missing (apt: r-base-core, r-cran-posterior)"
  exit 77
fi
exec Rscript --vanilla "$@"
