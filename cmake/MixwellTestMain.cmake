# Mixwell::test_main: Catch2 with its main function, for the tests of this tree and for those of
# plugins outside. Version 2 of Catch2 is a header, whose main takes 20 s of a processor to compile:
# it is compiled once, here, and installed. Version 3 has a library of its own, which stands behind
# the same name.
set(catch2_required)
if(MIXWELL_TESTS)
  set(catch2_required REQUIRED)
endif()
find_package(Catch2 ${catch2_required})
if(NOT Catch2_FOUND)
  return()
endif()

add_library(mixwell_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/main.cpp)
add_library(Mixwell::test_main ALIAS mixwell_test_main)
set_target_properties(mixwell_test_main PROPERTIES EXPORT_NAME test_main)
if(Catch2_VERSION VERSION_LESS 3)
  target_link_libraries(mixwell_test_main PUBLIC Catch2::Catch2)
else()
  target_link_libraries(mixwell_test_main PUBLIC Catch2::Catch2WithMain)
  target_include_directories(mixwell_test_main PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/tests/catch2_3>)
endif()
# It prints what failed: nothing that -O3 would make faster, and nothing of ours for a sanitizer to watch
# (which takes three times as long to compile).
mixwell_optimise_lightly(mixwell_test_main)
if(MIXWELL_SANITIZE)
  target_compile_options(mixwell_test_main PRIVATE -fno-sanitize=all)
endif()
string(REGEX MATCH "^[0-9]+" MIXWELL_CATCH2_MAJOR ${Catch2_VERSION})
