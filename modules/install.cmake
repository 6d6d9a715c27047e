# What an installed topbit consists of: the libraries, the sources of all interface units, a file for each module that
# joins them (consumers build their own BMIs of these, since a BMI fits one set of flags only), and the package that
# find_package(topbit) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Dependency order: each module after those that it imports.
set(topbit_modules std core tensor autograd ops backend autocast modes contracts profiler transform tables sparse quantized operator_docs cuda)
foreach(name onednn training graphs backend_test topbit format)
  if(TARGET topbit_${name})
    list(APPEND topbit_modules ${name})
  endif()
endforeach()
list(TRANSFORM topbit_modules PREPEND topbit_ OUTPUT_VARIABLE topbit_targets)
# No interface names these, but static libraries of modules have undefined symbols from them.
foreach(name kernels_cpu kernels_sparse kernels_quantized kernels_cuda)
  list(APPEND topbit_targets topbit_${name})
  set_property(TARGET topbit_${name} PROPERTY EXPORT_NAME ${name})
endforeach()

set(topbit_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/topbit)
install(TARGETS ${topbit_targets} EXPORT topbitTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  FILE_SET CXX_MODULES DESTINATION ${CMAKE_INSTALL_DATADIR}/topbit/modules)
install(EXPORT topbitTargets NAMESPACE topbit:: DESTINATION ${topbit_package_dir} CXX_MODULES_DIRECTORY modules)

# Shared libraries are found relative to the executable, in the build tree as after installation. With a separate rpath
# for the build tree, CMake's replacement at installation leaves empty entries, which mean the working directory.
if(BUILD_SHARED_LIBS)
  file(RELATIVE_PATH topbit_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(${topbit_targets} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/${topbit_libraries} BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
  if(TARGET topbit_cli)
    set_target_properties(topbit_cli PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/${topbit_libraries}")
  endif()
endif()

# One interface file for each module. The partitions are installed too: for readers, and since CMake exports what it
# compiles; topbitConfig.cmake then names the joined file instead.
set(topbit_joined_files "")
foreach(name IN LISTS topbit_modules)
  get_target_property(units topbit_${name} CXX_MODULE_SET)
  set(file ${PROJECT_BINARY_DIR}/package/modules/topbit.${name}.cppm)
  if(name STREQUAL "topbit")
    set(file ${PROJECT_BINARY_DIR}/package/modules/topbit.cppm)
  endif()
  cmake_path(GET file STEM LAST_ONLY module)
  list(JOIN units "," joined)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -DMODULE=${module} -DOUTPUT=${file} -DUNITS=${joined} -P ${CMAKE_CURRENT_LIST_DIR}/join_interfaces.cmake
    DEPENDS ${units} ${CMAKE_CURRENT_LIST_DIR}/join_interfaces.cmake
    COMMENT "Joining the interface of ${module}" VERBATIM)
  list(APPEND topbit_joined_files ${file})
endforeach()
add_custom_target(topbit_joined_interfaces ALL DEPENDS ${topbit_joined_files})
set(topbit_joined_dir ${CMAKE_INSTALL_DATADIR}/topbit/joined)
install(FILES ${topbit_joined_files} DESTINATION ${topbit_joined_dir})

topbit_standard_library(topbit_library)
string(REPLACE ";" " " topbit_library "${topbit_library}")
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/topbitConfig.cmake.in ${PROJECT_BINARY_DIR}/package/topbitConfig.cmake
  INSTALL_DESTINATION ${topbit_package_dir} PATH_VARS topbit_joined_dir)
# Before 1.0 every minor version may rename entities.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/topbitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/package/topbitConfig.cmake
  ${PROJECT_BINARY_DIR}/package/topbitConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/requirements.cmake
  ${CMAKE_CURRENT_LIST_DIR}/plugins.cmake
  ${CMAKE_CURRENT_LIST_DIR}/tables.cmake
  ${CMAKE_CURRENT_LIST_DIR}/table_text.cmake
  ${CMAKE_CURRENT_LIST_DIR}/direct_links.cmake
  DESTINATION ${topbit_package_dir})
list(TRANSFORM topbit_headers PREPEND ${PROJECT_SOURCE_DIR}/kernels/abi/ OUTPUT_VARIABLE topbit_header_files)
install(FILES ${topbit_header_files} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/topbit)
target_include_directories(topbit_tensor PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/topbit)
