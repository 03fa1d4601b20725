# SPDX-License-Identifier: Apache-2.0
# Compiles and runs the C++ of one page, and compares what it prints with what the page says.
#   cmake -DCOMPILER=g++ -DINCLUDE_DIR=include -DPRINT_DIR=examples/basics -DPAGE=guide/tensor.md
#     -DWORK_DIR=/tmp/page -P run_page.cmake
#
# Every ```cpp block is compiled, but one that begins with a line `// examples/PATH`: it must be part
# of that file, whatever the indentation, and a ``` block behind it part of expected/ beside that file.
#   - one with `int main` is a program of its own, built as the README says;
#   - one with a ``` block right behind it is put into a function, and prints that block;
#   - any other one is put at namespace scope, for the blocks behind it.
# The last two kinds make one program a page, with <mshadow/tensor.h>, Print of
# examples/basics/print.h, and both using-directives in front; lines `#include` are moved up there.
# In expected output, `...` stands for anything within a line.
# A ```python block begins with `# examples/PATH`, and is part of that file.
# Blocks of other languages (sh, cmake, text) are only read. Links to files must lead somewhere.
cmake_minimum_required(VERSION 3.20)

# Not message(FATAL_ERROR), which breaks long lines anywhere.
macro(fail text)
  message("${text}")
  message(FATAL_ERROR "${PAGE} is wrong")
endmacro()

# build(<name> <flag>...): compiles WORK_DIR/<name>.cc, and sets `printed` to what it prints.
function(build name)
  # In two steps: a LAUNCHER, ccache, keeps objects.
  execute_process(
    COMMAND ${LAUNCHER} ${COMPILER} -std=c++17 -I ${INCLUDE_DIR} ${ARGN} -c ${name}.cc -o ${name}.o
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE result)
  if(result EQUAL 0)
    execute_process(COMMAND ${COMPILER} ${name}.o -o ${name}
      WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE result)
  endif()
  if(NOT result EQUAL 0)
    fail("a block does not compile")
  endif()
  execute_process(COMMAND ${WORK_DIR}/${name} WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE result OUTPUT_VARIABLE printed)
  if(NOT result EQUAL 0)
    fail("status ${result} of the program, which printed\n${printed}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

# compare(<line> <expected> <printed>): fails where they differ.
function(compare line expected printed)
  string(REGEX REPLACE "([][+.*()^$?|\\\\{}])" "\\\\\\1" pattern "${expected}")
  string(REPLACE "\\.\\.\\." "[^\n]*" pattern "${pattern}")
  if(NOT printed STREQUAL expected AND NOT printed MATCHES "^${pattern}$")
    fail("${PAGE}:${line}: the block should print\n${expected}and prints\n${printed}")
  endif()
endfunction()

# take(<length>): moves that many characters from the front of `text` to `taken`, counting lines.
macro(take length)
  string(SUBSTRING "${text}" 0 ${length} taken)
  string(SUBSTRING "${text}" ${length} -1 text)
  string(REGEX REPLACE "[^\n]" "" newlines "${taken}")
  string(LENGTH "${newlines}" newlines)
  math(EXPR line "${line} + ${newlines}")
endmacro()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
get_filename_component(INCLUDE_DIR ${INCLUDE_DIR} ABSOLUTE)
get_filename_component(PAGE ${PAGE} ABSOLUTE)
get_filename_component(folder ${PAGE} DIRECTORY)
file(READ ${PAGE} text)
string(PREPEND text "\n")
set(line 0)
set(prose "")
set(includes "#include <mshadow/tensor.h>\n#include \"print.h\"\n")
set(program "using namespace mshadow;\nusing namespace mshadow::expr;\n")
set(calls "")
set(count 0)  # of blocks with output, of the page's one program
set(alone 0)  # of programs of their own

while(TRUE)
  string(FIND "${text}" "\n```" fence)
  if(fence EQUAL -1)
    string(APPEND prose "${text}")
    break()
  endif()
  take(${fence})
  string(APPEND prose "${taken}")
  take(4)
  string(FIND "${text}" "\n" end)
  take(${end})
  set(language "${taken}")
  take(1)
  set(block_line ${line})
  string(PREPEND text "\n")  # an empty block ends here
  string(FIND "${text}" "\n```" fence)
  if(fence EQUAL -1)
    fail("${PAGE}:${block_line}: the block has no end")
  endif()
  string(SUBSTRING "${text}" 1 -1 text)
  take(${fence})
  set(block "${taken}")
  take(3)
  if(NOT language MATCHES "^(cpp|python|sh|cmake|text|)$")
    fail("${PAGE}:${block_line}: the language ${language} is not known")
  endif()
  if(NOT language MATCHES "^(cpp|python)$")
    continue()
  endif()

  set(prints FALSE)
  if(text MATCHES "^\n+```\n")
    string(LENGTH "${CMAKE_MATCH_0}" length)
    take(${length})
    set(output_line ${line})
    string(PREPEND text "\n")
    string(FIND "${text}" "\n```" fence)
    string(SUBSTRING "${text}" 1 -1 text)
    take(${fence})
    set(expected "${taken}")
    take(3)
    set(prints TRUE)
  endif()

  if(block MATCHES "^(//|#) (examples/([^\n]*)/([^\n]*)[.](cc|py))\n(.*)$")
    set(file ${CMAKE_MATCH_2})
    set(expected_file examples/${CMAKE_MATCH_3}/expected/${CMAKE_MATCH_4}.txt)
    set(part "${CMAKE_MATCH_6}")
    if(NOT EXISTS ${folder}/${file})
      string(PREPEND file "../")
      string(PREPEND expected_file "../")
    endif()
    if(NOT EXISTS ${folder}/${file})
      fail("${PAGE}:${block_line}: there is no file ${CMAKE_MATCH_2}")
    endif()
    file(READ ${folder}/${file} whole)
    string(REGEX REPLACE "\n +" "\n" whole "${whole}")
    string(REGEX REPLACE "\n +" "\n" part "\n${part}")
    string(FIND "${whole}" "${part}" found)
    if(found EQUAL -1)
      fail("${PAGE}:${block_line}: the block is no part of ${file}")
    endif()
    if(prints)
      file(READ ${folder}/${expected_file} whole)
      string(FIND "\n${whole}" "\n${expected}" found)
      if(found EQUAL -1)
        fail("${PAGE}:${output_line}: the block is no part of ${expected_file}")
      endif()
    endif()
    continue()
  endif()
  if(language STREQUAL "python")
    fail("${PAGE}:${block_line}: a python block begins with the line '# examples/PATH'")
  endif()

  set(start "#line ${block_line} \"${PAGE}\"\n")
  if(block MATCHES "int main")
    math(EXPR alone "${alone} + 1")
    file(WRITE ${WORK_DIR}/program_${alone}.cc "${start}${block}")
    build(program_${alone} -O2)
    if(prints)
      compare(${output_line} "${expected}" "${printed}")
    endif()
    continue()
  endif()
  while(block MATCHES "(#include [^\n]*\n)")
    string(APPEND includes "${CMAKE_MATCH_1}")
    string(REPLACE "${CMAKE_MATCH_1}" "\n" block "${block}")
  endwhile()
  if(prints)
    math(EXPR count "${count} + 1")
    string(APPEND program "static void Block${count}() {\n${start}${block}}\n")
    string(APPEND calls "  std::cout.copyfmt(std::ios(nullptr));\n"
      "  std::cout << \"@@${count}\\n\";\n"
      "  Block${count}();\n")
    set(line_${count} ${output_line})
    set(expected_${count} "${expected}")
  else()
    string(APPEND program "${start}${block}")
  endif()
endwhile()

if(NOT program STREQUAL "using namespace mshadow;\nusing namespace mshadow::expr;\n")
  file(WRITE ${WORK_DIR}/page.cc
    "${includes}#include <iostream>\n${program}int main() {\n${calls}  std::cout << \"@@\";\n}\n")
  # One instruction set: a page then compiles in half the time, and other tests run all of them.
  build(page -O1 -Wall -Wextra -Werror -DMSHADOW_SIMD_DISPATCH=0 -I ${PRINT_DIR})
  foreach(k RANGE 1 ${count})
    if(count EQUAL 0)
      break()
    endif()
    string(FIND "${printed}" "@@${k}\n" begin)
    string(LENGTH "@@${k}\n" length)
    math(EXPR begin "${begin} + ${length}")
    string(SUBSTRING "${printed}" ${begin} -1 printed)
    string(FIND "${printed}" "@@" end)
    string(SUBSTRING "${printed}" 0 ${end} of_block)
    compare(${line_${k}} "${expected_${k}}" "${of_block}")
  endforeach()
endif()

# ---- Links ----
string(REGEX REPLACE "`[^`\n]*`" "" prose "${prose}")  # code may hold brackets, a lambda's say
string(REPLACE "](" "@@" prose "${prose}")
string(REGEX MATCHALL "@@[^)\n]*" links "${prose}")
foreach(link IN LISTS links)
  string(REGEX REPLACE "^@@|#.*$" "" link "${link}")
  if(NOT link STREQUAL "" AND NOT link MATCHES "^https?:" AND NOT EXISTS "${folder}/${link}")
    fail("${PAGE}: a link to ${link}, which does not exist")
  endif()
endforeach()
message("${PAGE}: ${count} blocks with output and ${alone} programs are right")
