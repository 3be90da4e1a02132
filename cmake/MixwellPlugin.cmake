# mixwell_add_plugin(): the one way to build a plugin, in this project and outside it.
#
#   mixwell_add_plugin(<name> SOURCES <file.cpp>... [TARGET <target>] [LINK <library>...])
#
# Makes <name>.so, a module that the program loads at run time, in C++20, with hidden symbols and
# with the compiler flags that Mixwell::framework itself was built with (its ABI tag is checked when
# the plugin is loaded). <target> is the CMake target, by default <name>; <library> is anything
# target_link_libraries() takes. The file is written to MIXWELL_PLUGIN_OUTPUT_DIRECTORY if that is
# set, else to the current binary folder: name that folder in the environment variable
# MIXWELL_PLUGIN_PATH, and `mixwell plugins` lists what is in it.
include_guard(GLOBAL)

function(mixwell_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET" "SOURCES;LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "mixwell_add_plugin(${name}): unknown argument '${arg_UNPARSED_ARGUMENTS}'; "
      "wanted: SOURCES, TARGET, LINK")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "mixwell_add_plugin(${name}): SOURCES names no file")
  endif()
  if(NOT arg_TARGET)
    set(arg_TARGET ${name})
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR})
  if(MIXWELL_PLUGIN_OUTPUT_DIRECTORY)
    set(folder ${MIXWELL_PLUGIN_OUTPUT_DIRECTORY})
  endif()

  add_library(${arg_TARGET} MODULE ${arg_SOURCES})
  target_compile_features(${arg_TARGET} PRIVATE cxx_std_20)
  target_link_libraries(${arg_TARGET} PRIVATE Mixwell::framework ${arg_LINK})
  # A symbol that nobody defines is found here, not when the plugin is loaded. (Those of clang's
  # sanitizers are defined in the program alone. The linker of macOS checks this without the option.)
  if(NOT MIXWELL_FUZZ AND NOT APPLE)
    target_link_options(${arg_TARGET} PRIVATE LINKER:--no-undefined)
  endif()
  set_target_properties(${arg_TARGET} PROPERTIES
    PREFIX ""
    OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${folder}
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    DEFINE_SYMBOL "")
endfunction()
