# SPDX-License-Identifier: Apache-2.0
# The plan's tests; the end-to-end ones drive the built programs with fake drivers and fake probes.
assay_add_unit_test(plan_supervisor
  SOURCES supervisor_test.cpp text_test.cpp
  LIBRARIES assay::supervise)
assay_add_unit_test(plan
  SOURCES gpu_lock_test.cpp plan_test.cpp run_folder_test.cpp text_files_test.cpp
  LIBRARIES assay::plan)
