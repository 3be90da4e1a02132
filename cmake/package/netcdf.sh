#!/usr/bin/env bash
# netcdf.sh PREFIX: netCDF and HDF5 from Debian's sources, into PREFIX, without what reads from networks.
# What Debian builds needs 40 more libraries (curl, LDAP, Kerberos, ICU), 60 MB; a package that carries
# its libraries has no use for them.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

prefix=$(mkdir -p "$1" && cd "$1" && pwd)
jobs=${JOBS:-$(nproc)}
[[ ! -f $prefix/ready ]] || exit 0

# Debian's own list of packages, of sources: apt keeps it in the folder.
fetch() {
  local list=$prefix/sources/debian.sources
  local apt=(apt-get -qq -o Dir::Etc::SourceParts=/dev/null -o "Dir::Etc::SourceList=$list"
    -o "Dir::State::Lists=$prefix/sources/lists")
  mkdir -p "$prefix/sources/lists/partial"
  sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$list"
  "${apt[@]}" update
  cd "$prefix/sources"
  "${apt[@]}" source --only-source --download-only "$@" 2>/dev/null
}

# unpacked NAME: the folder of NAME's sources, as upstream has them.
unpacked() {
  mkdir -p "$prefix/sources/$1"
  tar -xf "$prefix/sources/$1"_*.orig.tar.* -C "$prefix/sources/$1" --strip-components 1
  echo "$prefix/sources/$1"
}

# build NAME OPTION...
build() {
  local source
  source=$(unpacked "$1")
  cd "$source"
  ./configure --quiet --prefix="$prefix" --libdir="$prefix/lib" --disable-static "${@:2}" \
    CFLAGS=-O2 CPPFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib -Wl,-rpath,$prefix/lib" \
    >"$source.log" 2>&1 || { tail -n 20 "$source.log" >&2; exit 1; }
  make --silent --jobs "$jobs" install >>"$source.log" 2>&1 || { tail -n 20 "$source.log" >&2; exit 1; }
}

fetch hdf5 netcdf
build hdf5 --disable-tests --disable-tools --disable-hltools --enable-threadsafe --enable-unsupported \
  --without-szlib
build netcdf --disable-dap --disable-byterange --disable-nczarr --disable-libxml2 --disable-testsets \
  --disable-examples --disable-utilities --disable-filter-testing --without-plugin-dir
# HDF5's own build writes none.
cat >"$prefix/lib/pkgconfig/hdf5.pc" <<TEXT
Name: HDF5
Description: Hierarchical Data Format
Version: 1.10
Libs: -L$prefix/lib -lhdf5
Cflags: -I$prefix/include
TEXT
touch "$prefix/ready"
