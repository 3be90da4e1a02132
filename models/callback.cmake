# The library of the function is loaded at run time.
target_link_libraries(${plugin} PRIVATE ${CMAKE_DL_LIBS})
