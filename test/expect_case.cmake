# SPDX-License-Identifier: Apache-2.0
# What the tests of drivers share (compile_fail, guide, ptx): a driver must pass a good case, and say
# what is wrong with a bad one.

# expect_case(<ok|message regex> <case> <result> <output>): fails unless the driver, which ended with
# <result> on <case> and printed <output>, did so.
function(expect_case what case result output)
  if(what STREQUAL "ok")
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "a good case is refused:\n${case}\n${output}")
    endif()
  elseif(result EQUAL 0)
    message(FATAL_ERROR "a bad case is accepted:\n${case}\n${output}")
  elseif(NOT output MATCHES "${what}")
    message(FATAL_ERROR "'${what}' should have been said on\n${case}\n${output}")
  endif()
endfunction()
