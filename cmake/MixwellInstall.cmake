# cmake --install: the program, its libraries, the built-in plugins, templates and the CMake package.
include(CMakePackageConfigHelpers)
include(MixwellTemplates)

set(MIXWELL_CMAKE_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Mixwell)

install(TARGETS mixwell_framework mixwell_lab EXPORT MixwellTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET mixwell_contracts)
  install(TARGETS mixwell_contracts EXPORT MixwellTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/framework/contracts/include/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(TARGET mixwell_test_main)
  # A set of its own: whoever wants it needs Catch2, and the others do not.
  install(TARGETS mixwell_test_main EXPORT MixwellTestTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT MixwellTestTargets NAMESPACE Mixwell:: DESTINATION ${MIXWELL_CMAKE_INSTALL_DIR})
endif()
if(TARGET mixwell)
  install(TARGETS mixwell RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/framework/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY DESTINATION ${MIXWELL_PLUGIN_INSTALL_DIR})

install(DIRECTORY ${MIXWELL_TEMPLATE_BUILD_DIR}/ DESTINATION ${MIXWELL_TEMPLATE_INSTALL_DIR})

install(EXPORT MixwellTargets NAMESPACE Mixwell:: DESTINATION ${MIXWELL_CMAKE_INSTALL_DIR})
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
  DESTINATION ${MIXWELL_CMAKE_INSTALL_DIR})
