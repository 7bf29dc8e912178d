# SPDX-License-Identifier: Apache-2.0
# Target helpers that every folder uses: warnings, unit tests, verbs.

# All that a certification needs, without the tests: what ci/certify builds.
add_custom_target(assay_programs)

add_library(assay_warnings INTERFACE)
# What GCC concludes from inlined code at -O3 is often wrong of the standard library's own insides
# (GCC bug 105651): it may say so, and stops no build.
set(inlined_guesses)
foreach(guess IN ITEMS restrict array-bounds maybe-uninitialized stringop-overflow stringop-overread free-nonheap-object
    nonnull null-dereference)
  list(APPEND inlined_guesses -Wno-error=${guess})
endforeach()
# GCC 13 takes a reference into a document for one into the handle that named it.
set(newer_gcc $<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>)
target_compile_options(assay_warnings INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,${newer_gcc}>:-Wno-dangling-reference>
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion>
  # Part of clang's -Wconversion and not of GCC's.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(ASSAY_WARNINGS_AS_ERRORS)
  target_compile_options(assay_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:${inlined_guesses}>"
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror all-warnings>)
endif()

# assay_add_library(<name> SOURCES a.cpp ... [LIBRARIES ...] [HOT])
# A static library `assay_<name>`, alias `assay::<name>`, with the repository root as include root.
# HOT: tests spend most of their time in it; see ASSAY_HOT_OPTIONS.
function(assay_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOT" "" "SOURCES;LIBRARIES")
  add_library(assay_${name} STATIC ${arg_SOURCES})
  add_library(assay::${name} ALIAS assay_${name})
  target_include_directories(assay_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(assay_${name} PRIVATE assay_warnings PUBLIC ${arg_LIBRARIES})
  set_target_properties(assay_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(arg_HOT AND ASSAY_HOT_OPTIONS)
    target_compile_options(assay_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${ASSAY_HOT_OPTIONS}>)
  endif()
endfunction()

# All tests that read the machine code just built; CI builds them for every architecture.
add_custom_target(assay_sass_tests)

# All unit tests that need no whole certification: what the sanitizers see.
add_custom_target(assay_unit_tests)

# assay_add_unit_test(<name> SOURCES a_test.cpp ... [LIBRARIES ...] [VERBS assay-<verb> ...] [SASS | LONG])
# One GoogleTest program whose cases appear in CTest as `unit.<name>.<Suite>.<case>`, label host.
# SASS: it reads built probes or needs the toolkit; label sass instead, target assay_sass_tests.
# LONG: it runs whole certifications; absent with ASSAY_BUILD_LONG_TESTS off.
# VERBS: it runs these programs, which are built first; absent with ASSAY_BUILD_VERB_TESTS off.
function(assay_add_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SASS;LONG" "" "SOURCES;LIBRARIES;VERBS")
  if(NOT ASSAY_BUILD_TESTS OR (arg_LONG AND NOT ASSAY_BUILD_LONG_TESTS) OR (arg_VERBS AND NOT ASSAY_BUILD_VERB_TESTS))
    return()
  endif()
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE assay_warnings GTest::gtest_main ${arg_LIBRARIES})
  target_compile_definitions(test_${name} PRIVATE
    ASSAY_TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ASSAY_TEST_BINARY_DIR="${PROJECT_BINARY_DIR}")
  if(ASSAY_FUZZ)
    # Instrumented and optimised, a test takes clang twice as long to compile as it then saves.
    target_compile_options(test_${name} PRIVATE -O0)
  endif()
  if(arg_VERBS)
    add_dependencies(test_${name} ${arg_VERBS})
  endif()
  set(labels host)
  if(arg_SASS)
    set(labels sass)
    add_dependencies(assay_sass_tests test_${name})
  elseif(NOT arg_LONG)
    add_dependencies(assay_unit_tests test_${name})
  endif()
  gtest_discover_tests(test_${name} TEST_PREFIX "unit.${name}." DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS "${labels}" TIMEOUT 120)
endfunction()

# All that the tests labelled gpu run: what ci/test builds where there is a GPU.
add_custom_target(assay_gpu_tests)

# assay_add_gpu_test(<name> SOURCES ... [LIBRARIES ...])
# One GoogleTest program that needs a device: cases `gpu.<name>.<Suite>.<case>`, label gpu, one at a
# time. CI never runs them: ci/gpu-runs/ holds the runs that passed.
function(assay_add_gpu_test name)
  if(NOT ASSAY_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(gpu_test_${name} ${arg_SOURCES})
  target_link_libraries(gpu_test_${name} PRIVATE assay_warnings GTest::gtest_main ${arg_LIBRARIES})
  target_compile_definitions(gpu_test_${name} PRIVATE
    ASSAY_TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ASSAY_TEST_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_dependencies(assay_gpu_tests gpu_test_${name})
  gtest_discover_tests(gpu_test_${name} TEST_PREFIX "gpu.${name}." DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS gpu TIMEOUT 120 RUN_SERIAL TRUE)
endfunction()

# assay_add_verb(<verb> SUMMARY "one line" SOURCES ... [LIBRARIES ...])
# A program `libexec/assay/assay-<verb>` that `assay <verb>` runs and `assay help` lists.
function(assay_add_verb verb)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SUMMARY" "SOURCES;LIBRARIES")
  if(NOT arg_SUMMARY)
    message(FATAL_ERROR "assay_add_verb(${verb}): SUMMARY is required; `assay help` prints it")
  endif()
  add_executable(assay-${verb} ${arg_SOURCES})
  target_link_libraries(assay-${verb} PRIVATE assay_warnings ${arg_LIBRARIES})
  set_target_properties(assay-${verb} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${ASSAY_LIBEXEC_DIR})
  add_dependencies(assay_programs assay-${verb})
  set_property(GLOBAL APPEND PROPERTY ASSAY_VERBS "${verb}\t${arg_SUMMARY}")
endfunction()

# assay_add_script_verb(<verb> SUMMARY "one line" SCRIPT file)
# The same for a program that is a script, already laid beside the other verbs by its folder.
function(assay_add_script_verb verb)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SUMMARY;SCRIPT" "")
  if(NOT arg_SUMMARY OR NOT arg_SCRIPT)
    message(FATAL_ERROR "assay_add_script_verb(${verb}): SUMMARY and SCRIPT are required")
  endif()
  set_property(GLOBAL APPEND PROPERTY ASSAY_VERBS "${verb}\t${arg_SUMMARY}")
  set_property(GLOBAL PROPERTY ASSAY_SCRIPT_OF_${verb} ${arg_SCRIPT})
endfunction()
