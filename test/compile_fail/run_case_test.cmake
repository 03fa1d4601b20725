# SPDX-License-Identifier: Apache-2.0
# Tests of run_case.cmake: it must fail on a case that compiles, that fails with another message,
# that announces no message, and whose twin does not compile.
cmake_minimum_required(VERSION 3.20)
include(${CMAKE_CURRENT_LIST_DIR}/../expect_case.cmake)

function(expect what program)
  file(WRITE ${WORK_DIR}/case.cc "${program}\n")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${COMPILER} -DINCLUDE_DIR=${INCLUDE_DIR}
      -DCASE=${WORK_DIR}/case.cc -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_case.cmake
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  expect_case("${what}" "${program}" "${result}" "${output}")
endfunction()

# An error inside a template, as the library's are: it appears only when that is instantiated.
set(program [[
template <int n> struct Rank { static_assert(n == 2, "dot takes tensors of rank 2"); };
template <int n> void Dot() { Rank<n> rank; (void)rank; }
#ifdef FIXED
void Program() { Dot<2>(); }
#else
void Program() { Dot<3>(); }
#endif
]])
expect(ok "// expect: dot takes tensors of rank [0-9]\n${program}")
expect(ok "// expect: dot takes\n// expect: of rank 2\n${program}")
expect("refused without the message" "// expect: dot takes matrices\n${program}")
expect("refused without the message" "// expect: dot takes\n// expect: matrices\n${program}")
set(second "#ifndef FIXED\nint x = y;\n#endif\n${program}")
expect("refused without the message" "// expect: dot takes\n${second}")
expect(ok "// expect in a note: dot takes\n${second}")
expect("has no line" "${program}")
expect("compiles, and must not" "// expect: dot\nint x = 0;")
expect("does not compile with -DFIXED" "// expect: dot\nstatic_assert(false, \"dot\");")
file(REMOVE_RECURSE ${WORK_DIR})
