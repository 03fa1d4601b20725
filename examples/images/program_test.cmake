# SPDX-License-Identifier: Apache-2.0
# Runs the program as a user would: on the picture it draws, on a PNG, on wrong input.
#   cmake -DIMAGES=build/images -DWORK_DIR=/tmp/images_test -P program_test.cmake
cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

# expect(<exit status> <regex of all output> <argument> ...)
function(expect status regex)
  execute_process(COMMAND ${IMAGES} ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL status OR NOT text MATCHES "${regex}")
    message(FATAL_ERROR "images ${ARGN}\nexpected status ${status} and '${regex}', "
      "got status ${result} and\n${text}")
  endif()
endfunction()

expect(0 "original.png +640 x 480.*resized.png +320 x 240.*edges.png +638 x 478" drawn)
foreach(name original resized cropped mirrored edges pooled_mean pooled_edges combined gallery)
  file(READ ${WORK_DIR}/drawn/${name}.png signature LIMIT 8 HEX)
  if(NOT signature STREQUAL "89504e470d0a1a0a")
    message(FATAL_ERROR "${name}.png is no PNG")
  endif()
endforeach()

# Written, read and mirrored again, the picture is the same.
expect(0 "mirrored.png" once drawn/mirrored.png)
file(SHA256 ${WORK_DIR}/drawn/original.png original)
file(SHA256 ${WORK_DIR}/once/mirrored.png mirrored_twice)
if(NOT original STREQUAL mirrored_twice)
  message(FATAL_ERROR "a picture mirrored twice is not the picture")
endif()

expect(2 "usage: images")
expect(1 "absent.png" out absent.png)
file(WRITE ${WORK_DIR}/text.png "not a picture")
expect(1 "text.png" out text.png)
