// SPDX-License-Identifier: Apache-2.0
// Linear algebra, with NumPy's names: systems, factorisations, eigenvalues, singular values.
//
//   x = solve(A, b) + c;                 // A (.., n, n): leading axes are a batch
//   auto f = lu(A);                      // f.solve(b), f.det(): solves again, without A
//   auto [values, vectors] = eigh(A);
//
// Functions return a TensorContainer, which statements use without a copy. Elements are float,
// double or std::complex of them, on the CPU; matrices above 8 x 8 go to LAPACK where
// MSHADOW_USE_LAPACK is 1. Under nvcc with MSHADOW_USE_CUSOLVER=1 most functions take Tensor<gpu>.
//
// See guide/linalg.md.
#ifndef MSHADOW_LINALG_H_
#define MSHADOW_LINALG_H_

#include "core/letters_begin.inc"

#include "linalg/factors.h"
#include "linalg/functions.h"
#include "linalg/shapes.h"
#if defined(__CUDACC__) && MSHADOW_USE_CUSOLVER
#include "linalg/gpu.h"
#endif

#include "core/letters_end.inc"
#endif  // MSHADOW_LINALG_H_
