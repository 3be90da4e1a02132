# The page of `mixwell report`, made by the target mixwell_page, which alone needs node and npm: npm
# fetches what the page is made of, if package.json or its lock changed; node joins it and report/src
# into one file, found by the program relative to itself, in the build and installed alike.
option(MIXWELL_REPORT "Make the page of `mixwell report` (needs node and npm)" ON)
if(NOT MIXWELL_REPORT)
  return()
endif()

find_program(MIXWELL_NODE node)
find_program(MIXWELL_NPM npm)

set(report ${PROJECT_SOURCE_DIR}/report)
set(report_work ${PROJECT_BINARY_DIR}/report)
set(report_inputs ${report}/package.json ${report}/package-lock.json)
set(fetch_script ${PROJECT_SOURCE_DIR}/cmake/MixwellFetchPage.cmake)
add_custom_command(OUTPUT ${report_work}/fetched
  COMMAND ${CMAKE_COMMAND} -DNODE=${MIXWELL_NODE} -DNPM=${MIXWELL_NPM} "-DINPUTS=${report_inputs}"
    -DFOLDER=${report_work} -P ${fetch_script}
  DEPENDS ${report_inputs} ${fetch_script}
  COMMENT "Fetching what the page of reports is made of (npm ci)"
  VERBATIM)

set(MIXWELL_PAGE_INSTALL_DIR ${CMAKE_INSTALL_DATADIR}/mixwell/report)
set(report_page ${PROJECT_BINARY_DIR}/share/mixwell/report/page.html)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/mixwell/report)
file(GLOB report_sources CONFIGURE_DEPENDS ${report}/src/*)
add_custom_command(OUTPUT ${report_page}
  COMMAND ${MIXWELL_NODE} ${report}/build.mjs ${report_work}/node_modules ${report_page}
  DEPENDS ${report_sources} ${report}/build.mjs ${report}/NOTICES.txt ${report_work}/fetched
  COMMENT "Joining the page of reports"
  VERBATIM)
add_custom_target(mixwell_page ALL DEPENDS ${report_page})
add_dependencies(mixwell_command_report mixwell_page)
install(FILES ${report_page} DESTINATION ${MIXWELL_PAGE_INSTALL_DIR} COMPONENT program)

file(RELATIVE_PATH page_from_bin
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/mixwell/report/page.html)
set_property(SOURCE ${PROJECT_SOURCE_DIR}/framework/src/page/report.cpp TARGET_DIRECTORY mixwell_lab
  APPEND PROPERTY COMPILE_DEFINITIONS MIXWELL_PAGE="${page_from_bin}")
