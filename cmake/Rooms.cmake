# How targets are declared. Every list of sources is explicit; `make check` finds a file that no
# target names.
#
#   berth_room(base SOURCES a.cc b.cc DEPENDS ... LIBRARIES ...)   the library of src/base
#   berth_tests(base SOURCES a_test.cc ... DEPENDS ...)            its one test program, in ctest as `base`
#   berth_program(berth MAIN main.cc DEPENDS cli)                  build/<preset>/berth
#   berth_bench(openb MAIN main.cc SOURCES ... DEPENDS ... TESTS ...)  build/<preset>/bench/openb
#   berth_bench_library(common SOURCES ... DEPENDS ... TESTS ...)  code shared by benches
#   berth_fuzzer(gpu_yaml SOURCES gpu_yaml_fuzz.cc DEPENDS codec)  tests/fuzz
#   berth_proto(etcd PROTO third_party/etcd/rpc.proto)             LIBRARIES berth_proto_etcd: messages and
#                                                                  stubs, included as <etcd/rpc.grpc.pb.h>
#
# DEPENDS names rooms (`engine`) or bench libraries (`bench/common`); LIBRARIES names imported
# targets. What is empty is skipped, so a room may be declared before it has code.

# Imported targets that every target gets: vocabulary types of src/base.
set(BERTH_COMMON_LIBRARIES tl::expected Boost::headers)

function(berth_link target)
  cmake_parse_arguments(ARG "" "SCOPE" "DEPENDS;LIBRARIES" ${ARGN})
  foreach(room IN LISTS ARG_DEPENDS)
    string(REPLACE "/" "_" room "${room}")
    target_link_libraries(${target} ${ARG_SCOPE} berth_${room})
  endforeach()
  target_link_libraries(${target} ${ARG_SCOPE} ${BERTH_COMMON_LIBRARIES} ${ARG_LIBRARIES})
endfunction()

# A library that exists even without sources, so that others can depend on it from the start.
function(berth_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES;INCLUDES" ${ARGN})
  set(scope INTERFACE)
  if(ARG_SOURCES)
    set(scope PUBLIC)
    add_library(berth_${name} STATIC ${ARG_SOURCES})
  else()
    add_library(berth_${name} INTERFACE)
  endif()
  target_include_directories(berth_${name} ${scope} ${ARG_INCLUDES})
  berth_link(berth_${name} SCOPE ${scope} DEPENDS ${ARG_DEPENDS} LIBRARIES ${ARG_LIBRARIES})
endfunction()

function(berth_room room)
  berth_library(${room} ${ARGN} INCLUDES "${PROJECT_SOURCE_DIR}/src")
endfunction()

# Tests run in the repository's root, with fixed seeds for the property tests.
function(berth_test_environment test)
  set_tests_properties(${test} PROPERTIES
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    ENVIRONMENT "RC_PARAMS=seed=20261128"
    TIMEOUT 600)
endfunction()

# Wire definitions. Headers are included by their path below proto/ or third_party/; generated code
# is not held to our warnings.
function(berth_proto name)
  cmake_parse_arguments(ARG "" "PROTO" "" ${ARGN})
  cmake_path(GET ARG_PROTO STEM stem)
  string(REGEX REPLACE "^(proto|third_party)/.*" "\\1" root "${ARG_PROTO}")
  cmake_path(RELATIVE_PATH ARG_PROTO BASE_DIRECTORY "${root}" OUTPUT_VARIABLE inner)
  cmake_path(GET inner PARENT_PATH folder)
  set(out "${PROJECT_BINARY_DIR}/proto")
  set(made "${out}/${folder}/${stem}")
  set(generated "${made}.pb.cc" "${made}.pb.h" "${made}.grpc.pb.cc" "${made}.grpc.pb.h")
  file(MAKE_DIRECTORY "${out}")
  add_custom_command(OUTPUT ${generated}
    COMMAND protobuf::protoc --proto_path "${PROJECT_SOURCE_DIR}/${root}" --cpp_out "${out}"
            --grpc_out "${out}" --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>
            "${PROJECT_SOURCE_DIR}/${ARG_PROTO}"
    DEPENDS "${PROJECT_SOURCE_DIR}/${ARG_PROTO}" VERBATIM)
  add_library(berth_proto_${name} STATIC ${generated})
  target_compile_options(berth_proto_${name} PRIVATE -w)
  target_include_directories(berth_proto_${name} SYSTEM PUBLIC "${out}")
  target_link_libraries(berth_proto_${name} PUBLIC gRPC::grpc++ protobuf::libprotobuf)
endfunction()

function(berth_tests room)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  if(BERTH_FUZZ OR NOT ARG_SOURCES)
    return()
  endif()
  add_executable(${room}_tests ${ARG_SOURCES})
  set_target_properties(${room}_tests PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  target_compile_definitions(${room}_tests PRIVATE BERTH_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  berth_link(${room}_tests SCOPE PRIVATE DEPENDS ${room} ${ARG_DEPENDS}
    LIBRARIES ${ARG_LIBRARIES} GTest::gtest_main GTest::gmock rapidcheck rapidcheck_gtest)
  add_test(NAME ${room} COMMAND ${room}_tests)
  berth_test_environment(${room})
endfunction()

function(berth_program name)
  cmake_parse_arguments(ARG "" "" "MAIN;DEPENDS;LIBRARIES" ${ARGN})
  if(BERTH_FUZZ OR NOT ARG_MAIN)
    return()
  endif()
  add_executable(${name} ${ARG_MAIN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_compile_definitions(${name} PRIVATE BERTH_VERSION="${PROJECT_VERSION}")
  berth_link(${name} SCOPE PRIVATE DEPENDS ${ARG_DEPENDS} LIBRARIES ${ARG_LIBRARIES})
endfunction()

function(berth_bench_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES;TESTS" ${ARGN})
  if(BERTH_FUZZ)
    return()
  endif()
  berth_library(bench_${name} SOURCES ${ARG_SOURCES} DEPENDS ${ARG_DEPENDS} LIBRARIES ${ARG_LIBRARIES}
    INCLUDES "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")
  berth_tests(bench_${name} SOURCES ${ARG_TESTS})
endfunction()

function(berth_bench name)
  cmake_parse_arguments(ARG "" "" "MAIN;SOURCES;DEPENDS;LIBRARIES;TESTS" ${ARGN})
  berth_bench_library(${name} SOURCES ${ARG_SOURCES} DEPENDS ${ARG_DEPENDS}
    LIBRARIES ${ARG_LIBRARIES} TESTS ${ARG_TESTS})
  if(BERTH_FUZZ OR NOT ARG_MAIN)
    return()
  endif()
  add_executable(bench_${name}_program ${ARG_MAIN})
  set_target_properties(bench_${name}_program PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
  target_compile_definitions(bench_${name}_program PRIVATE BERTH_VERSION="${PROJECT_VERSION}")
  berth_link(bench_${name}_program SCOPE PRIVATE DEPENDS bench/${name})
  add_dependencies(benches bench_${name}_program)
endfunction()

# Instructions of fixed runs against those recorded in bench/NAME/instructions.txt.
function(berth_instruction_gate name)
  if(TARGET bench_${name}_program)
    add_test(NAME instruction_gate_${name} COMMAND
      "${PROJECT_SOURCE_DIR}/tools/instruction_gate.sh" $<TARGET_FILE:bench_${name}_program>)
    set_tests_properties(instruction_gate_${name} PROPERTIES
      LABELS bench SKIP_RETURN_CODE 77 TIMEOUT 600)
  endif()
endfunction()

# A fuzzer is one file with LLVMFuzzerTestOneInput. The preset `fuzz` links libFuzzer; all others
# link a main that feeds it tests/fuzz/corpus/<name>/* once, as a ctest test.
function(berth_fuzzer name)
  cmake_parse_arguments(ARG "BITS" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_executable(fuzz_${name} ${ARG_SOURCES})
  set_target_properties(fuzz_${name} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  berth_link(fuzz_${name} SCOPE PRIVATE DEPENDS ${ARG_DEPENDS} LIBRARIES ${ARG_LIBRARIES})
  if(BERTH_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers fuzz_${name})
  else()
    target_link_libraries(fuzz_${name} PRIVATE fuzz_replay)
    add_test(NAME fuzz_corpus_${name}
      COMMAND fuzz_${name} "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}")
    berth_test_environment(fuzz_corpus_${name})
    if(ARG_BITS)
      add_test(NAME fuzz_bits_${name}
        COMMAND fuzz_${name} "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}" --bits)
      berth_test_environment(fuzz_bits_${name})
    endif()
  endif()
endfunction()
