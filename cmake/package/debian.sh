#!/usr/bin/env bash
# debian.sh SOURCE BUILD OUT: the set of Debian packages mixwell, libmixwell-dev and mixwell-doc, into OUT.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

source=$(cd "$1" && pwd) build=$(mkdir -p "$2" && cd "$2" && pwd) out=$(mkdir -p "$3" && cd "$3" && pwd)
jobs=${JOBS:-$(nproc)}

triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
sets=()
[[ $triplet != x86_64-* ]] || sets=("-DMIXWELL_SETS=x86-64-v2;x86-64-v4")
cmake -S "$source" -B "$build/debian" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMIXWELL_TESTS=OFF "${sets[@]}" \
  -DMIXWELL_MPI=OFF -DMIXWELL_DEBIAN=ON -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$triplet" \
  -DMIXWELL_ZSH_INSTALL_DIR=share/zsh/vendor-completions >/dev/null
cmake --build "$build/debian" --parallel "$jobs" >/dev/null
(cd "$build/debian" && cpack -G DEB -B "$out" >/dev/null)
rm -rf "$out/_CPack_Packages"
ls "$out"/*.deb
