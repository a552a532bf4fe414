# Compiler, options, linker and cache: the same for every target.
#
# Build types: Release -O2 -g (assertions stay on: NDEBUG is never defined), Debug -O0 -g,
# Sanitize -O1 -g. BERTH_SANITIZE adds sanitizers, see CMakePresets.json.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g -fno-omit-frame-pointer")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or Sanitize" FORCE)
endif()

# The instruction set. x86-64-v3 (AVX2, BMI2; Intel since 2013, AMD since 2015) on x86-64.
set(berth_default_march "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(berth_default_march "x86-64-v3")
endif()
set(BERTH_MARCH "${berth_default_march}" CACHE STRING "value of -march; empty for the compiler's default")
set(BERTH_SANITIZE "" CACHE STRING "list for -fsanitize=, such as address,undefined; empty for none")
option(BERTH_FUZZ "build the fuzzers with libFuzzer instead of the corpus replayers (clang only)" OFF)

if(BERTH_MARCH)
  add_compile_options("-march=${BERTH_MARCH}")
endif()

# Every build but the shipped one checks the library's own preconditions (bounds of operator[], ...).
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# Results must not depend on the optimiser: no fused multiply-add behind our back.
add_compile_options(-ffp-contract=off)
# Paths in messages are relative to the repository, on every machine.
add_compile_options("-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=")

add_compile_options(-Wall -Wextra -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # -Wrestrict: g++ 12 reports its own std::string (GCC bug 105651).
  add_compile_options(-Wconversion -Werror -Wno-restrict)
  if(BERTH_SANITIZE)
    # Instrumented code gives false reports of these two.
    add_compile_options(-Wno-maybe-uninitialized -Wno-tsan)
  endif()
endif()

if(BERTH_SANITIZE)
  add_compile_options("-fsanitize=${BERTH_SANITIZE}" -fno-sanitize-recover=all)
  add_link_options("-fsanitize=${BERTH_SANITIZE}")
  if(BERTH_SANITIZE MATCHES "address")
    add_compile_options(-g1)  # full debug information triples the compile time under ASan
  endif()
endif()
if(BERTH_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(BERTH_MOLD mold)
if(BERTH_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

find_program(BERTH_CCACHE ccache)
if(BERTH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${CMAKE_SOURCE_DIR};CCACHE_NOHASHDIR=1;${BERTH_CCACHE}")
endif()
