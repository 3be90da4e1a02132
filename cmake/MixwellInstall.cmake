# cmake --install: the program, its libraries, the built-in plugins, templates and the CMake package.
# Components: program, what runs; development, what plugins are built with; documentation.
include(CMakePackageConfigHelpers)
include(MixwellTemplates)

set(MIXWELL_CMAKE_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Mixwell)
set(MIXWELL_DOC_INSTALL_DIR ${CMAKE_INSTALL_DATADIR}/doc/mixwell)

set(shared_libraries mixwell_framework mixwell_lab)
if(TARGET mixwell_c)
  list(APPEND shared_libraries mixwell_c)
endif()
install(TARGETS ${shared_libraries} EXPORT MixwellTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT program NAMELINK_COMPONENT development)
if(TARGET mixwell_contracts)
  install(TARGETS mixwell_contracts EXPORT MixwellTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/framework/contracts/include/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
endif()
if(TARGET mixwell_test_main)
  # A set of its own: whoever wants it needs Catch2, and the others do not.
  install(TARGETS mixwell_test_main EXPORT MixwellTestTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(EXPORT MixwellTestTargets NAMESPACE Mixwell:: DESTINATION ${MIXWELL_CMAKE_INSTALL_DIR}
    COMPONENT development)
endif()
if(TARGET mixwell)
  install(TARGETS mixwell RUNTIME DESTINATION ${program_dir} COMPONENT program)
  include(MixwellManual)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/framework/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY DESTINATION ${MIXWELL_PLUGIN_INSTALL_DIR} COMPONENT program)

install(DIRECTORY ${MIXWELL_TEMPLATE_BUILD_DIR}/ DESTINATION ${MIXWELL_TEMPLATE_INSTALL_DIR}
  COMPONENT development)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${MIXWELL_DOC_INSTALL_DIR} COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/NOTATION.md
  ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/SECURITY.md
  DESTINATION ${MIXWELL_DOC_INSTALL_DIR} COMPONENT documentation)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples ${PROJECT_SOURCE_DIR}/papers
  DESTINATION ${MIXWELL_DOC_INSTALL_DIR} COMPONENT documentation PATTERN "__pycache__" EXCLUDE)

install(EXPORT MixwellTargets NAMESPACE Mixwell:: DESTINATION ${MIXWELL_CMAKE_INSTALL_DIR}
  COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/MixwellConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/MixwellConfig.cmake
  INSTALL_DESTINATION ${MIXWELL_CMAKE_INSTALL_DIR}
  PATH_VARS MIXWELL_PLUGIN_INSTALL_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/MixwellConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/MixwellConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/MixwellConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/MixwellPlugin.cmake
  DESTINATION ${MIXWELL_CMAKE_INSTALL_DIR} COMPONENT development)

if(MIXWELL_SETS)
  mixwell_install_sets()
endif()
include(MixwellPackage)
