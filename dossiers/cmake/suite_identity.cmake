# SPDX-License-Identifier: Apache-2.0
# Which version and commit is this tree? Run at every build; OUT changes only when the answer does.
# cmake -DSOURCE_DIR=... -DVERSION=... -DOUT=... -P suite_identity.cmake
set(commit "")
set(dirty "false")
find_program(GIT git)
if(GIT)
  # A tree unpacked inside somebody else's checkout must not take that checkout's commit.
  execute_process(COMMAND ${GIT} rev-parse --show-toplevel WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  file(REAL_PATH ${SOURCE_DIR} source)
  if(NOT failed AND top STREQUAL source)
    execute_process(COMMAND ${GIT} rev-parse HEAD WORKING_DIRECTORY ${SOURCE_DIR}
      OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      set(commit ${head})
      execute_process(COMMAND ${GIT} status --porcelain --untracked-files=no
        WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE changes ERROR_QUIET RESULT_VARIABLE failed)
      if(failed OR NOT changes STREQUAL "")
        set(dirty "true")
      endif()
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[
// SPDX-License-Identifier: Apache-2.0
// Written by suite_identity.cmake at each build: which suite is this program from?
#include "dossiers/identity.h"

namespace assay {

const SuiteIdentity& this_suite() {
  static const SuiteIdentity suite{"@VERSION@", "@commit@", @dirty@};
  return suite;
}

}  // namespace assay
]])
