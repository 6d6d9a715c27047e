# An overlay port: `vcpkg install topbit --overlay-ports=<topbit>/packaging/vcpkg`. It builds the sources it lies in, and
# needs clang 21 or newer, chosen by the triplet's VCPKG_CHAINLOAD_TOOLCHAIN_FILE or by CXX.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS topbit_features
  FEATURES
    cli TOPBIT_CLI
    tbb TOPBIT_WITH_TBB
    training TOPBIT_TRAINING)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${topbit_features} -DTOPBIT_TESTS=OFF -DTOPBIT_EXAMPLES=OFF -DTOPBIT_BENCH=OFF -DTOPBIT_CUDA=AUTO)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/topbit)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/share" "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
