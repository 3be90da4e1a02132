#!/usr/bin/env bash
# dependencies.sh SYSROOT MACHINE: the libraries that a wheel carries, into SYSROOT (sysroot.sh), of Debian's sources.
# HDF5 and netCDF have no part that reads from networks: with it Debian's need 40 more libraries, 60 MB.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

sysroot=$(cd "$1" && pwd) machine=$2
jobs=${JOBS:-$(nproc)}
work=$sysroot/sources
[[ ! -f $sysroot/has-dependencies ]] || exit 0
export PATH=$sysroot/bin:$PATH
export PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_LIBDIR=$sysroot/usr/lib/pkgconfig
export CC=gcc CXX=g++ # of the sysroot, by names that are the same in every folder
# No text of a library names the folder of this build or the time.
export MIXWELL_PACKAGE_FLAGS="-ffile-prefix-map=$work=. -ffile-prefix-map=$sysroot="
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0} TZ=UTC LC_ALL=C

# Debian's own list of packages, of sources: apt keeps it in the folder.
mkdir -p "$work/lists/partial"
apt=(apt-get -qq -o Dir::Etc::SourceParts=/dev/null -o "Dir::Etc::SourceList=$work/debian.sources"
  -o "Dir::State::Lists=$work/lists" -o APT::Sandbox::User=root)
sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$work/debian.sources"
"${apt[@]}" update
cd "$work"
# fetch OPTION... NAME...: apt fails at times for one file of a mirror.
fetch() { "${apt[@]}" source --only-source --download-only "$@" 2>fetch.log || "${apt[@]}" source --only-source \
  --download-only "$@" 2>fetch.log || { cat fetch.log >&2; exit 1; }; }
fetch --tar-only fmtlib hdf5 liblbfgs libzip netcdf onetbb openssl zlib
fetch sqlite3 # Debian's patches close holes in it

# logged NAME COMMAND...: its output is shown if it fails.
logged() { "${@:2}" >>"$work/$1.log" 2>&1 || { tail -n 30 "$work/$1.log" >&2; exit 1; }; }
# unpack NAME: NAME's sources in a folder NAME, which becomes the current one.
unpack() {
  mkdir -p "$work/$1"
  tar -xf "$(find "$work" -maxdepth 1 -name "$1_*.orig.tar.*" ! -name '*.asc')" -C "$work/$1" --strip-components 1
  cd "$work/$1"
}
# with_cmake NAME OPTION...
with_cmake() {
  unpack "$1"
  logged "$1" cmake -S . -B build -G Ninja -DCMAKE_TOOLCHAIN_FILE="$sysroot/toolchain.cmake" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=ON \
    -DCMAKE_SKIP_RPATH=ON "${@:2}"
  logged "$1" cmake --build build --parallel "$jobs"
  DESTDIR=$sysroot logged "$1" cmake --install build
}
# with_make NAME COMMAND OPTION...: COMMAND configures.
with_make() {
  logged "$1" "${@:2}"
  logged "$1" make --jobs "$jobs"
  logged "$1" make DESTDIR="$sysroot" install
  rm -f "$sysroot"/usr/lib/*.la # libtool refuses those of a folder that they do not name
}
configure=(./configure --host="$machine-linux-gnu" --prefix=/usr --libdir=/usr/lib --disable-static)

# Headers need no build.
include=$sysroot/usr/include
for name in boost catch2 CLI nlohmann toml++; do ln -sfn "/usr/include/$name" "$include/$name"; done
mkdir -p "$sysroot/usr/lib/cmake/tomlplusplus" "$sysroot/usr/share/eigen3"
cp -r /usr/share/cmake/{CLI11,nlohmann_json} /usr/lib/cmake/Catch2 "$sysroot/usr/lib/cmake"
cp /usr/lib/libCatch2WithMain.a "$sysroot/usr/lib" # its CMake package wants the file; nothing is linked with it
cp -r /usr/include/eigen3 "$include" # the wheel carries it
cp -r /usr/share/eigen3/cmake "$sysroot/usr/share/eigen3"

with_cmake fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
with_cmake onetbb -DTBB_TEST=OFF -DTBBMALLOC_BUILD=OFF -DTBB_STRICT=OFF -DTBB_ENABLE_IPO=OFF -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON

mkdir -p "$work/tomlplusplus" && cd "$work/tomlplusplus"
echo '#include <toml++/toml.h>' >toml.cpp
logged tomlplusplus g++ -std=c++17 -O2 -fPIC -shared -DTOML_IMPLEMENTATION -DTOML_HEADER_ONLY=0 -DTOML_SHARED_LIB=1 \
  -Wl,-soname,libtomlplusplus.so.3 toml.cpp -o "$sysroot/usr/lib/libtomlplusplus.so.3"
cp "/usr/lib/$(uname -m)-linux-gnu/cmake/tomlplusplus/tomlplusplusConfigVersion.cmake" "$sysroot/usr/lib/cmake/tomlplusplus"
cat >"$sysroot/usr/lib/cmake/tomlplusplus/tomlplusplusConfig.cmake" <<TEXT
add_library(tomlplusplus::tomlplusplus SHARED IMPORTED)
set_target_properties(tomlplusplus::tomlplusplus PROPERTIES
  IMPORTED_LOCATION $sysroot/usr/lib/libtomlplusplus.so.3 IMPORTED_SONAME libtomlplusplus.so.3
  INTERFACE_COMPILE_DEFINITIONS "TOML_HEADER_ONLY=0;TOML_SHARED_LIB=1")
TEXT

unpack liblbfgs
logged liblbfgs gcc -O2 -fPIC -shared -Iinclude -Wl,-soname,liblbfgs.so.0 lib/lbfgs.c -lm \
  -o "$sysroot/usr/lib/liblbfgs.so.0"
ln -sf liblbfgs.so.0 "$sysroot/usr/lib/liblbfgs.so"
cp include/lbfgs.h "$include"

unpack zlib
CHOST=$machine-linux-gnu CFLAGS=-O2 with_make zlib ./configure --prefix=/usr --libdir=/usr/lib --shared
# Mixwell calls SHA-256 only.
unpack openssl
logged openssl ./Configure "linux-$machine" --prefix=/usr --libdir=lib --openssldir=/usr/lib/ssl shared -O2 \
  no-{tests,engine,module,legacy,dso,async,cms,comp,ct,ocsp,srp,ts,tls,dtls,cmp,dh,dsa,ec,sm2,ui-console} \
  no-{aria,bf,blake2,camellia,cast,chacha,des,idea,md4,mdc2,ocb,poly1305,rc2,rc4,rmd160,scrypt,seed,siphash,siv,sm3,sm4,whirlpool}
logged openssl make --jobs "$jobs" build_libs
logged openssl make DESTDIR="$sysroot" install_dev

cd "$work"
logged sqlite3 dpkg-source --no-check -x sqlite3_*.dsc sqlite3
cd sqlite3
CFLAGS=-O2 with_make sqlite3 "${configure[@]}" --disable-tcl --disable-readline

with_cmake libzip -DENABLE_{COMMONCRYPTO,GNUTLS,MBEDTLS,OPENSSL,BZIP2,LZMA,ZSTD}=OFF \
  -DBUILD_{TOOLS,REGRESS,EXAMPLES,DOC}=OFF

unpack hdf5
logged hdf5 "${configure[@]}" --disable-tests --disable-tools --disable-hltools --enable-threadsafe \
  --enable-unsupported --without-szlib CFLAGS=-O2
# Compiled in, with the time, the folder and the machine of the build.
echo 'Built for a package of Mixwell' >src/libhdf5.settings
with_make hdf5 true
cat >"$sysroot/usr/lib/pkgconfig/hdf5.pc" <<TEXT
Name: HDF5
Description: Hierarchical Data Format
Version: 1.10
Libs: -L/usr/lib -lhdf5
Cflags: -I/usr/include
TEXT
unpack netcdf
export ac_cv_lib_bz2_BZ2_bzCompress=no # of this system, not of the sysroot
CFLAGS=-O2 with_make netcdf "${configure[@]}" --disable-{dap,byterange,nczarr,libxml2,testsets,examples,utilities} \
  --disable-filter-testing --without-plugin-dir

rm -r "$work"
touch "$sysroot/has-dependencies"
