# SPDX-License-Identifier: Apache-2.0
# Where certify.cmake sends its results; beside it. Put your own dashboard here.
# CDash keeps the history of each fact (a named measurement per fact); the verdict is the tests' own.
set(CTEST_PROJECT_NAME assay)
set(CTEST_NIGHTLY_START_TIME 01:00:00 UTC)
set(CTEST_SUBMIT_URL https://cdash.example.org/submit.php?project=assay)
set(CTEST_TEST_TIMEOUT 600)
