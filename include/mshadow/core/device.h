// SPDX-License-Identifier: Apache-2.0
// The device tags, and the contract between the layers: what low layers call and a back end
// defines.
#ifndef MSHADOW_CORE_DEVICE_H_
#define MSHADOW_CORE_DEVICE_H_

#include "config.h"

MSHADOW_NAMESPACE_BEGIN

/// The host processor.
struct cpu {
  static constexpr bool kDevCPU = true;
  static constexpr int kDevMask = 1 << 0;
};
#if !MSHADOW_USE_CUDA
// Without CUDA, what is done on a gpu throws Error (backend/gpu/without_cuda.h). This gpu has a
// symbol of its own, so that the linker never takes that code for code of nvcc's files.
inline namespace without_cuda {
#endif
/// A CUDA device.
struct gpu {
  static constexpr bool kDevCPU = false;
  static constexpr int kDevMask = 1 << 1;
};
#if !MSHADOW_USE_CUDA
}  // namespace without_cuda
#endif

/// The order in which work on a device runs.
/// A back end defines Wait(), CheckIdle(), CreateBlasHandle() and what the device needs beyond.
template <typename Device>
struct Stream;

/// Memory and life-cycle of a device. A back end specialises it with
///   Init(int id), Shutdown(), SetDevice(int id)
///   Stream<Device>* NewStream(bool blas, bool dnn, int id), DeleteStream(Stream<Device>*)
///   void* AllocPitch(size_t* pitch_bytes, size_t row_bytes, size_t rows, bool pad), Free(void*)
///   kMinPaddedCols: shorter rows are not padded
///   void* AllocTemporary(size_t bytes, Stream<Device>*), FreeTemporary(void*, Stream<Device>*)
///     memory for work on that stream alone
///   void* AllocHost(size_t bytes), FreeHost(void*)       host memory that copies fast
///   Copy2D(dst, dst_pitch, src, src_pitch, row_bytes, rows, Stream<Device>*)
template <typename Device>
struct DeviceApi;

/// Evaluates plans. A back end specialises it with
///   Map<Saver, DType>(dst_plan, plan, Shape<2> shape, Stream<Device>*)
///   MapFused(Shape<2> shape, Stream<Device>*, statements...)      of devices other than the CPU
///     each an expr::LazyAssignment::Planned; in all of them element (y, x) reads or writes nothing
///     that another element writes
///   bool MapRows<Saver, DType>(dst, exp, memory)     optional, of devices other than the CPU
///     dst Saver= exp together with the reductions of rows in exp; false: nothing is done
template <typename Device>
struct Executor;

/// Reduces plans to one axis, row 0 of dst_plan. A back end specialises it with
///   KeepLowest<Saver, Reducer, DType>(dst_plan, plan, Shape<2> y_x, DType scale, Stream<Device>*)
///     dst[x] Saver= scale * reduction of plan(y, x) over y
///   KeepHighDim<Saver, Reducer, DType>(dst_plan, plan, Shape<4> n_c_y_x, DType scale,
///                                      Stream<Device>*)
///     dst[c] Saver= scale * reduction of plan((n * C + c) * Y + y, x) over n, y, x
/// An extent of 0 gives the reducer's initial value.
template <typename Device>
struct ReduceExecutor;

/// Reductions by name of groups of axes (expr/axis_groups.h), by a Kind of op/statistic.h. What
/// holds for every device is in expr/statistic_engine.h; a back end may specialise it with
///   Axes<Saver, Kind, rows, one_axis>(dst_plan, cols, plan, groups, Stream<Device>*)
///     dst(y, x) Saver= result y * cols + x; rows: the last axes are reduced. one_axis:
///     rows: the last one alone; otherwise neighbouring axes
///   Kind::Out Value<Kind, one_axis>(plan, groups, Stream<Device>*)
///     the reduction of all elements; one_axis: of an operand of one axis
template <typename Device>
struct StatisticExecutor;

/// Matrix products on raw row-major memory. A back end specialises it with
///   Gemm, Gemv, Ger, Dot, BatchGemm as backend/cpu/blas.h documents them.
template <typename Device>
struct Blas;

namespace detail {
/// False for every type: a static_assert that fires only in instantiation.
template <typename...>
struct Never {
  static constexpr bool value = false;
};
}  // namespace detail

/// Sets up `Device` number `device_id` for the calling thread.
template <typename Device>
inline void InitTensorEngine(int device_id = 0) {
  DeviceApi<Device>::Init(device_id);
}
template <typename Device>
inline void ShutdownTensorEngine() {
  DeviceApi<Device>::Shutdown();
}
/// Makes device number `device_id` the one that the calling thread uses.
template <typename Device>
inline void SetDevice(int device_id) {
  DeviceApi<Device>::SetDevice(device_id);
}
/// A new stream, with a BLAS and a cuDNN handle where asked for. Give it back with DeleteStream.
template <typename Device>
inline Stream<Device>* NewStream(bool create_blas_handle, bool create_dnn_handle,
                                 int dev_id = -1) {
  return DeviceApi<Device>::NewStream(create_blas_handle, create_dnn_handle, dev_id);
}
template <typename Device>
inline Stream<Device>* NewStream(int dev_id = -1) {
  return DeviceApi<Device>::NewStream(true, false, dev_id);
}
template <typename Device>
inline void DeleteStream(Stream<Device>* stream) {
  DeviceApi<Device>::DeleteStream(stream);
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_DEVICE_H_
