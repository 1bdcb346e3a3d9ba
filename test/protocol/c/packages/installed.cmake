find_package(sb1 0.2 REQUIRED)
set(LIBRARY sb1::sb1)
