# Build requirements, checked for builds of topbit and for projects that use an installed one. Without these checks the
# errors would appear far from their cause.

# Sets `result` to a message, or to an empty string if all requirements are met.
function(topbit_check_requirements result)
  set(${result} "" PARENT_SCOPE)
  if(CMAKE_VERSION VERSION_LESS 3.28)
    set(${result} "topbit: found CMake ${CMAKE_VERSION}, wanted 3.28 or newer; install a newer CMake" PARENT_SCOPE)
    return()
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "^Ninja")
    set(${result}
        "topbit: found the generator '${CMAKE_GENERATOR}', wanted Ninja, since with others CMake cannot build C++ modules; configure an empty build folder with 'cmake -G Ninja'"
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
  set(least_Clang 21)
  set(least_GNU 16)
  if(NOT DEFINED least_${CMAKE_CXX_COMPILER_ID} OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS least_${CMAKE_CXX_COMPILER_ID})
    set(${result}
        "topbit: found the compiler ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} (${CMAKE_CXX_COMPILER}), wanted clang 21 or GCC 16 or newer, since older ones cannot compile topbit's C++ modules; configure an empty build folder with '-DCMAKE_CXX_COMPILER=clang++-22'"
        PARENT_SCOPE)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT CMAKE_CXX_COMPILER_CLANG_SCAN_DEPS)
    string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
    set(${result}
        "topbit: found no clang-scan-deps for ${CMAKE_CXX_COMPILER}, wanted the one of clang ${major}, which orders C++ modules; install clang-tools-${major} and configure an empty build folder"
        PARENT_SCOPE)
  endif()
endfunction()

# Sets `result` to the C++ standard library of the compiler with CMAKE_CXX_FLAGS and its major version, as "libstdc++;14".
function(topbit_standard_library result)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
  file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/topbit_library.cpp
    "#include <version>\n#ifdef _LIBCPP_VERSION\nfound_libc++ _LIBCPP_VERSION\n#else\nfound_libstdc++ _GLIBCXX_RELEASE\n#endif\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} -std=c++20 -E ${CMAKE_BINARY_DIR}/CMakeFiles/topbit_library.cpp
    OUTPUT_VARIABLE text ERROR_QUIET)
  set(${result} "unknown;0" PARENT_SCOPE)
  if(text MATCHES "found_(libc\\+\\+|libstdc\\+\\+) ([0-9]+)")
    set(name ${CMAKE_MATCH_1})
    set(version ${CMAKE_MATCH_2})
    if(name STREQUAL "libc++")
      # 220100 is libc++ 22.1.
      math(EXPR version "${version} / 10000")
    endif()
    set(${result} "${name};${version}" PARENT_SCOPE)
  endif()
endfunction()

# For an installed package: compares the compiler and the standard library with those it was built with. Sets `result` to
# a message, or to an empty string. Arguments: the compiler's id and version, the library's name and major version.
function(topbit_check_built_with result compiler compiler_version library library_version)
  set(${result} "" PARENT_SCOPE)
  set(remedy "configure an empty build folder with the compiler and -stdlib of the package, or install topbit with yours")
  string(REGEX MATCH "^[0-9]+" built "${compiler_version}")
  string(REGEX MATCH "^[0-9]+" used "${CMAKE_CXX_COMPILER_VERSION}")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL compiler OR used LESS built)
    set(${result}
        "topbit: found the compiler ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, wanted ${compiler} ${built} or newer, with which the installed topbit was built; ${remedy}"
        PARENT_SCOPE)
    return()
  endif()
  topbit_standard_library(found)
  list(GET found 0 name)
  list(GET found 1 version)
  if(NOT name STREQUAL "unknown" AND (NOT name STREQUAL library OR version LESS library_version))
    set(${result}
        "topbit: found the standard library ${name} ${version}, wanted ${library} ${library_version} or newer, with which the installed topbit was built; ${remedy}"
        PARENT_SCOPE)
  endif()
endfunction()
