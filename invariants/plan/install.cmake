# SPDX-License-Identifier: Apache-2.0
# The install tree has the build tree's shape and can be moved: programs find each other from where
# they lie (invariants/plan/layout.h), and the test graph names them relative to itself. So these
# places are fixed, not GNUInstallDirs' business.
install(TARGETS assay RUNTIME DESTINATION bin)
install(TARGETS assay-step RUNTIME DESTINATION libexec/assay)
install(DIRECTORY ${ASSAY_SHARE_DIR}/ DESTINATION share/assay)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/assay)

# Verbs and probes of every folder, known when the last of them was read.
function(assay_install_verbs_and_probes)
  get_property(verbs GLOBAL PROPERTY ASSAY_VERBS)
  foreach(entry IN LISTS verbs)
    string(REGEX REPLACE "\t.*" "" verb "${entry}")
    get_property(script GLOBAL PROPERTY ASSAY_SCRIPT_OF_${verb})
    if(script)
      install(PROGRAMS ${script} DESTINATION libexec/assay)
    else()
      install(TARGETS assay-${verb} RUNTIME DESTINATION libexec/assay)
    endif()
  endforeach()
  get_property(probes GLOBAL PROPERTY ASSAY_PROBES)
  foreach(entry IN LISTS probes)
    string(JSON probe GET "${entry}" name)
    if(TARGET probe_${probe})
      install(TARGETS probe_${probe} RUNTIME DESTINATION libexec/assay/probes)
    endif()
  endforeach()
endfunction()
cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL assay_install_verbs_and_probes)
