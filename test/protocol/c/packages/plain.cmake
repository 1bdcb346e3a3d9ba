add_subdirectory(${SB1} component)
set(LIBRARY sb1::sb1)
