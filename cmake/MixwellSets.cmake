# An installation with the program, the libraries and the plugins once for each instruction set of x86-64.
# MIXWELL_ISA is the usual set, in the usual folders. Every other set has the folder LIBDIR/mixwell/SET,
# and bin/mixwell picks a set at start (framework/src/app/launcher). Packages have all sets; the build
# tree has one.
set(MIXWELL_SETS "" CACHE STRING "Further instruction sets of an installation: x86-64-v2;x86-64-v4")
# Where the program itself is installed. Set by the project below, for the build of a further set.
set(MIXWELL_PROGRAM_INSTALL_DIR "" CACHE STRING "Internal: the folder of the program of a further set")
mark_as_advanced(MIXWELL_PROGRAM_INSTALL_DIR)

set(MIXWELL_IS_FURTHER_SET OFF)
set(program_dir ${CMAKE_INSTALL_BINDIR})
if(MIXWELL_PROGRAM_INSTALL_DIR)
  set(MIXWELL_IS_FURTHER_SET ON)
  set(program_dir ${MIXWELL_PROGRAM_INSTALL_DIR})
elseif(MIXWELL_SETS)
  set(program_dir ${CMAKE_INSTALL_LIBDIR}/mixwell/${MIXWELL_ISA}/bin)
endif()

# mixwell_install_sets(): installs bin/mixwell and the further sets.
function(mixwell_install_sets)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    message(FATAL_ERROR "MIXWELL_SETS names sets of x86-64, and bin/mixwell picks one of them on Linux. Leave it empty.")
  endif()
  file(RELATIVE_PATH sets ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/mixwell)
  add_executable(mixwell_launcher ${PROJECT_SOURCE_DIR}/framework/src/app/launcher/launcher.cpp)
  set_target_properties(mixwell_launcher PROPERTIES
    OUTPUT_NAME mixwell RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/launcher)
  target_compile_options(mixwell_launcher PRIVATE -march=x86-64)
  target_compile_definitions(mixwell_launcher PRIVATE MIXWELL_SETS="${sets}")
  target_link_libraries(mixwell_launcher PRIVATE mixwell_warnings)
  install(TARGETS mixwell_launcher RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

  include(ExternalProject)
  foreach(set IN LISTS MIXWELL_SETS)
    set(folder ${CMAKE_INSTALL_LIBDIR}/mixwell/${set})
    set(built ${PROJECT_BINARY_DIR}/sets/${set})
    set(installed ${PROJECT_BINARY_DIR}/sets/${set}-installed)
    ExternalProject_Add(mixwell_${set}
      SOURCE_DIR ${PROJECT_SOURCE_DIR}
      BINARY_DIR ${built}
      CMAKE_ARGS -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
        -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE} "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}"
        -DCMAKE_BUILD_WITH_INSTALL_RPATH=${CMAKE_BUILD_WITH_INSTALL_RPATH}
        -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=${folder}
        -DMIXWELL_PROGRAM_INSTALL_DIR=${folder}/bin -DMIXWELL_ISA=${set} -DMIXWELL_TESTS=OFF
        -DMIXWELL_REPORT=${MIXWELL_REPORT} -DMIXWELL_MPI=${MIXWELL_MPI} -DSKBUILD=${SKBUILD}
      BUILD_COMMAND ${CMAKE_COMMAND} --build ${built}
      INSTALL_COMMAND ${CMAKE_COMMAND} -E env DESTDIR=${installed}
        ${CMAKE_COMMAND} --install ${built} --strip --component program
      COMMAND ${CMAKE_COMMAND} -E env DESTDIR=${installed}
        ${CMAKE_COMMAND} --install ${built} --strip --component development
      BUILD_ALWAYS ON
      USES_TERMINAL_BUILD ON) # one after another
    # What the build of a set installs outside its folder is the same for all sets.
    install(DIRECTORY ${installed}/usr/${folder}/ DESTINATION ${folder}
      USE_SOURCE_PERMISSIONS COMPONENT program
      REGEX "/cmake$" EXCLUDE REGEX "\\.a$" EXCLUDE)
    install(DIRECTORY ${installed}/usr/${folder}/cmake DESTINATION ${folder} COMPONENT development)
    install(DIRECTORY ${installed}/usr/${folder}/ DESTINATION ${folder} COMPONENT development
      FILES_MATCHING REGEX "/[^/]+\\.a$" REGEX "/(bin|mixwell|cmake)$" EXCLUDE)
  endforeach()
endfunction()
