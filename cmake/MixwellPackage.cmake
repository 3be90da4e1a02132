# Packages: what ./dev package makes of an installation. cpack -G DEB makes a set of Debian packages of its
# components; a wheel also carries the headers that plugins are compiled with.
if(SKBUILD)
  # Debian's Eigen finds its headers relative to its CMake package.
  get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  install(DIRECTORY ${eigen}/Eigen DESTINATION include/eigen3 COMPONENT development)
  install(DIRECTORY ${Eigen3_DIR}/ DESTINATION share/eigen3/cmake COMPONENT development)
  return()
endif()

set(CPACK_PACKAGE_NAME mixwell)
set(CPACK_PACKAGE_VENDOR "Mixwell")
set(CPACK_PACKAGE_CONTACT "the authors of Mixwell <maintainers@mixwell.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development documentation)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# What a library needs is read from it; those of the packages themselves are beside it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME mixwell)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmixwell-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "mixwell (= ${PROJECT_VERSION}), libeigen3-dev, cmake, g++")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME mixwell-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "${PROJECT_DESCRIPTION}: the program mixwell, its libraries and plugins.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "${PROJECT_DESCRIPTION}: what plugins, and programs that embed it, are built with.")
set(CPACK_COMPONENT_DOCUMENTATION_DESCRIPTION
  "${PROJECT_DESCRIPTION}: documents and examples.")
option(MIXWELL_DEBIAN "Install what Debian asks of each of its packages" OFF)
if(MIXWELL_DEBIAN)
  # Licence and changes of each package, and what the libraries that others link need.
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
  string(TIMESTAMP day "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${PROJECT_BINARY_DIR}/debian/copyright "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: mixwell

Files: *
Copyright: the authors of Mixwell
License: Apache-2.0
 On Debian systems the text of this licence is in /usr/share/common-licenses/Apache-2.0.
")
  file(WRITE ${PROJECT_BINARY_DIR}/debian/changelog "\
mixwell (${PROJECT_VERSION}) unstable; urgency=medium

  * CHANGELOG.md of the package mixwell-doc lists all changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${day}
")
  execute_process(COMMAND gzip -9nf ${PROJECT_BINARY_DIR}/debian/changelog)
  foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} upper)
    install(FILES ${PROJECT_BINARY_DIR}/debian/copyright ${PROJECT_BINARY_DIR}/debian/changelog.gz
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component})
  endforeach()
endif()
include(CPack)
