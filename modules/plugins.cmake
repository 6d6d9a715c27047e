# Plugins: shared libraries that load_plugin() loads. A process has one core, so a plugin leaves the symbols of topbit's
# static libraries undefined; its host links these libraries as a whole and exports the symbols. If topbit is built as
# shared libraries, neither function is needed.

# Passes the library's directory instead of the library: module interfaces are found, no object is linked.
set(CMAKE_CXX_LINK_LIBRARY_USING_TOPBIT_OF_HOST "-L<LIB_ITEM>")
set(CMAKE_CXX_LINK_LIBRARY_USING_TOPBIT_OF_HOST_SUPPORTED TRUE)

set(topbit_host_libraries std core tensor autograd ops backend autocast modes contracts profiler transform tables operator_docs
  cuda sparse quantized onednn training graphs backend_test topbit kernels_cpu kernels_sparse kernels_quantized kernels_cuda)
list(TRANSFORM topbit_host_libraries PREPEND topbit::)

# topbit_plugin(<target>)
# For a MODULE or SHARED library that links topbit's targets to import their modules.
function(topbit_plugin target)
  foreach(library ${topbit_host_libraries})
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      get_target_property(real ${library} ALIASED_TARGET)
      if(type STREQUAL "STATIC_LIBRARY")
        if(real)
          set_property(TARGET ${target} PROPERTY LINK_LIBRARY_OVERRIDE_${real} TOPBIT_OF_HOST)
        endif()
        set_property(TARGET ${target} PROPERTY LINK_LIBRARY_OVERRIDE_${library} TOPBIT_OF_HOST)
      endif()
    endif()
  endforeach()
endfunction()

# topbit_host(<executable> <topbit target>...)
# The executable links these libraries as a whole, used or not, and exports their symbols to plugins.
function(topbit_host target)
  set_property(TARGET ${target} PROPERTY ENABLE_EXPORTS ON)
  foreach(library ${ARGN})
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      target_link_libraries(${target} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${library}>")
    else()
      target_link_libraries(${target} PRIVATE ${library})
    endif()
  endforeach()
endfunction()
