# Fetches into FOLDER what package.json and package-lock.json (INPUTS) name, by NPM, for NODE to join.
# Run by the build; FOLDER/fetched says that it is done.
set(cure "or configure with -DMIXWELL_REPORT=OFF: all but `mixwell report` is then built")
if(NOT NODE OR NOT NPM)
  message(FATAL_ERROR
    "The page of `mixwell report` needs node (18 or later) and npm, which were not on PATH. Install "
    "them (apt-get install nodejs npm) and configure again, ${cure}.")
endif()
file(REMOVE ${FOLDER}/fetched)
file(MAKE_DIRECTORY ${FOLDER})
file(COPY ${INPUTS} DESTINATION ${FOLDER})
execute_process(
  COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
  WORKING_DIRECTORY ${FOLDER}
  RESULT_VARIABLE status OUTPUT_VARIABLE words ERROR_VARIABLE words)
if(NOT status EQUAL 0)
  message(FATAL_ERROR
    "npm could not fetch what the page of `mixwell report` is made of:\n${words}\n"
    "Let npm reach its registry (npm ping), ${cure}.")
endif()
file(TOUCH ${FOLDER}/fetched)
