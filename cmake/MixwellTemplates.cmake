# What `mixwell new` writes: one folder in the build tree, and the same when installed, found by the
# program relative to itself.
set(MIXWELL_TEMPLATE_INSTALL_DIR ${CMAKE_INSTALL_DATADIR}/mixwell/templates)
set(MIXWELL_TEMPLATE_BUILD_DIR ${PROJECT_BINARY_DIR}/share/mixwell/templates)

set(templates ${PROJECT_SOURCE_DIR}/cmake/templates)
file(GLOB_RECURSE names CONFIGURE_DEPENDS RELATIVE ${templates} ${templates}/*.in)
foreach(name IN LISTS names)
  configure_file(${templates}/${name} ${MIXWELL_TEMPLATE_BUILD_DIR}/${name} COPYONLY)
endforeach()
# What the tests of components in this tree include, theirs include too.
configure_file(${PROJECT_SOURCE_DIR}/tests/unit/support.hpp
  ${MIXWELL_TEMPLATE_BUILD_DIR}/project/support.hpp COPYONLY)
configure_file(${PROJECT_SOURCE_DIR}/tests/temporary_folder.hpp
  ${MIXWELL_TEMPLATE_BUILD_DIR}/project/temporary_folder.hpp COPYONLY)

# Names at the outermost level of the public headers, which a component's class must not have.
set(taken_names Eigen)
file(GLOB_RECURSE headers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/framework/include/mixwell/*.hpp)
foreach(header IN LISTS headers)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(STRINGS ${header} lines REGEX "^(class|struct|enum|using|namespace) ")
  foreach(line IN LISTS lines)
    if(line MATCHES "^[a-z]+ (class )?(MIXWELL_EXPORT )?([A-Za-z0-9_]+)")
      list(APPEND taken_names ${CMAKE_MATCH_3})
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES taken_names)
list(JOIN taken_names "\n" taken_names)
file(CONFIGURE OUTPUT ${MIXWELL_TEMPLATE_BUILD_DIR}/taken_names.txt
  CONTENT "${taken_names}\n" @ONLY)

if(TARGET mixwell)
  file(RELATIVE_PATH templates_from_bin
    ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/mixwell/templates)
  file(RELATIVE_PATH package_from_bin
    ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/cmake/Mixwell)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/framework/src/app/new_command.cpp
    TARGET_DIRECTORY mixwell
    PROPERTIES COMPILE_DEFINITIONS
      "MIXWELL_TEMPLATES=\"${templates_from_bin}\";MIXWELL_PACKAGE=\"${package_from_bin}\"")
endif()
