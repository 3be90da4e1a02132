# Tests: one CTest test per Catch2 test case. A process that exits with 77 (its data or a tool is
# missing) counts as skipped. Names of cases hold no brackets and no semicolons, which CMake splits.
find_package(Catch2 REQUIRED)
include(Catch)

set(MIXWELL_TEST_ENVIRONMENT
  "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/tests/cache"
  "UBSAN_OPTIONS=print_stacktrace=1"
  "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/tsan.supp"
  "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0"
  "ASAN_OPTIONS=detect_stack_use_after_return=1")
set(sanitizer_factor 1)
if(MIXWELL_SANITIZE)
  set(sanitizer_factor 5)
endif()
# Time limits are given for an idle machine. Other work must not fail a test: with a load of 8 on two cores, what has
# one core otherwise has a quarter of it. tests/plan.py reads this factor.
set(MIXWELL_LOAD_FACTOR 6 CACHE INTERNAL "Time limits of tests are so many times those of an idle machine")
math(EXPR load_factor "${MIXWELL_LOAD_FACTOR} * ${sanitizer_factor}")

# mixwell_time_limit(<seconds> <test>...): how long these tests may take on an idle machine, without sanitizers.
function(mixwell_time_limit seconds)
  math(EXPR limit "${seconds} * ${load_factor}")
  set_tests_properties(${ARGN} PROPERTIES TIMEOUT ${limit})
endfunction()

# The folders that a test may ask for, and the program under test.
add_library(mixwell_test_settings INTERFACE)
target_include_directories(mixwell_test_settings INTERFACE ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(mixwell_test_settings INTERFACE
  MIXWELL_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
  MIXWELL_BUILD_DIR="${PROJECT_BINARY_DIR}"
  MIXWELL_TIME_FACTOR=${sanitizer_factor}
  MIXWELL_PROGRAM="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mixwell")
target_link_libraries(mixwell_test_settings INTERFACE
  Mixwell::framework mixwell_private mixwell_warnings)
# The same, and everything to test with.
add_library(mixwell_lab_test_settings INTERFACE)
target_link_libraries(mixwell_lab_test_settings INTERFACE
  mixwell_test_settings Mixwell::lab Mixwell::contracts PkgConfig::netcdf)

# Deliberately broken plugins, kept away from the folder of the good ones: of plugins/, what unit tests and
# those of the program look at; of samplers/, what only statistics tell from right ones.
add_custom_target(mixwell_wrong_plugins)
set(wrong_folders plugins)
if(NOT MIXWELL_SANITIZE)
  list(APPEND wrong_folders samplers)
endif()
list(TRANSFORM wrong_folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/tests/wrong/\\1/*.cpp")
file(GLOB wrong_sources CONFIGURE_DEPENDS ${wrong_folders})
foreach(source IN LISTS wrong_sources)
  cmake_path(GET source STEM LAST_ONLY stem)
  add_library(wrong_${stem} MODULE ${source})
  set_target_properties(wrong_${stem} PROPERTIES
    PREFIX ""
    OUTPUT_NAME ${stem}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/wrong)
  target_include_directories(wrong_${stem} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(wrong_${stem} PRIVATE Mixwell::framework mixwell_warnings)
  mixwell_precompile_plugin(wrong_${stem})
  add_dependencies(mixwell_wrong_plugins wrong_${stem})
endforeach()

# The program and everything it loads are up to date before a test that may run them is.
function(mixwell_needs_program target)
  add_dependencies(${target} mixwell_plugins mixwell_guests mixwell_wrong_plugins kernel-coordinate-slice
    model-poisson-hierarchy kernel-multiple-try kernel-direction-slice steps-chees
    wired_steps)
  add_dependencies(${target} mixwell mixwell_c mixwell_commands)
endfunction()

# discover_cases(unit "unit" 120 "[slow]" _slow): the cases of unit_tests with these tags, with labels. Brief ones come
# first, as most mistakes are found by them; then those that may take longest, so that no core waits for the last one.
# Catch2's script cannot pass a property that is a list (ENVIRONMENT): set them after it.
function(discover_cases target labels seconds tags)
  set(cases ${target}${ARGN}_cases)
  math(EXPR limit "${seconds} * ${load_factor}")
  set(cost ${seconds})
  if("brief" IN_LIST labels)
    set(cost 10000)
  endif()
  catch_discover_tests(${target}_tests TEST_PREFIX ${target}/ TEST_SPEC "${tags}" TEST_LIST ${cases})
  set(properties_file ${CMAKE_CURRENT_BINARY_DIR}/${cases}.cmake)
  file(WRITE ${properties_file}
    "if(${cases})
  set_tests_properties(\${${cases}} PROPERTIES
    LABELS \"${labels}\" TIMEOUT ${limit} COST ${cost} SKIP_RETURN_CODE 77
    ENVIRONMENT \"${MIXWELL_TEST_ENVIRONMENT}\")
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties_file})
endfunction()

# Precompiled headers of all tests, by a program of its own: one program of tests waits for no other.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp CONTENT "int main() {}\n" @ONLY)
add_executable(mixwell_test_headers ${PROJECT_BINARY_DIR}/test_headers.cpp)
target_link_libraries(mixwell_test_headers PRIVATE mixwell_test_main mixwell_lab_test_settings)
mixwell_precompile(mixwell_test_headers <catch2/catch.hpp> <mixwell/plugin.hpp> <mixwell/lab/certificate.hpp>
  <mixwell/lab/draws.hpp> <mixwell/lab/manifest.hpp> <mixwell/lab/registry.hpp> <mixwell/lab/run.hpp> <mixwell/lab/sampler.hpp>
  <mixwell/lab/summary.hpp>)
mixwell_optimise_as_tests(mixwell_test_headers)

# Of the files those in which some case has this tag.
function(keep_files_with tag files)
  foreach(source IN LISTS ${files})
    file(STRINGS ${source} tagged REGEX "\\[${tag}\\]")
    if(tagged)
      list(APPEND kept ${source})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    endif()
  endforeach()
  set(${files} ${kept} PARENT_SCOPE)
endfunction()

# mixwell_add_tests(unit 120 unit): tests/unit/**/*.cpp and papers/*/tests/unit/*.cpp -> unit_tests, 120 seconds a case. Words
# after that are further labels of its cases. TAGS: some cases have these tags, and get them as labels
# too; the rest gets the label brief where slow is one of the tags. .ci/run leaves out nightly and verify;
# it runs what is slow without sanitizers, and what is brief with them. Files with brief cases alone are left
# out without MIXWELL_BRIEF_TESTS.
# PLUGINS: those it needs, if it needs neither all of them nor the program nor libmixwell_lab.
function(mixwell_add_tests label timeout folder)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "PLUGINS;TAGS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  file(GLOB guests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/papers/*/tests/${folder}/*.cpp)
  list(APPEND sources ${guests})
  if("slow" IN_LIST arg_TAGS AND NOT MIXWELL_BRIEF_TESTS)
    keep_files_with(slow sources)
  endif()
  if(NOT sources)
    return()
  endif()
  add_executable(${label}_tests ${sources})
  if(arg_PLUGINS)
    target_link_libraries(${label}_tests PRIVATE mixwell_test_main mixwell_test_settings)
  else()
    target_link_libraries(${label}_tests PRIVATE mixwell_test_main mixwell_lab_test_settings)
    mixwell_precompile_as(${label}_tests mixwell_test_headers)
  endif()
  # Their own code is run once; what they test is compiled as users have it.
  mixwell_optimise_as_tests(${label}_tests)
  if(arg_PLUGINS)
    add_dependencies(${label}_tests ${arg_PLUGINS})
  else()
    mixwell_needs_program(${label}_tests)
  endif()
  set(labels ${label} ${arg_UNPARSED_ARGUMENTS})
  list(TRANSFORM arg_TAGS REPLACE "(.+)" "~[\\1]" OUTPUT_VARIABLE untagged)
  list(JOIN untagged "" untagged)
  set(untagged_labels ${labels})
  if("slow" IN_LIST arg_TAGS)
    list(APPEND untagged_labels brief)
  endif()
  discover_cases(${label} "${untagged_labels}" ${timeout} "${untagged}")
  foreach(tag IN LISTS arg_TAGS)
    discover_cases(${label} "${labels};${tag}" ${timeout} "[${tag}]" _${tag})
  endforeach()
endfunction()

# Every tests/<folder>/*.py is one test with the label <folder>, run by the system's Python (the one
# that apt's packages are for), with the folders and the program in its environment.
function(mixwell_add_python_tests folder timeout)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.py)
  foreach(script IN LISTS scripts)
    cmake_path(GET script STEM LAST_ONLY stem)
    add_test(NAME ${folder}/${stem} COMMAND /usr/bin/python3 ${script})
    set_tests_properties(${folder}/${stem} PROPERTIES
      LABELS ${folder}
      SKIP_RETURN_CODE 77
      ENVIRONMENT "${MIXWELL_TEST_ENVIRONMENT};MIXWELL_PROGRAM=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mixwell;MIXWELL_SOURCE_DIR=${PROJECT_SOURCE_DIR};MIXWELL_BUILD_DIR=${PROJECT_BINARY_DIR}")
    mixwell_time_limit(${timeout} ${folder}/${stem})
  endforeach()
endfunction()

# Every tests/<folder>/*.R is one test, run by tests/<folder>/run.sh with the program that is built
# from tests/<folder>/*.cpp as its argument.
function(mixwell_add_r_tests folder timeout)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.R)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  add_executable(${folder}_figures ${sources})
  target_link_libraries(${folder}_figures PRIVATE mixwell_lab_test_settings)
  foreach(script IN LISTS scripts)
    cmake_path(GET script STEM LAST_ONLY stem)
    add_test(NAME r/${stem}
      COMMAND ${PROJECT_SOURCE_DIR}/tests/${folder}/run.sh ${script} $<TARGET_FILE:${folder}_figures>)
    set_tests_properties(r/${stem} PROPERTIES
      LABELS r
      SKIP_RETURN_CODE 77
      ENVIRONMENT "${MIXWELL_TEST_ENVIRONMENT};MIXWELL_PROGRAM=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mixwell")
    mixwell_time_limit(${timeout} r/${stem})
  endforeach()
endfunction()

# Every tests/<folder>/*.mjs is one test, run by node with a headless Chromium, which it skips
# without. Screenshots are kept in the build's tests/report. Sanitizers see the program elsewhere.
function(mixwell_add_report_tests folder timeout)
  if(NOT TARGET mixwell_page)
    return()
  endif()
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.mjs)
  foreach(script IN LISTS scripts)
    cmake_path(GET script STEM LAST_ONLY stem)
    add_test(NAME report/${stem} COMMAND ${MIXWELL_NODE} ${script})
    set_tests_properties(report/${stem} PROPERTIES
      LABELS "report;slow"
      COST ${timeout}
      SKIP_RETURN_CODE 77
      ENVIRONMENT "${MIXWELL_TEST_ENVIRONMENT};MIXWELL_PROGRAM=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mixwell;MIXWELL_SOURCE_DIR=${PROJECT_SOURCE_DIR};MIXWELL_BUILD_DIR=${PROJECT_BINARY_DIR}")
    mixwell_time_limit(${timeout} report/${stem})
  endforeach()
endfunction()

# Installs the build and builds plugins against it, as an outside author would: with the compiler of
# this build, with others where they are, and once more to see what it costs.
function(mixwell_add_package_tests timeout)
  if(NOT TARGET mixwell)
    return()
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/tests/package)
  set(build ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER})
  add_test(NAME package COMMAND ${folder}/run.sh ${build})
  set_tests_properties(package PROPERTIES LABELS package)
  add_test(NAME package/papers COMMAND ${folder}/papers.sh ${build} ${PROJECT_SOURCE_DIR})
  set_tests_properties(package/papers PROPERTIES LABELS "package;slow")
  add_test(NAME package/build-size COMMAND ${folder}/build_size.sh ${build})
  set_tests_properties(package/build-size PROPERTIES LABELS package)
  # ./dev package makes them, which takes a build of its own.
  add_test(NAME package/packages
    COMMAND ${folder}/packages.sh ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/build/dist)
  set_tests_properties(package/packages PROPERTIES
    LABELS "package;slow;nightly" SKIP_RETURN_CODE 77)
  foreach(other clang++ g++-11)
    add_test(NAME package/${other} COMMAND ${folder}/compiler.sh ${build} ${other})
    set_tests_properties(package/${other} PROPERTIES
      LABELS "package;slow" SKIP_RETURN_CODE 77)
  endforeach()
  set_property(TEST package/clang++ package/g++-11 APPEND PROPERTY LABELS nightly)
  mixwell_time_limit(${timeout} package package/papers package/build-size package/packages package/clang++ package/g++-11)
endfunction()

# What the public headers promise: one is enough, and each compiles alone.
function(mixwell_add_header_tests timeout)
  set(folder ${PROJECT_SOURCE_DIR}/tests/headers)
  add_test(NAME headers/one-header COMMAND ${folder}/one_header.sh ${PROJECT_SOURCE_DIR})
  set_tests_properties(headers/one-header PROPERTIES LABELS headers)
  add_test(NAME headers/mutants
    COMMAND ${folder}/mutants.sh ${PROJECT_SOURCE_DIR} ${CMAKE_CXX_COMPILER})
  set_tests_properties(headers/mutants PROPERTIES LABELS headers)
  get_target_property(flags mixwell_framework INTERFACE_COMPILE_OPTIONS)
  get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  add_test(NAME headers/self-contained
    COMMAND ${folder}/self_contained.sh ${PROJECT_SOURCE_DIR} ${CMAKE_CXX_COMPILER}
      ${flags} "-DMIXWELL_ISA=\"${MIXWELL_ISA}\"" -isystem ${eigen})
  set_tests_properties(headers/self-contained PROPERTIES
    LABELS "headers;slow;verify")
  mixwell_time_limit(${timeout} headers/one-header headers/mutants headers/self-contained)
endfunction()

# Edges exchanged in the operations of plugins, each of which the compiler must refuse. What takes
# minutes is left to the night.
function(mixwell_add_typed_tests)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(folder ${PROJECT_SOURCE_DIR}/tests/typed)
  set(kernels ${PROJECT_SOURCE_DIR}/plugins/kernels)
  set(shared ${PROJECT_SOURCE_DIR}/framework/src/kernel)
  set(swap ${Python3_EXECUTABLE} ${folder}/swap_edges.py)
  set(commands ${CMAKE_BINARY_DIR}/compile_commands.json)
  add_test(NAME typed/refused COMMAND ${Python3_EXECUTABLE} ${folder}/refused.py ${commands}
    ${kernels}/random-walk-metropolis.cpp)
  add_test(NAME typed/swaps COMMAND ${swap} ${commands}
    ${kernels}/random-walk-metropolis.cpp ${shared}/flow.cpp)
  # The mutant: edges that may be exchanged, of which the script has to tell.
  add_test(NAME typed/escape COMMAND ${swap} --like ${kernels}/random-walk-metropolis.cpp
    ${commands} ${folder}/untyped.cpp)
  set_tests_properties(typed/escape PROPERTIES PASS_REGULAR_EXPRESSION "1 swaps, 1 escaped")
  file(GLOB plugins ${kernels}/*.cpp ${PROJECT_SOURCE_DIR}/plugins/compositors/*.cpp
    ${PROJECT_SOURCE_DIR}/plugins/oracles/*.cpp ${PROJECT_SOURCE_DIR}/papers/*/plugins/kernel-*.cpp)
  add_test(NAME typed/all-plugins COMMAND ${swap} ${commands} ${plugins})
  file(GLOB parts ${shared}/*.cpp)
  add_test(NAME typed/all-parts COMMAND ${swap} --separately ${commands} ${parts})
  set_tests_properties(typed/refused typed/swaps typed/escape PROPERTIES
    LABELS typed COST 600)
  set_tests_properties(typed/swaps PROPERTIES LABELS "typed;slow;nightly")
  mixwell_time_limit(300 typed/refused typed/swaps typed/escape)
  set_tests_properties(typed/all-plugins typed/all-parts PROPERTIES
    LABELS "typed;slow;nightly")
  mixwell_time_limit(7200 typed/all-plugins typed/all-parts)
endfunction()
