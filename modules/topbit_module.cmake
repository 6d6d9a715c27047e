# topbit_module(<name> [STATIC] INTERFACE <unit>... [INTERNAL <unit>...] SOURCES <file>... LINK <target>...
#   LINK_PRIVATE <target>...)
# The library topbit_<name> of a module, with the alias topbit::<name>. INTERFACE lists the interface units, INTERNAL the
# partitions that only units of the same module import, both in dependency order. An installed package has the first
# alone.
# Units are installed by their paths in modules/, since several modules have units of one name.
function(topbit_module name)
  cmake_parse_arguments(arg "STATIC" "" "INTERFACE;INTERNAL;SOURCES;LINK;LINK_PRIVATE" ${ARGN})
  if(arg_STATIC)
    add_library(topbit_${name} STATIC)
  else()
    add_library(topbit_${name})
  endif()
  add_library(topbit::${name} ALIAS topbit_${name})
  target_sources(topbit_${name}
    PUBLIC FILE_SET CXX_MODULES BASE_DIRS ${PROJECT_SOURCE_DIR}/modules FILES ${arg_INTERFACE}
    PRIVATE FILE_SET internal TYPE CXX_MODULES BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR} FILES ${arg_INTERNAL}
    PRIVATE ${arg_SOURCES})
  target_compile_features(topbit_${name} PUBLIC cxx_std_20)
  # static_assert messages are computed, a C++26 feature that clang accepts in C++20 mode with a warning where it is
  # written. Importing a module does not warn. Building the interface units of an installed package does, so the package
  # exports this option as well.
  target_compile_options(topbit_${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-c++26-extensions>)
  # Source locations printed by explain and by errors are relative to the source tree, hence equal on every machine.
  target_compile_options(topbit_${name} PRIVATE "$<BUILD_INTERFACE:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>")
  target_link_libraries(topbit_${name} PUBLIC ${arg_LINK} PRIVATE ${arg_LINK_PRIVATE})
  # Plugins have inline functions of their own. Where a host exports all symbols, those of the library would be the most
  # of its size.
  if(TOPBIT_OPTIMISED)
    set_target_properties(topbit_${name} PROPERTIES VISIBILITY_INLINES_HIDDEN ON)
  endif()
  set_target_properties(topbit_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
endfunction()
