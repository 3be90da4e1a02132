# Exact draws use the inverse incomplete gamma functions of Boost.Math.
target_link_libraries(${plugin} PRIVATE Boost::headers)
