# The page of `mixwell report`: npm fetches what it is made of, when configuring and only if
# package.json or its lock changed; node joins it and report/src into one file, found by the program
# relative to itself, in the build and installed alike.
option(MIXWELL_REPORT "Make the page of `mixwell report` (needs node and npm)" ON)
if(NOT MIXWELL_REPORT OR NOT TARGET mixwell)
  return()
endif()

set(without_report "or configure with -DMIXWELL_REPORT=OFF: all but `mixwell report` is then built")
find_program(MIXWELL_NODE node)
find_program(MIXWELL_NPM npm)
if(NOT MIXWELL_NODE OR NOT MIXWELL_NPM)
  message(FATAL_ERROR
    "The page of `mixwell report` needs node (18 or later) and npm, which are not on PATH. "
    "Install them (apt-get install nodejs npm), ${without_report}.")
endif()

set(report ${PROJECT_SOURCE_DIR}/report)
set(report_work ${PROJECT_BINARY_DIR}/report)
set(report_inputs ${report}/package.json ${report}/package-lock.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${report_inputs})

# npm_ci(folder): fetches what package-lock.json names into folder/node_modules, unless it is there.
function(mixwell_npm_ci folder)
  set(wanted "")
  foreach(input IN LISTS report_inputs)
    file(SHA256 ${input} hash)
    string(APPEND wanted "${hash}\n")
  endforeach()
  set(stamp ${folder}/fetched)
  if(EXISTS ${stamp})
    file(READ ${stamp} fetched)
    if(fetched STREQUAL wanted)
      return()
    endif()
  endif()
  message(STATUS "Fetching what the page of reports is made of (npm ci)")
  file(REMOVE ${stamp})
  file(MAKE_DIRECTORY ${folder})
  file(COPY ${report_inputs} DESTINATION ${folder})
  execute_process(
    COMMAND ${MIXWELL_NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY ${folder}
    RESULT_VARIABLE status OUTPUT_VARIABLE words ERROR_VARIABLE words)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR
      "npm could not fetch what the page of `mixwell report` is made of:\n${words}\n"
      "Let npm reach its registry (npm ping), ${without_report}.")
  endif()
  file(WRITE ${stamp} "${wanted}")
endfunction()
mixwell_npm_ci(${report_work})

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
add_dependencies(mixwell mixwell_page)
install(FILES ${report_page} DESTINATION ${MIXWELL_PAGE_INSTALL_DIR})

file(RELATIVE_PATH page_from_bin
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/mixwell/report/page.html)
set_source_files_properties(${PROJECT_SOURCE_DIR}/framework/src/app/report_command.cpp
  TARGET_DIRECTORY mixwell
  PROPERTIES COMPILE_DEFINITIONS "MIXWELL_PAGE=\"${page_from_bin}\"")
