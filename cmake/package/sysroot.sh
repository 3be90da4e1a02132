#!/usr/bin/env bash
# sysroot.sh PREFIX MACHINE ZIG: a compiler for MACHINE (x86_64 or aarch64), in PREFIX/bin, whose programs run
# with glibc 2.28 and the libstdc++ of GCC 7, and with all that are newer. It is this system's GCC.
#
# Headers and stand-ins of glibc come with ZIG, which makes those of any version. The stand-in of libstdc++ has
# only the symbols that the older one has. What else this GCC's headers call is linked statically:
# newer_symbols.cpp and three files of libstdc++. Classes, exceptions and streams are those of the system's
# libstdc++, so that programs, plugins and whatever else the process holds share them.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

prefix=$(mkdir -p "$1" && cd "$1" && pwd) machine=$2 zig=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ ! -f $prefix/ready ]] || exit 0
glibc=2.28 libstdcxx=(GLIBCXX_3.4.24 CXXABI_1.3.11) # what manylinux_2_28 allows
triple=$machine-linux-gnu
gcc=$triple-gcc gxx=$triple-g++
folder=${zig%/*}/lib/libc/include
case $machine in
  x86_64) families=(x86-linux-gnu generic-glibc x86-linux-any any-linux-any) ;;
  aarch64) families=(aarch64-linux-gnu generic-glibc aarch64-linux-any any-linux-any) ;;
esac

# Headers, the general ones first: the special ones replace them.
include=$prefix/usr/include library=$prefix/lib
mkdir -p "$include" "$library" "$prefix/bin" "$prefix/usr/lib"
for ((i = ${#families[@]} - 1; i >= 0; --i)); do
  cp -r "$folder/${families[i]}/." "$include"
done
sed -i "s|^/\* zig patch: we pass .*|#define __GLIBC_MINOR__ ${glibc#*.}|" "$include/features.h"
rm "$include/sys/single_threaded.h" # since 2.32

# This GCC's C++ headers, without the functions of newer versions of glibc.
version=$("$gxx" -dumpversion)
general=$(echo '#include <vector>' | "$gxx" -x c++ -E - | sed -n 's|^# 1 "\(.*\)/vector".*|\1|p' | head -n 1)
special=$(echo '#include <vector>' | "$gxx" -x c++ -E - |
  sed -n 's|^# 1 "\(.*\)/bits/c++config.h".*|\1|p' | head -n 1)
mkdir -p "$include/c++/$version"
cp -rL "$general/." "$include/c++/$version"
cp -rL "$special/." "$include/c++/$version"
sed -i -E 's/^#define (_GLIBCXX_USE_PTHREAD_\w+(CLOCKWAIT|CLOCKLOCK)|_GLIBCXX_HAVE_SYS_SINGLE_THREADED_H) .*/\/* \1 *\//' \
  "$include/c++/$version/bits/c++config.h"

# Stand-ins of glibc and the objects that programs start with.
export ZIG_GLOBAL_CACHE_DIR=$prefix/zig ZIG_LOCAL_CACHE_DIR=$prefix/zig
echo 'int main(void) { return 0; }' >"$prefix/main.c"
made=$("$zig" cc -target "$triple.$glibc" -fPIE -pie "$prefix/main.c" -o "$prefix/main" -lm -lpthread -ldl \
  -lrt -lutil --verbose 2>&1)
for name in libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libutil.so.1 libld.so.2 \
  libc_nonshared.a Scrt1.o; do
  file=$(grep -oE "[^ ]*/$name( |$)" <<<"$made" | head -n 1 | tr -d ' ')
  cp "$file" "$library"
done
objcopy=$triple-objcopy
# The archive has its objects by their paths.
mkdir -p "$prefix/nonshared"
while IFS= read -r member; do cp "$member" "$prefix/nonshared"; done < <("$triple-ar" t "$library/libc_nonshared.a")
"$objcopy" --strip-debug "$library/Scrt1.o"
for member in "$prefix"/nonshared/*.o; do "$objcopy" --strip-debug "$member"; done
rm "$library/libc_nonshared.a"
"$triple-ar" rcsD "$library/libc_nonshared.a" "$prefix"/nonshared/*.o
cp "$library/Scrt1.o" "$library/crt1.o"
for name in crti.o crtn.o; do cp "$("$gcc" -print-file-name=$name)" "$library"; done
for name in m pthread dl rt util; do
  file=("$library/lib$name".so.*)
  ln -sf "${file[0]##*/}" "$library/lib$name.so"
done
# As since 2.34: threads and dlopen() need no library of their own in a command.
echo 'INPUT(libc.so.6 libc_nonshared.a AS_NEEDED(libld.so.2 libpthread.so.0 libdl.so.2))' >"$library/libc.so"

# The compiler. Strong references to threads: the weak ones are for programs without libpthread.
for name in gcc g++; do
  compiler=$(command -v "$triple-$name")
  cat >"$prefix/bin/$name" <<TEXT
#!/bin/sh
exec $compiler --sysroot=$prefix -nostdinc -isystem $("$gcc" -print-file-name=include) \\
  -isystem $include -DGTHREAD_USE_WEAK=0 -B$library -L$library -L$prefix/usr/lib \\
  -Wl,--exclude-libs,libnewer_symbols.a -Wl,--gc-sections \$MIXWELL_PACKAGE_FLAGS "\$@"
TEXT
done
sed -i "s|-nostdinc|-nostdinc -nostdinc++ -isystem $include/c++/$version -isystem $include/c++/$version/backward|" \
  "$prefix/bin/g++"
chmod +x "$prefix/bin/gcc" "$prefix/bin/g++"
for name in ar ranlib nm objdump objcopy strip ld; do ln -sf "$(command -v "$triple-$name")" "$prefix/bin/$name"; done

# stand_in NAME VERSION...
stand_in() {
  local name=$1
  "$here/older_library.py" "$(readlink -e "$("$gxx" -print-file-name="$name")")" "${@:2}" >"$prefix/main.s"
  grep -oE '@@[A-Za-z0-9_.]+' "$prefix/main.s" | sort -u | sed 's/@@\(.*\)/\1 {};/' >"$prefix/main.map"
  "$prefix/bin/gcc" -shared -nostdlib -Wl,-soname,"$name" -Wl,--version-script="$prefix/main.map" \
    "$prefix/main.s" -o "$library/$name"
}
stand_in libgcc_s.so.1 GCC_7.0.0 "GLIBC_$glibc"
echo 'INPUT(libgcc_s.so.1 -lgcc)' >"$library/libgcc_s.so"

# libstdc++: the stand-in, and what it lacks.
stand_in libstdc++.so.6 "${libstdcxx[@]}"
mkdir -p "$prefix/newer"
(cd "$prefix/newer" && "$prefix/bin/ar" x "$("$gxx" -print-file-name=libstdc++_pic.a)" \
  fs_path.o fs_dir.o fs_ops.o floating_from_chars.o floating_to_chars.o memory_resource.o eh_ptr.o)
# exception_ptr itself is older; how it counts was not called from outside.
"$objcopy" --keep-global-symbol=_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv \
  --keep-global-symbol=_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv "$prefix/newer/eh_ptr.o"
"$prefix/bin/g++" -std=c++20 -O2 -fPIC -ffunction-sections -c "$here/newer_symbols.cpp" \
  -o "$prefix/newer/newer_symbols.o"
rm -f "$library/libnewer_symbols.a"
"$prefix/bin/ar" rcsD "$library/libnewer_symbols.a" "$prefix"/newer/*.o
echo "INPUT(libstdc++.so.6 libnewer_symbols.a)" >"$library/libstdc++.so"
rm -r "$prefix/zig" "$prefix/newer" "$prefix/nonshared" "$prefix"/main*
# A build with this file runs programs of it with the libraries of the sysroot; its tools keep the system's.
emulator="env;LD_LIBRARY_PATH=$prefix/usr/lib"
[[ $machine == $(uname -m) ]] ||
  emulator="qemu-$machine;-L;/usr/$triple;-E;LD_LIBRARY_PATH=$prefix/usr/lib"
cat >"$prefix/toolchain.cmake" <<TEXT
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $machine)
set(CMAKE_CROSSCOMPILING_EMULATOR "$emulator")
set(CMAKE_C_COMPILER $prefix/bin/gcc)
set(CMAKE_CXX_COMPILER $prefix/bin/g++)
set(CMAKE_FIND_ROOT_PATH $prefix)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
TEXT
touch "$prefix/ready"
