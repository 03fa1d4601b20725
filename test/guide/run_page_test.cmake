# SPDX-License-Identifier: Apache-2.0
# Tests of run_page.cmake: it must pass a good page, and must say what is wrong on every bad one.
cmake_minimum_required(VERSION 3.20)
include(${CMAKE_CURRENT_LIST_DIR}/../expect_case.cmake)

# A header that compiles in no time takes the library's place.
file(REMOVE_RECURSE ${WORK_DIR})
file(WRITE ${WORK_DIR}/include/mshadow/tensor.h
  "#pragma once\n#include <iostream>\nnamespace mshadow { namespace expr { const int kTwo = 2; } }\n")

# expect(<ok|message regex> <page>): with ' for a fence, as in 'cpp.
function(expect what page)
  string(REPLACE "'" "```" page "${page}")
  file(WRITE ${WORK_DIR}/page.md "${page}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${COMPILER} -DINCLUDE_DIR=${WORK_DIR}/include
      -DPAGE=${WORK_DIR}/page.md -DWORK_DIR=${WORK_DIR}/work
      -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_page.cmake
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  expect_case("${what}" "${page}" "${result}" "${output}")
endfunction()

set(declare "'cpp\ninline const int three = kTwo + 1;\n'\n")
set(print "'cpp\n#include <string>\nstd::cout << std::string(\"n \") << 3 << \"\\n\";\n'\n")
expect(ok "Prose only, [a link](include/mshadow/tensor.h#part), [another](https://example.org).\n")
expect(ok "# A page\n${declare}\n${print}'\nn 3\n'\nProse\n${print}\n'\n...3\n'\n'sh\nexit 1\n'\n")
expect(ok "'cpp\n#include <iostream>\nint main() { std::cout << 1; }\n'\n")
expect("page.md:6: the block should print\nn 4\nand prints\nn 3" "${print}'\nn 4\n'\n")
expect("the block should print\n...4" "${print}'\n...4\n'\n")
expect("should print\nn 3\n\nand" "${print}'\nn 3\n\n'\n")
expect("should print\n1.\nand prints\n12" "'cpp\nstd::cout << \"12\\n\";\n'\n'\n1.\n'\n")
expect("page.md:3:.*wrong.*does not compile" "\n'cpp\nint wrong = nothing;\n'\n")
expect("does not compile" "'cpp\nint unused;\n'\n'\n'\n")
expect("status 3" "'cpp\nint main() { return 3; }\n'\n")
expect("page.md:2: the language c is not known" "'c\nint x;\n'\n")
expect("page.md:3: the block has no end" "\n'cpp\nint x;\n")
expect("a link to nowhere.md, which" "A [link](nowhere.md#part).\n")
expect(ok "# A page\n[Here](#how-a_b-runs-twice), [here](page.md#a-page).\n## How `a_b` runs, twice\n")
expect("a link to the heading #part of" "# A page\n[Here](#part).\n")
expect("a link to the heading #b of" "# A page\n[Here](page.md#b).\n")

# Parts of a file.
file(WRITE ${WORK_DIR}/examples/a/b.cc "int main() {\n  int x[] = {1, 2};\n  x[0] = 3;\n}\n")
file(WRITE ${WORK_DIR}/examples/a/expected/b.txt "one\ntwo\n")
expect(ok "'cpp\n// examples/a/b.cc\nint x[] = {1, 2};\nx[0] = 3;\n'\n")
expect(ok "'cpp\n// examples/a/b.cc\n  x[0] = 3;\n'\n'\ntwo\n'\n")
expect("page.md:2: the block is no part of examples/a/b.cc"
  "'cpp\n// examples/a/b.cc\nx[0] = 4;\n'\n")
expect("page.md:6: the block is no part of examples/a/expected/b.txt"
  "'cpp\n// examples/a/b.cc\nx[0] = 3;\n'\n'\nthree\n'\n")
expect("page.md:2: there is no file" "'cpp\n// examples/a/c.cc\nx[0] = 3;\n'\n")
file(WRITE ${WORK_DIR}/examples/a/d.py "# d\ndef d(x):\n    return x[0]\n")
expect(ok "'python\n# examples/a/d.py\ndef d(x):\n    return x[0]\n'\n")
expect("page.md:2: the block is no part of examples/a/d.py"
  "'python\n# examples/a/d.py\nreturn x[1]\n'\n")
expect("page.md:2: a python block begins with" "'python\nx = 1\n'\n")

file(REMOVE_RECURSE ${WORK_DIR})
message("pages that are right pass, and pages that are wrong do not")
