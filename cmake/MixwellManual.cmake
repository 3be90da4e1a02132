# Manual pages and shell completion, which the program writes of its own commands.
if(MIXWELL_SANITIZE OR MIXWELL_FUZZ OR MIXWELL_IS_FURTHER_SET)
  return()
endif()

set(MIXWELL_ZSH_INSTALL_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
  "Where zsh looks for completions (Debian's packages: share/zsh/vendor-completions)")
set(manual ${PROJECT_BINARY_DIR}/share/man/man1)
set(shells ${PROJECT_BINARY_DIR}/share/shells)
set(made ${PROJECT_BINARY_DIR}/share/manual-made)
if(MIXWELL_DEBIAN)
  set(compress COMMAND gzip -9nr ${manual})
endif()
add_custom_command(OUTPUT ${made}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual} ${shells}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${shells}
  COMMAND mixwell manual ${manual}
  COMMAND mixwell completion bash > ${shells}/mixwell
  COMMAND mixwell completion zsh > ${shells}/_mixwell
  ${compress}
  COMMAND ${CMAKE_COMMAND} -E touch ${made}
  DEPENDS mixwell
  COMMENT "Writing manual pages and completion"
  VERBATIM)
add_custom_target(mixwell_manual ALL DEPENDS ${made})

install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${shells}/mixwell
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${shells}/_mixwell DESTINATION ${MIXWELL_ZSH_INSTALL_DIR} COMPONENT program)
