# SPDX-License-Identifier: Apache-2.0
# share/assay/graph.cmake: the certification as CTest tests, written at build time from the
# catalogue and the run plan, and taken in by the build tree's own ctest.
add_executable(assay-write-graph write_graph_main.cpp)
target_link_libraries(assay-write-graph PRIVATE assay_warnings assay::plan)

set(assay_graph ${ASSAY_SHARE_DIR}/graph.cmake)
add_custom_command(OUTPUT ${assay_graph}
  COMMAND assay-write-graph ${ASSAY_SHARE_DIR}
  DEPENDS assay-write-graph assay_rules ${ASSAY_SHARE_DIR}/probes.json
    ${PROJECT_SOURCE_DIR}/invariants/catalog.json
  COMMENT "Writing the test graph" VERBATIM)
add_custom_target(assay_test_graph ALL DEPENDS ${assay_graph})
add_dependencies(assay_programs assay assay-step assay_test_graph)

# The graph is a product of the build: before it, ctest names what is missing instead of stopping.
if(ASSAY_BUILD_TESTS AND PROJECT_IS_TOP_LEVEL)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/assay_graph_include.cmake CONTENT [=[
if(EXISTS "@assay_graph@")
  include("@assay_graph@")
else()
  add_test(device assay_test_graph_NOT_BUILT)
  set_tests_properties(device PROPERTIES LABELS "certify;gpu")
endif()
]=] @ONLY)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
    TEST_INCLUDE_FILES ${PROJECT_BINARY_DIR}/assay_graph_include.cmake)
endif()

# Every folder adds its verbs; the list is whole only when the last of them was read.
# A summary holds no semicolon: the verbs are a CMake list.
function(assay_write_verbs)
  get_property(verbs GLOBAL PROPERTY ASSAY_VERBS)
  list(JOIN verbs "\n" verbs)
  file(CONFIGURE OUTPUT ${ASSAY_SHARE_DIR}/verbs.txt CONTENT "@verbs@\n" @ONLY)
endfunction()
cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL assay_write_verbs)

# What `assay certify` replays on a machine without a GPU: dossiers/recorded/<name>/dossier.json.
file(GLOB_RECURSE recorded CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dossiers/recorded/*.json)
if(recorded)
  set(recorded_stamp ${CMAKE_CURRENT_BINARY_DIR}/recorded.stamp)
  add_custom_command(OUTPUT ${recorded_stamp}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${ASSAY_SHARE_DIR}/recorded
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/dossiers/recorded
      ${ASSAY_SHARE_DIR}/recorded
    COMMAND ${CMAKE_COMMAND} -E touch ${recorded_stamp}
    DEPENDS ${recorded}
    COMMENT "Copying the recorded dossiers" VERBATIM)
  add_custom_target(assay_recorded ALL DEPENDS ${recorded_stamp})
  add_dependencies(assay_programs assay_recorded)
endif()
