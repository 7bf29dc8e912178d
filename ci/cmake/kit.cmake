# SPDX-License-Identifier: Apache-2.0
# The kit: one archive of the install tree, for GPU nodes that have no compiler, no toolkit and no network.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_VENDOR "The assay authors")
set(CPACK_PACKAGE_FILE_NAME assay-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
# A node builds nothing: libraries and headers (component `development`) come by `cmake --install`.
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};${PROJECT_NAME};Unspecified;/")
set(CPACK_ARCHIVE_THREADS 0)
set(kit_archive ${PROJECT_BINARY_DIR}/kit_test/${CPACK_PACKAGE_FILE_NAME}.tar.gz)  # include(CPack) sets another name
# What an unpacked kit must not depend on is checked when it is made, not on the node.
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/check_kit.cmake)
include(CPack)

# The tests pack what was built and use the archive as a node would.
if(ASSAY_BUILD_LONG_TESTS AND ASSAY_STATIC_RUNTIME)
  add_test(NAME kit.pack COMMAND ${CMAKE_CPACK_COMMAND} -G TGZ -B ${PROJECT_BINARY_DIR}/kit_test
    --config ${PROJECT_BINARY_DIR}/CPackConfig.cmake)
  set_tests_properties(kit.pack PROPERTIES LABELS host TIMEOUT 300 FIXTURES_SETUP kit)
  add_test(NAME kit.unpacked COMMAND ${PROJECT_SOURCE_DIR}/ci/test_kit
    ${kit_archive})
  set_tests_properties(kit.unpacked PROPERTIES LABELS host TIMEOUT 120 FIXTURES_REQUIRED kit)
  add_test(NAME kit.unpacked_in_a_bare_root COMMAND ${PROJECT_SOURCE_DIR}/ci/test_kit --bare-root
    ${kit_archive})
  set_tests_properties(kit.unpacked_in_a_bare_root PROPERTIES LABELS host TIMEOUT 120
    FIXTURES_REQUIRED kit SKIP_RETURN_CODE 77)
endif()
