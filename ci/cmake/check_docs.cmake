# SPDX-License-Identifier: Apache-2.0
# Does the README print what the programs print? Run by CTest:
#   cmake -DASSAY=<bin/assay> -DSOURCE_DIR=<repository> -P ci/cmake/check_docs.cmake
file(READ ${SOURCE_DIR}/README.md readme)

# expect_in_readme(<exit code> <arguments of assay ...>): the output stands in the README, to the letter.
function(expect_in_readme code)
  execute_process(COMMAND ${ASSAY} ${ARGN} WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE output ERROR_VARIABLE said RESULT_VARIABLE result)
  if(NOT result EQUAL code)
    message(FATAL_ERROR "assay ${ARGN} exited ${result}, the README says ${code}\n${said}")
  endif()
  string(STRIP "${output}" output)
  string(FIND "${readme}" "${output}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "README.md does not hold what `assay ${ARGN}` prints now:\n${output}")
  endif()
endfunction()

file(GLOB recorded ${SOURCE_DIR}/dossiers/recorded/*/dossier.json)
list(SORT recorded)
list(GET recorded -1 newest)
file(RELATIVE_PATH newest ${SOURCE_DIR} ${newest})
expect_in_readme(0 certify --replay ${newest})
expect_in_readme(0 help)
