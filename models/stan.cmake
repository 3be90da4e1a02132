# Libraries of Stan programs are loaded at run time; a program for stanli travels as JSON.
target_link_libraries(${plugin} PRIVATE ${CMAKE_DL_LIBS} nlohmann_json::nlohmann_json)
