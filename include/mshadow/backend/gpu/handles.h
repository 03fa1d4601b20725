// SPDX-License-Identifier: Apache-2.0
// The cuSOLVER and cuDNN handles of a stream, for code that calls those libraries itself, as
// solver.h calls cuSOLVER. MSHADOW_USE_CUSOLVER=1 and MSHADOW_USE_CUDNN=1 bring what each needs.
#ifndef MSHADOW_BACKEND_GPU_HANDLES_H_
#define MSHADOW_BACKEND_GPU_HANDLES_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA

#include "device.h"
#if MSHADOW_USE_CUSOLVER
#include <cusolverDn.h>
#endif
#if MSHADOW_USE_CUDNN
#include <cudnn.h>
#endif

MSHADOW_NAMESPACE_BEGIN

#if MSHADOW_USE_CUSOLVER
inline void Stream<gpu>::DestroySolverHandle() {
  if (solver_handle_ownership_ == OwnHandle) static_cast<void>(cusolverDnDestroy(solver_handle_));
  solver_handle_ = nullptr;
  solver_handle_ownership_ = NoHandle;
  destroy_solver_ = nullptr;
}
inline void Stream<gpu>::CreateSolverHandle() {
  DestroySolverHandle();
  MSHADOW_CHECK_EQ(cusolverDnCreate(&solver_handle_), CUSOLVER_STATUS_SUCCESS)
      << "cuSOLVER: cusolverDnCreate failed";
  solver_handle_ownership_ = OwnHandle;
  destroy_solver_ = [](Stream<gpu>* stream) { stream->DestroySolverHandle(); };
  MSHADOW_CHECK_EQ(cusolverDnSetStream(solver_handle_, stream_), CUSOLVER_STATUS_SUCCESS)
      << "cuSOLVER: cusolverDnSetStream failed";
}
inline cusolverDnHandle_t Stream<gpu>::GetSolverHandle(Stream<gpu>* stream) {
  if (stream == nullptr) return nullptr;
  if (stream->solver_handle_ == nullptr) stream->CreateSolverHandle();
  return stream->solver_handle_;
}
#endif

#if MSHADOW_USE_CUDNN
inline void Stream<gpu>::DestroyDnnHandle() {
  if (dnn_handle_ownership_ == OwnHandle) static_cast<void>(cudnnDestroy(dnn_handle_));
  dnn_handle_ = nullptr;
  dnn_handle_ownership_ = NoHandle;
  destroy_dnn_ = nullptr;
}
inline void Stream<gpu>::CreateDnnHandle() {
  DestroyDnnHandle();
  MSHADOW_CHECK_EQ(cudnnCreate(&dnn_handle_), CUDNN_STATUS_SUCCESS) << "cuDNN: cudnnCreate failed";
  dnn_handle_ownership_ = OwnHandle;
  destroy_dnn_ = [](Stream<gpu>* stream) { stream->DestroyDnnHandle(); };
  MSHADOW_CHECK_EQ(cudnnSetStream(dnn_handle_, stream_), CUDNN_STATUS_SUCCESS)
      << "cuDNN: cudnnSetStream failed";
}
inline cudnnHandle_t Stream<gpu>::GetDnnHandle(Stream<gpu>* stream) {
  if (stream == nullptr) return nullptr;
  if (stream->dnn_handle_ == nullptr) stream->CreateDnnHandle();
  return stream->dnn_handle_;
}
#endif

MSHADOW_NAMESPACE_END

#endif  // MSHADOW_USE_CUDA
#endif  // MSHADOW_BACKEND_GPU_HANDLES_H_
