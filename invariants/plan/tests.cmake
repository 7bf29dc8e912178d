# SPDX-License-Identifier: Apache-2.0
# The plan's tests; the end-to-end ones drive the built programs with fake drivers and fake probes.
assay_add_unit_test(plan_supervisor
  SOURCES supervisor_test.cpp text_test.cpp
  LIBRARIES assay::supervise)
assay_add_unit_test(plan
  SOURCES bench_report_test.cpp gpu_lock_test.cpp host/host_test.cpp plan_test.cpp
    run_folder_test.cpp
    soak/soak_record_test.cpp text_files_test.cpp
  LIBRARIES assay::schema_testing assay::plan nlohmann_json::nlohmann_json)

if(ASSAY_BUILD_LONG_TESTS)
  add_executable(assay_fake_probe testing/fake_probe.cpp)
  target_link_libraries(assay_fake_probe PRIVATE assay_warnings assay::plan)

  assay_add_unit_test(plan_e2e LONG
    SOURCES certify_e2e_test.cpp ctest_e2e_test.cpp replay_e2e_test.cpp testing/fake_tree.cpp
    LIBRARIES assay::plan)
  target_compile_definitions(test_plan_e2e PRIVATE
    ASSAY_FAKE_PROBE_PROGRAM="$<TARGET_FILE:assay_fake_probe>"
    ASSAY_FAKE_LIBCUDA_FILE="$<TARGET_FILE:fake_cuda>"
    ASSAY_FAKE_LIBNVML_FILE="$<TARGET_FILE:fake_nvml>"
    ASSAY_CTEST_PROGRAM="${CMAKE_CTEST_COMMAND}")
  add_dependencies(test_plan_e2e
    assay assay-step assay-certify assay-probe assay-judge assay-explain assay_fake_probe
    assay_test_graph fake_cuda fake_nvml)

  assay_add_unit_test(host_e2e LONG
    SOURCES failopen/planted.cpp host/certify_all_test.cpp host/ctest_all_test.cpp
      host/host_repeat_test.cpp host/host_tree.cpp host/turns_test.cpp junit_run_test.cpp testing/fake_tree.cpp
    LIBRARIES assay::plan nlohmann_json::nlohmann_json)
  assay_add_unit_test(soak LONG
    SOURCES soak/soak_e2e_test.cpp testing/fake_tree.cpp
    LIBRARIES assay::plan)
  # The fail-open matrix: one case per planted condition.
  assay_add_unit_test(failopen LONG
    SOURCES
      failopen/cases_test.cpp
      failopen/ctest_rows.cpp
      failopen/failopen_test.cpp
      failopen/figure_rows.cpp
      failopen/file_rows.cpp
      failopen/host_rows.cpp
      failopen/matrix.cpp
      failopen/missing_rows.cpp
      failopen/planted.cpp
      failopen/process_rows.cpp
      failopen/rule_rows.cpp
      testing/fake_tree.cpp
    LIBRARIES assay::plan nlohmann_json::nlohmann_json)
  foreach(test IN ITEMS test_failopen test_host_e2e test_soak)
    target_compile_definitions(${test} PRIVATE
      ASSAY_FAKE_PROBE_PROGRAM="$<TARGET_FILE:assay_fake_probe>"
      ASSAY_FAKE_LIBCUDA_FILE="$<TARGET_FILE:fake_cuda>"
      ASSAY_FAKE_LIBNVML_FILE="$<TARGET_FILE:fake_nvml>"
      ASSAY_FAKE_EMPTY_FILE="$<TARGET_FILE:fake_empty>"
      ASSAY_CTEST_PROGRAM="${CMAKE_CTEST_COMMAND}")
    add_dependencies(${test}
      assay assay-step assay-certify assay-probe assay-judge assay-explain assay_fake_probe
      assay_test_graph fake_cuda fake_nvml fake_empty)
  endforeach()

  add_test(NAME install.relocatable
    COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DCTEST=${CMAKE_CTEST_COMMAND}
      -DWORK=${CMAKE_CURRENT_BINARY_DIR}/install_test
      -P ${CMAKE_CURRENT_SOURCE_DIR}/install_test.cmake)
  set_tests_properties(install.relocatable PROPERTIES LABELS host TIMEOUT 120)
endif()
