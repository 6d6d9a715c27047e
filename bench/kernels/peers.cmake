# bench_kernels_peers: bench_kernels with the libraries that are installed here. -DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON,
# and the same with OpenBLAS, BLAS and Eigen3, do without one.
set(TOPBIT_BENCH_LIBTORCH "" CACHE PATH "another libtorch for bench_kernels_peers: a folder with include and lib")
add_executable(bench_kernels_peers EXCLUDE_FROM_ALL kernels/peers.cpp)
target_link_libraries(bench_kernels_peers PRIVATE bench_kernels_common)

# A peer's translation unit: bench_kernels_peer(<name> SOURCES <file>... FOUND <text> INCLUDES <folder>... LIBRARIES <library>...
# OPTIONS <option>... STANDARD <C++ standard>). An object library of its own, since its headers and options are its own.
function(bench_kernels_peer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOUND;STANDARD" "SOURCES;INCLUDES;LIBRARIES;OPTIONS")
  message(STATUS "topbit: ${arg_FOUND} for bench_kernels_peers")
  add_library(bench_kernels_${name} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_include_directories(bench_kernels_${name} SYSTEM PRIVATE ${arg_INCLUDES})
  target_compile_options(bench_kernels_${name} PRIVATE -w ${arg_OPTIONS})
  set_target_properties(bench_kernels_${name} PROPERTIES CXX_STANDARD ${arg_STANDARD} CXX_SCAN_FOR_MODULES OFF)
  string(TOUPPER ${name} upper)
  target_compile_definitions(bench_kernels_peers PRIVATE BENCH_${upper})
  target_link_libraries(bench_kernels_peers PRIVATE bench_kernels_${name} ${arg_LIBRARIES})
endfunction()

# Functions, since packages set variables of whoever looks for them.
function(bench_kernels_libtorch)
  set(sources kernels/peer_libtorch.cpp kernels/libtorch_autograd.cpp)
  # A Python wheel is such a folder. Its CMake package would want a CUDA compiler, of which nothing here knows.
  if(TOPBIT_BENCH_LIBTORCH)
    set(include ${TOPBIT_BENCH_LIBTORCH}/include)
    set(lib ${TOPBIT_BENCH_LIBTORCH}/lib)
    bench_kernels_peer(libtorch SOURCES ${sources} FOUND "libtorch in ${TOPBIT_BENCH_LIBTORCH}" STANDARD 20
      INCLUDES ${include} ${include}/torch/csrc/api/include
      LIBRARIES -Wl,--no-as-needed ${lib}/libtorch_cpu.so ${lib}/libc10.so -Wl,--as-needed ${CMAKE_DL_LIBS})
    return()
  endif()
  find_package(Torch QUIET)
  if(NOT Torch_FOUND OR TORCH_CXX_FLAGS MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
    return()
  endif()
  set(standard 20)
  if(Torch_VERSION VERSION_LESS 2)
    set(standard 17)  # its headers are written for that
  endif()
  bench_kernels_peer(libtorch SOURCES ${sources} FOUND "libtorch ${Torch_VERSION}" STANDARD ${standard}
    INCLUDES ${TORCH_INCLUDE_DIRS} LIBRARIES ${TORCH_LIBRARIES} ${CMAKE_DL_LIBS})
endfunction()
bench_kernels_libtorch()

function(bench_kernels_openblas)
  find_package(OpenBLAS QUIET CONFIG)
  set(includes ${OpenBLAS_INCLUDE_DIRS})
  set(libraries ${OpenBLAS_LIBRARIES})
  if(NOT OpenBLAS_FOUND)
    set(BLA_VENDOR OpenBLAS)
    find_package(BLAS QUIET)
    find_path(BENCH_CBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas)
    if(NOT BLAS_FOUND OR NOT BENCH_CBLAS_INCLUDE)
      return()
    endif()
    set(includes ${BENCH_CBLAS_INCLUDE})
    set(libraries ${BLAS_LIBRARIES})
  endif()
  bench_kernels_peer(openblas SOURCES kernels/peer_openblas.cpp FOUND "OpenBLAS ${OpenBLAS_VERSION}" STANDARD 20
    INCLUDES ${includes} LIBRARIES ${libraries})
endfunction()
bench_kernels_openblas()

function(bench_kernels_eigen)
  find_package(Eigen3 3.4 QUIET CONFIG)
  if(NOT Eigen3_FOUND)
    return()
  endif()
  get_target_property(includes Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  bench_kernels_peer(eigen SOURCES kernels/peer_eigen.cpp FOUND "Eigen ${Eigen3_VERSION}" STANDARD 20
    INCLUDES ${includes} OPTIONS -O3 -march=native -DNDEBUG)
endfunction()
bench_kernels_eigen()
