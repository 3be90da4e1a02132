# Cross-compilation for 64-bit ARM with Debian's packages, and tests by an emulator: ./dev platforms arm64.
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake -DMIXWELL_ROOT=FOLDER -DMIXWELL_MPI=OFF ...
# FOLDER has the libraries and headers of a Debian for ARM; none of its programs runs during the build.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MIXWELL_ROOT)
set(CMAKE_SYSROOT ${MIXWELL_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${MIXWELL_ROOT})
set(ENV{PKG_CONFIG_LIBDIR}
  ${MIXWELL_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${MIXWELL_ROOT}/usr/share/pkgconfig)
# Libraries that libraries of the root are linked with.
add_link_options(
  LINKER:-rpath-link,${MIXWELL_ROOT}/usr/lib/aarch64-linux-gnu:${MIXWELL_ROOT}/lib/aarch64-linux-gnu)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${MIXWELL_ROOT})
