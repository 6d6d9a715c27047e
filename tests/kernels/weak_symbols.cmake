# Fails if an object defines a weak symbol whose name does not carry the object's architecture.
#
#   cmake -DNM=nm -DARCH=avx2 -DOBJECTS=a.o,b.o -P weak_symbols.cmake
#
# The linker keeps one of several weak symbols with the same name, from whichever object comes first: AVX-512 code could
# run on a processor without it. Sanitizers add a few symbols, which contain no code of topbit.
cmake_minimum_required(VERSION 3.31)

set(allowed "^(___asan_globals_registered|__asan_|__odr_asan|__ubsan_|__tsan_|__sanitizer_|__start_asan|__stop_asan)")
string(REPLACE "," ";" objects "${OBJECTS}")
if(NOT objects)
  message(FATAL_ERROR "no objects for ${ARCH}")
endif()
set(offenders)
foreach(object IN LISTS objects)
  execute_process(COMMAND "${NM}" --defined-only "${object}" OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${NM} failed on ${object}")
  endif()
  string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^[0-9a-fA-F]* *[WwVvu] (.+)$")
      continue()
    endif()
    set(symbol "${CMAKE_MATCH_1}")
    if(NOT symbol MATCHES "${ARCH}" AND NOT symbol MATCHES "${allowed}")
      list(APPEND offenders "${symbol} in ${object}")
    endif()
  endforeach()
endforeach()
if(offenders)
  list(JOIN offenders "\n  " text)
  message(FATAL_ERROR "weak symbols without '${ARCH}' in their name:\n  ${text}")
endif()
list(LENGTH objects count)
message(STATUS "${ARCH}: ${count} objects, no weak symbol without the architecture in its name")
