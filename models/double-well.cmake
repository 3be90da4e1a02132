# Exact draws use the quadrature and root finding of Boost.Math.
target_link_libraries(${plugin} PRIVATE Boost::headers)
