# Joins the interface units of a module into one file, for installed packages:
#   cmake -DMODULE=<topbit.core> -DOUTPUT=<file> -DUNITS=<primary unit>,<partition>,... -P join_interfaces.cmake
# A project that uses a package compiles its interfaces anew. One file for a module instead of one for each partition is
# scanned and parsed once, and reads no compiled partitions. Partitions are listed in the order of their imports, so
# their texts stand one after the other, and the primary unit's last. A partition declares nothing with internal linkage,
# and uses no namespace, so that no two names meet.
cmake_minimum_required(VERSION 3.28)

string(REPLACE "," ";" units "${UNITS}")
list(POP_FRONT units primary)
list(APPEND units ${primary})

set(includes "")
set(imports "")
set(texts "")
foreach(unit IN LISTS units)
  file(READ ${unit} text)
  # A global module fragment: the headers alone.
  string(REGEX MATCHALL "\n#include [^\n]+" found "${text}")
  list(APPEND includes ${found})
  string(REGEX REPLACE "\n#include [^\n]+" "" text "${text}")
  string(REGEX REPLACE "\nmodule;\n" "\n" text "\n${text}")
  # The module's own imports, without the semicolon, which would end an element of the list.
  string(REGEX MATCHALL "\n(export )?import [a-z0-9_.]+;" found "${text}")
  foreach(import IN LISTS found)
    if(import MATCHES "import")
      string(REPLACE "\n" "" import "${import}")
      list(APPEND imports "${import}")
    endif()
  endforeach()
  string(REGEX REPLACE "\n(export )?import [a-z0-9_.:]+;[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\nexport module [a-z0-9_.:]+;" "" text "${text}")
  if(text MATCHES "\n(export )?(import|module) [^\n]*")
    message(FATAL_ERROR "join_interfaces: found '${CMAKE_MATCH_0}' in ${unit}, wanted imports and the module's name alone on their lines")
  endif()
  string(APPEND texts "${text}")
endforeach()
list(REMOVE_DUPLICATES includes)
list(REMOVE_DUPLICATES imports)

set(joined "// The interface of ${MODULE}, joined from its partitions when the package was made.\n")
if(includes)
  string(APPEND joined "module;\n")
  foreach(include IN LISTS includes)
    string(APPEND joined "${include}")
  endforeach()
  string(APPEND joined "\n\n")
endif()
string(APPEND joined "export module ${MODULE};\n\n")
foreach(import IN LISTS imports)
  string(APPEND joined "${import};\n")
endforeach()
file(WRITE ${OUTPUT} "${joined}${texts}")
