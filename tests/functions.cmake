# Functions that define tests: Catch2 programs, sources that must not compile, objects whose machine code is checked.

find_program(TOPBIT_BASH bash REQUIRED)
find_program(TOPBIT_OBJDUMP NAMES objdump llvm-objdump-22 llvm-objdump REQUIRED)

# test_headers(<target>)
# Compiles support/headers.h once for all programs whose directories have the same compile options.
function(test_headers target)
  get_property(options DIRECTORY PROPERTY COMPILE_OPTIONS)
  string(MD5 headers "${options}")
  string(SUBSTRING ${headers} 0 8 headers)
  set(headers test_headers_${headers})
  if(NOT TARGET ${headers})
    add_library(${headers} OBJECT ${PROJECT_SOURCE_DIR}/tests/support/headers.cpp)
    target_link_libraries(${headers} PRIVATE Catch2::Catch2)
    # Code of programs, not of a library: clang compares the two.
    set_target_properties(${headers} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${headers} PRIVATE -fPIE)
    target_precompile_headers(${headers} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/headers.h)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# topbit_test(<name> [SOURCES <file>...] [THREADS <file>...] [SHARED <file>...] LIBRARIES <target>... [LABELS <label>...]
#             [SHARDS <n>] [PER_ISA <filter>])
# Builds test_<name> from Catch2 cases and runs it. Sources whose cases start threads are THREADS: under the thread
# sanitizer the program consists of these and of SHARED, or is left out if there are none. The cases of the filter run
# once per set of CPU kernels, as <name>.avx2 and so on: kernels are selected once per process, and a process without
# its set skips. Under sanitizers the kernel tests already call all of them in one process.
function(topbit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SHARDS;PER_ISA" "SOURCES;THREADS;SHARED;LIBRARIES;LABELS")
  if(several_threads_only)
    if(NOT arg_THREADS)
      return()
    endif()
    set(arg_SOURCES "")
    set(arg_SHARDS "")
  endif()
  add_executable(test_${name} ${arg_SOURCES} ${arg_THREADS} ${arg_SHARED})
  target_link_libraries(test_${name} PRIVATE ${arg_LIBRARIES} Catch2::Catch2WithMain)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  test_headers(test_${name})
  set(how "")
  if(arg_SHARDS)
    list(APPEND how SHARDS ${arg_SHARDS})
  endif()
  if(arg_PER_ISA AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    list(APPEND how CASES "~${arg_PER_ISA}")
    foreach(isa scalar sse2 avx2 avx512)
      add_test(NAME ${name}.${isa} COMMAND test_${name} "${arg_PER_ISA}")
      set_tests_properties(${name}.${isa} PROPERTIES
        LABELS ${name} ENVIRONMENT "TOPBIT_CPU_ISA=${isa}" SKIP_RETURN_CODE 4)
    endforeach()
    # Those of one set that is built are for `./dev test fast` too: of avx2, which most processors have, if it is.
    set(common scalar)
    foreach(isa sse2 avx512 avx2)
      if(TARGET topbit_kernels_cpu_${isa})
        set(common ${isa})
      endif()
    endforeach()
    set_property(TEST ${name}.${common} APPEND PROPERTY LABELS program)
  endif()
  run_cases(${name} test_${name} LABELS "${name};${arg_LABELS}" ${how})
endfunction()

# run_cases(<name> <program> LABELS <label>... [SHARDS <n>] [CASES <filter>])
# Runs all cases, or those of a filter, of a Catch2 program in one process as test <name>, or in n processes that may run concurrently as
# <name>.1 and so on. One process per case would spend most time on startup.
function(run_cases name program)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "SHARDS;CASES" "LABELS")
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${arg_SHARDS})
    set(test ${name})
    if(arg_SHARDS GREATER 1)
      string(APPEND test .${shard})
    endif()
    math(EXPR index "${shard} - 1")
    # Catch2 returns 4 if all cases were skipped; CTest then reports the test as skipped.
    add_test(NAME ${test} COMMAND ${program} ${arg_CASES} --shard-count ${arg_SHARDS} --shard-index ${index})
    set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS};program" SKIP_RETURN_CODE 4)
  endforeach()
  # Built by `./dev test fast`.
  if(NOT TARGET test_programs)
    add_custom_target(test_programs)
  endif()
  add_dependencies(test_programs ${program})
endfunction()

# aborting_cases(<name> <program> <regular expression> <tag>...)
# Hidden test cases of a Catch2 program, by their tags, which print this text and end the process: <name>.<tag>. CTest
# takes no crash for a pass, so a shell prints the exit code.
function(aborting_cases name program text)
  find_program(TOPBIT_BASH bash REQUIRED)
  string(REGEX REPLACE "\\..*" "" label ${name})
  foreach(tag IN LISTS ARGN)
    add_test(NAME ${name}.${tag}
      COMMAND ${TOPBIT_BASH} -c "\"$0\" \"$1\" 2>&1; echo \"exit code $?\"" $<TARGET_FILE:${program}> "[${tag}]")
    set_tests_properties(${name}.${tag} PROPERTIES LABELS ${label} PASS_REGULAR_EXPRESSION "${text}.*exit code 134")
  endforeach()
endfunction()

# compile_fail(<stem> <source> LIBRARIES <target>... [OPTIONS <option>...] [LABELS <label>...] [NAME <test>])
# The first line of the source is `// expect: <extended regular expression>`. The test compiles the source, which must
# fail with a first error line that matches. A source that also contains the fix (FIXED) is collected for
# fixed_programs() and compiled by that target's command; another one is a target of its own.
function(compile_fail stem source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "NAME" "LIBRARIES;OPTIONS;LABELS")
  if(NOT arg_NAME)
    set(arg_NAME compile_fail.${stem})
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS compile_fail)
  endif()
  set(check ${TOPBIT_BASH} ${PROJECT_SOURCE_DIR}/tests/compile_fail/check.sh)
  cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
  file(STRINGS ${path} has_fix REGEX "^#ifndef FIXED$")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  if(has_fix)
    set_property(DIRECTORY APPEND PROPERTY TOPBIT_FIXED_SOURCES ${source})
    set_property(DIRECTORY APPEND PROPERTY TOPBIT_FIXED_LIBRARIES ${arg_LIBRARIES})
    add_test(NAME ${arg_NAME} COMMAND ${check} ${path}
      ${TOPBIT_BASH} ${PROJECT_SOURCE_DIR}/tests/compile_fail/compile.sh ${PROJECT_BINARY_DIR} ${path} ${arg_OPTIONS})
    set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" FIXTURES_REQUIRED compile_fail_fixed)
    return()
  endif()
  set(target compile_fail_${stem})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL)
  if(source MATCHES "\\.cppm$")
    target_sources(${target} PRIVATE FILE_SET CXX_MODULES FILES ${source})
  else()
    target_sources(${target} PRIVATE ${source})
  endif()
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  add_test(NAME ${arg_NAME} COMMAND ${check} ${path} ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target ${target})
  # Concurrent builds in one tree would write the same files.
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" RESOURCE_LOCK build_tree)
endfunction()

# fixed_programs()
# One test: the sources of this directory that compile_fail() collected must compile with FIXED defined. It runs before
# those that compile them without.
function(fixed_programs)
  get_property(sources DIRECTORY PROPERTY TOPBIT_FIXED_SOURCES)
  get_property(libraries DIRECTORY PROPERTY TOPBIT_FIXED_LIBRARIES)
  list(REMOVE_DUPLICATES libraries)
  add_library(compile_fail_fixed OBJECT EXCLUDE_FROM_ALL ${sources})
  target_compile_definitions(compile_fail_fixed PRIVATE FIXED)
  target_link_libraries(compile_fail_fixed PRIVATE ${libraries})
  # These sources contain unused declarations. No object is run.
  target_compile_options(compile_fail_fixed PRIVATE -w -O0)
  add_test(NAME compile_fail.fixed COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target compile_fail_fixed)
  set_tests_properties(compile_fail.fixed PROPERTIES LABELS compile_fail RESOURCE_LOCK build_tree
    PROCESSORS 2 FIXTURES_SETUP compile_fail_fixed)
endfunction()

# codegen_object(<name> <source> LIBRARIES <target>...)
# An object library that is always compiled with -O2 -DNDEBUG and without sanitizers, independent of the build type.
# This works because modules built with other optimisation, assertion or sanitizer options may be imported.
function(codegen_object name source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBRARIES")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  target_compile_options(${name} PRIVATE -O2 -g0 -DNDEBUG -fno-sanitize=all -fomit-frame-pointer -fno-pic)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

# codegen_rule(<test> OBJECT <codegen_object> FUNCTION <symbol> INSTRUCTIONS <most> [INDIRECT <n>] [CALLS <n>]
#              [FAILS <regular expression>] [LABELS <label>...])
# Checks one function of the object: INDIRECT (1) indirect jumps and calls, CALLS (0) direct calls, no locked
# instruction, at most INSTRUCTIONS instructions. With FAILS, the check must fail with that message.
function(codegen_rule test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OBJECT;FUNCTION;INSTRUCTIONS;INDIRECT;CALLS;FAILS" "LABELS")
  if(NOT DEFINED arg_INDIRECT)
    set(arg_INDIRECT 1)
  endif()
  if(NOT DEFINED arg_CALLS)
    set(arg_CALLS 0)
  endif()
  add_test(NAME ${test}
    COMMAND ${TOPBIT_BASH} ${PROJECT_SOURCE_DIR}/tests/rules/codegen.sh ${TOPBIT_OBJDUMP} $<TARGET_OBJECTS:${arg_OBJECT}>
      ${arg_FUNCTION} ${arg_INSTRUCTIONS} ${arg_INDIRECT} ${arg_CALLS})
  if(NOT arg_LABELS)
    set(arg_LABELS rules)
  endif()
  set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS}")
  if(arg_FAILS)
    set_tests_properties(${test} PROPERTIES PASS_REGULAR_EXPRESSION "${arg_FAILS}")
  endif()
endfunction()
