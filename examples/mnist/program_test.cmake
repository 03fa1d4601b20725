# SPDX-License-Identifier: Apache-2.0
# Runs the program as a user would, on few digits that it draws itself.
#   cmake -DMNIST=build/mnist -DBLAS=ON -DWORK_DIR=/tmp/mnist_test -P program_test.cmake
# BLAS: are large products those of a BLAS, whose last bits may depend on the number of threads?
cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

# expect(<exit status> <regex of all output> <argument> ...): sets `output`.
function(expect status regex)
  execute_process(COMMAND ${MNIST} ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL status OR NOT text MATCHES "${regex}")
    message(FATAL_ERROR "mnist ${ARGN}\nexpected status ${status} and '${regex}', "
      "got status ${result} and\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

# ---- Mistakes ----
expect(0 "usage: mnist" --help)
expect(2 "unknown option '--frobnicate'.*usage: mnist" --frobnicate)
expect(2 "--epochs needs a value.*usage: mnist" --epochs)
expect(2 "--epochs needs a whole number from 1 to 10000, not 'ten'" --epochs=ten)
expect(2 "--lr needs a number above zero, not '-1'" --lr -1)
expect(2 "--device is cpu or gpu, not 'tpu'" --device tpu)
expect(1 "absent: is no directory" --data absent)
expect(1 "holds neither train-images" --data ${WORK_DIR})
expect(1 "absent.model: cannot be opened" --resume --model absent.model --digits 10)
expect(1 "no_such_folder/a.model.*cannot be opened" --model no_such_folder/a.model --digits 10)

# ---- Training: it learns, and does the same on another number of threads ----
set(few --digits 1500 --batch 32 --seed 7)
set(last_line "\ntest accuracy: [0-9.]+ %\n$")
expect(0 "test accuracy: (9[0-9]|100)[0-9.]+ %\n$" ${few} --epochs 3 --model whole.model)
string(REGEX MATCH "${last_line}" whole "${output}")
expect(0 "epoch  3/3.*test accuracy: (9[0-9]|100)[0-9.]+ %\n$"
  ${few} --epochs 3 --model other.model --threads 1)
string(REGEX MATCH "${last_line}" single "${output}")
if(NOT BLAS)
  file(SHA256 ${WORK_DIR}/whole.model whole_model)
  file(SHA256 ${WORK_DIR}/other.model single_model)
  if(NOT whole STREQUAL single OR NOT whole_model STREQUAL single_model)
    message(FATAL_ERROR "the number of threads changed the result:${whole}${single}")
  endif()
endif()
expect(0 "resumed whole.model after epoch 3.*nothing left to train.*${last_line}"
  ${few} --epochs 3 --model whole.model --resume)
expect(1 "whole.model: was trained with --seed 7" --digits 10 --model whole.model --resume)

# ---- A damaged model ----
file(WRITE ${WORK_DIR}/text.model "this is not a model, it is a line of text and nothing else\n")
expect(1 "text.model: is not a model of this program" --digits 10 --model text.model --resume)
