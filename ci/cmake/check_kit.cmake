# SPDX-License-Identifier: Apache-2.0
# Runs after CPack: is the kit small enough, and does each program need nothing but libc?
cmake_minimum_required(VERSION 3.25)

set(kMaxBytes 60000000)
# Part of every glibc system; the C++ runtime is linked in, libcuda and NVML are opened at run time.
set(kAllowed libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1)

foreach(kit IN LISTS CPACK_PACKAGE_FILES)
  file(SIZE ${kit} bytes)
  if(bytes GREATER kMaxBytes)
    message(FATAL_ERROR "${kit}: ${bytes} B, at most ${kMaxBytes} B allowed")
  endif()
  message(STATUS "kit ${kit}: ${bytes} B of ${kMaxBytes} B")
endforeach()

find_program(readelf NAMES readelf REQUIRED)
file(GLOB_RECURSE programs LIST_DIRECTORIES false ${CPACK_TEMPORARY_DIRECTORY}/bin/* ${CPACK_TEMPORARY_DIRECTORY}/libexec/*)
if(NOT programs)
  message(FATAL_ERROR "no program under ${CPACK_TEMPORARY_DIRECTORY}")
endif()
foreach(program IN LISTS programs)
  execute_process(COMMAND ${readelf} -d ${program} OUTPUT_VARIABLE out ERROR_QUIET RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    continue()  # a script
  endif()
  string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*\\[[^]\n]*\\]" needed "${out}")
  foreach(line IN LISTS needed)
    string(REGEX REPLACE ".*\\[(.*)\\]" "\\1" library "${line}")
    if(NOT library IN_LIST kAllowed)
      message(FATAL_ERROR "${program} needs ${library}; a GPU node may not have it. Allowed: ${kAllowed}")
    endif()
  endforeach()
endforeach()
