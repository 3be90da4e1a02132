# Random123, which tests and benchmarks compare the random numbers with; the framework has its own.
include_guard(GLOBAL)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
add_library(mixwell_random123 INTERFACE)
target_include_directories(mixwell_random123 SYSTEM INTERFACE ${RANDOM123_INCLUDE_DIR})
