# Operator tables in a project: the text of one as a constant, and declarations of its operators.

set(topbit_table_script ${CMAKE_CURRENT_LIST_DIR}/table_text.cmake)

# topbit_table_text(<target> <table.yaml>)
# Makes the header <table.yaml>.h, in which the constant table_yaml is the text of the table, for sources of the target,
# which links topbit::tables.
function(topbit_table_text target table)
  cmake_path(ABSOLUTE_PATH table NORMALIZE)
  cmake_path(GET table FILENAME name)
  string(MAKE_C_IDENTIFIER ${name} constant)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.tables)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${folder}/${name}.h
    COMMAND ${CMAKE_COMMAND} -DTABLE=${table} -DHEADER=${folder}/${name}.h -DCONSTANT=${constant} -P ${topbit_table_script}
    DEPENDS ${table} ${topbit_table_script} VERBATIM)
  target_sources(${target} PRIVATE ${folder}/${name}.h)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

# topbit_operators(<target> <table.yaml> [NAMESPACE <name>] [MODULE <name>] [IMPORT <module>...] [INTERFACE <file>])
# Also adds a module interface that declares the operators of the table, made by `topbit generate`. With INTERFACE it is
# that file, made earlier, and the program is not needed: a file that does not fit the table does not compile.
function(topbit_operators target table)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "NAMESPACE;MODULE;INTERFACE" "IMPORT")
  topbit_table_text(${target} ${table})
  cmake_path(ABSOLUTE_PATH table NORMALIZE)
  cmake_path(GET table FILENAME name)
  cmake_path(GET table STEM stem)
  string(MAKE_C_IDENTIFIER ${name} constant)
  string(MAKE_C_IDENTIFIER ${stem} stem)
  if(arg_INTERFACE)
    cmake_path(ABSOLUTE_PATH arg_INTERFACE NORMALIZE OUTPUT_VARIABLE interface)
  else()
    set(interface ${CMAKE_CURRENT_BINARY_DIR}/${target}.tables/${stem}.cppm)
    set(program topbit_cli)
    if(NOT TARGET topbit_cli)
      find_program(TOPBIT_PROGRAM topbit HINTS ${topbit_program_folder} DOC "the program topbit")
      if(NOT TOPBIT_PROGRAM)
        message(FATAL_ERROR "topbit_operators(${target} ${name}): found no program 'topbit', wanted it to declare the "
          "operators; set TOPBIT_PROGRAM, or run 'topbit generate' elsewhere and give its file as INTERFACE")
      endif()
      set(program ${TOPBIT_PROGRAM})
    endif()
    set(words "")
    foreach(option NAMESPACE MODULE)
      if(arg_${option})
        string(TOLOWER ${option} word)
        list(APPEND words --${word} ${arg_${option}})
      endif()
    endforeach()
    foreach(module IN LISTS arg_IMPORT)
      list(APPEND words --import ${module})
    endforeach()
    add_custom_command(OUTPUT ${interface}
      COMMAND ${program} generate ${table} ${words} --to ${interface} DEPENDS ${table} ${program} VERBATIM)
  endif()
  cmake_path(GET interface PARENT_PATH base)
  target_sources(${target}
    PUBLIC FILE_SET topbit_table_${constant} TYPE CXX_MODULES BASE_DIRS ${base} FILES ${interface})
endfunction()
