# CMake finds the modules of an installed library for a target only if the target links that library directly, or
# through a project library that has modules of its own. Behind any other library (without modules, or an interface
# library) only the symbols are found, so the topbit targets such a library passes on are linked directly.

# Sets `result` to the link items that are targets.
function(topbit_targets_in items result)
  set(targets "")
  foreach(item IN LISTS items)
    string(REGEX REPLACE "^\\$<BUILD_(LOCAL_)?INTERFACE:([^<>]*)>$" "\\2" item "${item}")
    if(TARGET "${item}")
      list(APPEND targets "${item}")
    endif()
  endforeach()
  set(${result} "${targets}" PARENT_SCOPE)
endfunction()

# Sets `result` to the topbit targets that a target links directly or transitively, as far as they are known before
# generator expressions are evaluated.
function(topbit_reached_by target result)
  get_target_property(items ${target} LINK_LIBRARIES)
  topbit_targets_in("${items}" next)
  set(reached "")
  while(next)
    list(POP_FRONT next library)
    if(library IN_LIST reached)
      continue()
    endif()
    list(APPEND reached ${library})
    if(NOT library MATCHES "^topbit::")
      get_target_property(items ${library} INTERFACE_LINK_LIBRARIES)
      topbit_targets_in("${items}" more)
      list(APPEND next ${more})
    endif()
  endwhile()
  list(FILTER reached INCLUDE REGEX "^topbit::")
  set(${result} "${reached}" PARENT_SCOPE)
endfunction()

# Processes all targets of this directory and its subdirectories.
function(topbit_link_directly folder)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(EXECUTABLE|STATIC_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY|OBJECT_LIBRARY)$")
      topbit_reached_by(${target} reached)
      get_target_property(direct ${target} LINK_LIBRARIES)
      list(REMOVE_ITEM reached ${direct} "")
      # target_link_libraries() would require the same signature (plain or keyword) as the project's own calls.
      set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ${reached})
    endif()
  endforeach()
  get_property(folders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    topbit_link_directly("${below}")
  endforeach()
endfunction()
