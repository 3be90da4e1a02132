# Compiler: ccache, sanitizers, and the warnings of this project's own code.
find_program(MIXWELL_CCACHE ccache)
if(MIXWELL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the source folder let a second clone share the cache of the first. DEPEND takes
  # what a file includes from the compiler: without it, a first build preprocesses every file twice.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${MIXWELL_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess) # what ccache needs of precompiled headers
  endif()
endif()

# -g1: the lines of a stack trace, in two thirds of the time to compile that -g takes.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer")

# What macOS writes differently. MIXWELL_NO_UNDEFINED finds a symbol that nobody defines when a library is
# linked: the linker of macOS always does, and with clang's sanitizers for fuzzing it cannot be, since their
# functions are in the program alone.
if(APPLE)
  set(MIXWELL_ORIGIN "@loader_path")
  set(MIXWELL_NO_UNDEFINED "")
  add_link_options(LINKER:-dead_strip_dylibs)
else()
  set(MIXWELL_ORIGIN "$ORIGIN")
  set(MIXWELL_NO_UNDEFINED LINKER:--no-undefined)
  add_link_options(-Wl,--as-needed)
endif()
if(MIXWELL_FUZZ)
  set(MIXWELL_NO_UNDEFINED "")
endif()

if(MIXWELL_SANITIZE)
  add_compile_options(-fsanitize=${MIXWELL_SANITIZE} -fno-sanitize-recover=all)
  if(MIXWELL_SANITIZE MATCHES "address")
    add_compile_definitions(_GLIBCXX_ASSERTIONS) # bounds of the standard library's containers
    # A check at every access to memory, of what ASan or the processor finds as well; without them
    # Eigen's templates compile in two thirds of the time.
    add_compile_options(-fno-sanitize=null,alignment,object-size)
  endif()
  add_link_options(-fsanitize=${MIXWELL_SANITIZE})
  # GCC's flow analysis gives false positives in instrumented code (its manual says so).
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

if(MIXWELL_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "MIXWELL_FUZZ needs clang++: configure with --preset fuzz.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link) # coverage, which libFuzzer follows
endif()

# mixwell_warnings: linked PRIVATE by every target of this project.
add_library(mixwell_warnings INTERFACE)
target_compile_options(mixwell_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # GCC 12 sees overlapping and overlong copies in "text" + string at -O3 where there are none (its
  # bug 105329); the sanitizers see those that are there.
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>"
  # Without AVX, inline functions of law/lanes.hpp pass vectors that are wider than a register.
  $<$<NOT:$<STREQUAL:${MIXWELL_ISA},x86-64-v3>>:-Wno-psabi>
  $<$<BOOL:${MIXWELL_WERROR}>:-Werror>)

# mixwell_optimise_lightly(<target>): code that reads, decides or reports, and never computes for long,
# takes a fifth less time to compile so.
function(mixwell_optimise_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# mixwell_optimise_as_tests(<target>): the same, and under sanitizers a third less.
function(mixwell_optimise_as_tests target)
  mixwell_optimise_lightly(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
endfunction()
