# SPDX-License-Identifier: Apache-2.0

# The SASS tests read the machine code out of the programs; probes/sass holds no decompressor. Set
# here for this whole folder, because the harness's kernels end up in the same section.
add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:--no-compress>)

# assay_add_probe(<name> [FULL] [TURN host_link|every_gpu] [ARCHS 90a ...] [TIMEOUT seconds] [LIBRARIES ...])
#
# Builds <name>.cu, which defines assay::run_probe(), into libexec/assay/probes/<name> and enters it
# into the run plan (share/assay/probes.json) in the order of the calls. ARCHS narrows the build to
# targets whose instructions the probe needs ("90a"); when none of them is asked for, a program that
# writes the absence and exits 77 stands in, so that the probe stays visible. FULL: at level quick the
# run plan says "measured at level full only" without starting the program. TURN: what the probe shares
# with other GPUs of the host. Probes of the host_link take turns with each other, across processes;
# one of every_gpu measures while no other GPU of the host is being measured.
function(assay_add_probe name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FULL" "TIMEOUT;TURN" "ARCHS;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "assay_add_probe(${name}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  set(archs ${ASSAY_ARCHITECTURES})
  if(arg_ARCHS)
    set(archs "")
    foreach(arch IN LISTS arg_ARCHS)
      string(REGEX REPLACE "[a-z]$" "" base ${arch})
      if(base IN_LIST ASSAY_ARCHITECTURES)
        list(APPEND archs ${arch})
      endif()
    endforeach()
  endif()
  set(level quick)
  if(arg_FULL)
    set(level full)
  endif()
  set(turn "")
  if(arg_TURN)
    if(NOT arg_TURN MATCHES "^(host_link|every_gpu)$")
      message(FATAL_ERROR "assay_add_probe(${name}): TURN ${arg_TURN}, want host_link or every_gpu")
    endif()
    set(turn ", \"turn\": \"${arg_TURN}\"")
  endif()
  set(cuda "")
  if(ASSAY_ENABLE_CUDA)
    string(REGEX MATCH "^[0-9]+" major "${CMAKE_CUDA_COMPILER_VERSION}")
    set(cuda ", \"cuda_major\": ${major}")  # a driver of an older major version runs none of it
  endif()
  set_property(GLOBAL APPEND PROPERTY ASSAY_PROBES
    "{\"name\": \"${name}\", \"timeout_s\": ${arg_TIMEOUT}, \"level\": \"${level}\"${turn}${cuda}}")
  if(NOT ASSAY_ENABLE_CUDA)
    return()
  endif()

  list(TRANSFORM archs PREPEND "sm_" OUTPUT_VARIABLE sass)
  string(REPLACE ";" "," ASSAY_PROBE_SASS "${sass}")
  set(ASSAY_PROBE_NAME ${name})
  configure_file(${PROJECT_SOURCE_DIR}/probes/harness/probe_identity.cpp.in
                 ${CMAKE_CURRENT_BINARY_DIR}/${name}_identity.cpp @ONLY)
  set(source ${name}.cu)
  if(NOT archs)
    set(source harness/no_code.cpp)
  endif()
  add_executable(probe_${name} ${source} ${CMAKE_CURRENT_BINARY_DIR}/${name}_identity.cpp)
  target_link_libraries(probe_${name} PRIVATE assay_warnings assay::probe_main ${arg_LIBRARIES})
  add_dependencies(assay_programs probe_${name})
  list(TRANSFORM archs APPEND "-real")
  if(archs)
    set_target_properties(probe_${name} PROPERTIES CUDA_ARCHITECTURES "${archs}")
  endif()
  set_target_properties(probe_${name} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${ASSAY_PROBE_DIR})
endfunction()
