# Deviances use log(1 + x) - x of Boost.Math.
target_link_libraries(${plugin} PRIVATE Boost::headers)
