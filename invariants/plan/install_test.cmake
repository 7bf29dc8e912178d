# SPDX-License-Identifier: Apache-2.0
# Does an installation work after it was moved, read-only, and does its graph name its own programs?
# cmake -DBUILD=<build tree> -DWORK=<folder to use> -DCTEST=<ctest> -P install_test.cmake
function(must_run)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT;DIRECTORY" "COMMAND")
  execute_process(COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${arg_DIRECTORY}
    OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${arg_COMMAND}: exit ${code}\n${out}\n${err}")
  endif()
  set(${arg_OUTPUT} "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/empty)
must_run(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first
         DIRECTORY ${WORK} OUTPUT out)
file(RENAME ${WORK}/first ${WORK}/moved)

must_run(COMMAND ${WORK}/moved/bin/assay help DIRECTORY ${WORK} OUTPUT help)
foreach(verb certify probe)
  if(NOT help MATCHES "  ${verb} ")
    message(FATAL_ERROR "assay help of the installation lacks ${verb}:\n${help}")
  endif()
endforeach()
must_run(COMMAND ${WORK}/moved/bin/assay certify --prepare --out ${WORK}/mine
         DIRECTORY ${WORK} OUTPUT out)
must_run(COMMAND ${CTEST} --no-tests=error --test-dir ${WORK}/mine --show-only=json-v1
         DIRECTORY ${WORK} OUTPUT listed)
string(FIND "${listed}" "${BUILD}/libexec" build_tree)
if(NOT build_tree EQUAL -1)
  message(FATAL_ERROR "the installation's test graph names the build tree")
endif()
string(JSON program GET "${listed}" tests 0 command 0)
if(NOT EXISTS "${program}")
  message(FATAL_ERROR "the installation's test graph names a missing program: ${program}")
endif()
file(REMOVE_RECURSE ${WORK})
