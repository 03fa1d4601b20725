# SPDX-License-Identifier: Apache-2.0
# Runs the program as a user would, on few digits that it draws itself.
#   cmake -DMNIST=build/mnist -DBLAS=ON -DWORK_DIR=/tmp/mnist_test -P program_test.cmake
# BLAS: are large products those of a BLAS, whose last bits may depend on the number of threads?
# MPIRUN: starts ranks, where the program has MPI; else empty.
cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

# expect(<exit status> <regex of all output> <argument> ...): sets `output`. `before` comes before
# the program.
function(expect status regex)
  execute_process(COMMAND ${before} ${MNIST} ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
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
expect(2 "--dist is local, mpi or nccl, not 'tcp'" --dist tcp)
expect(2 "--ranks needs --dist local or nccl" --ranks 2)
expect(2 "--dist nccl needs --device gpu" --dist nccl)
expect(1 "absent: is no directory" --data absent)
expect(1 "holds neither train-images" --data ${WORK_DIR})
expect(1 "absent.model: cannot be opened" --resume --model absent.model --digits 10)
expect(1 "no_such_folder/a.model.*cannot write" --model no_such_folder/a.model --digits 10)

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

# ---- A BLAS that is not used ----
if(BLAS)
  set(before ${CMAKE_COMMAND} -E env MSHADOW_BLAS=builtin)
  expect(0 "products by the builtin kernels.*MSHADOW_BLAS.*accuracy: (9[0-9]|100)[0-9.]+ %\n$"
    ${few} --epochs 3 --model builtin.model)
  set(before "")
endif()

# ---- A damaged model ----
file(WRITE ${WORK_DIR}/text.model "this is not a model, it is a line of text and nothing else\n")
expect(1 "text.model: is not a model of this program" --digits 10 --model text.model --resume)

# ---- Several ranks ----
# expect_same_file(<what it would mean> <file> <file>)
function(expect_same_file what a b)
  file(SHA256 ${WORK_DIR}/${a} hash_a)
  file(SHA256 ${WORK_DIR}/${b} hash_b)
  if(NOT hash_a STREQUAL hash_b)
    message(FATAL_ERROR "${what}: ${a} and ${b} differ")
  endif()
endfunction()

set(two ${few} --epochs 3 --dist local --ranks 2)
set(learned "epoch  3/3 .*test accuracy: (9[0-9]|100)[0-9.]+ %\n")
expect(0 "2 ranks .local.*${learned}" ${two} --model local.model)
string(REGEX MATCHALL "epoch" lines "${output}")
list(LENGTH lines count)
if(NOT count EQUAL 3)
  message(FATAL_ERROR "rank 0 alone prints; there are ${count} lines of epochs:\n${output}")
endif()
expect(1 "absent.model: cannot be opened" ${two} --model absent.model --resume)

# Killed after the first epoch, it goes on as if it had not been.
string(JOIN " " command "'${MNIST}'" ${two} --model killed.model)
execute_process(WORKING_DIRECTORY ${WORK_DIR} OUTPUT_QUIET ERROR_QUIET COMMAND sh -c
  "${command} >killed.txt & while ! grep -q 'epoch  1/3' killed.txt; do sleep 0.02; done; kill -9 $!")
expect(0 "2 ranks .local.*resumed killed.model after epoch [12].*${learned}"
  ${two} --model killed.model --resume)
expect_same_file("a resumed run is not the one that went through" local.model killed.model)

if(MPIRUN)
  set(ENV{OMP_NUM_THREADS} 1)
  # Open MPI's own variables for its flags --oversubscribe and --allow-run-as-root.
  set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)
  set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
  set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
  set(before ${MPIRUN} -n 2)
  expect(0 "2 ranks .mpi.*${learned}" ${few} --epochs 3 --dist mpi --model mpi.model)
  if(NOT BLAS)
    expect_same_file("the provider changed the result" local.model mpi.model)
  endif()
endif()
