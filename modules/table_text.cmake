# Writes the text of a table into a header, as a constant. A string literal and no #embed: that directive is not part of
# C++20, compilers warn of it, and some do not tell the build system which file it read.
# usage: cmake -DTABLE=<file> -DHEADER=<file> -DCONSTANT=<name> -P table_text.cmake
file(READ "${TABLE}" text)
if(text MATCHES "\\)topbit\"")
  message(FATAL_ERROR "${TABLE}: found the characters ')topbit\"', which end the literal that it is written into")
endif()
cmake_path(GET TABLE FILENAME name)
file(WRITE "${HEADER}" "// The text of ${name}.\n#pragma once\n\ninline constexpr char ${CONSTANT}[] = R\"topbit(${text})topbit\";\n")
