# Build requirements, checked for builds of topbit and for projects that use an installed one. Without these checks the
# errors would appear far from their cause.

# Sets `result` to a message, or to an empty string if all requirements are met.
function(topbit_check_requirements result)
  set(${result} "" PARENT_SCOPE)
  if(CMAKE_VERSION VERSION_LESS 3.31)
    set(${result} "topbit: found CMake ${CMAKE_VERSION}, wanted 3.31 or newer; install a newer CMake" PARENT_SCOPE)
    return()
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "^Ninja")
    set(${result}
        "topbit: found the generator '${CMAKE_GENERATOR}', wanted Ninja, since with others CMake cannot build clang's C++ modules; configure an empty build folder with 'cmake -G Ninja'"
        PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${CMAKE_MAKE_PROGRAM} --version OUTPUT_VARIABLE ninja OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(ninja VERSION_LESS 1.11)
    set(${result}
        "topbit: found Ninja '${ninja}' (${CMAKE_MAKE_PROGRAM}), wanted 1.11 or newer, since older ones do not know the order of C++ modules; install a newer Ninja or set CMAKE_MAKE_PROGRAM to one"
        PARENT_SCOPE)
    return()
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 22)
    set(${result}
        "topbit: found the compiler ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} (${CMAKE_CXX_COMPILER}), wanted clang 22 or newer, the only one whose C++ modules topbit is tested with; configure an empty build folder with '-DCMAKE_CXX_COMPILER=clang++-22'"
        PARENT_SCOPE)
    return()
  endif()
  if(NOT CMAKE_CXX_COMPILER_CLANG_SCAN_DEPS)
    string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
    set(${result}
        "topbit: found no clang-scan-deps for ${CMAKE_CXX_COMPILER}, wanted the one of clang ${major}, which orders C++ modules; install clang-tools-${major} and configure an empty build folder"
        PARENT_SCOPE)
  endif()
endfunction()
