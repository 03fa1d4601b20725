// SPDX-License-Identifier: Apache-2.0
// What tensor.h of mshadow 2.x brought under nvcc: macros and constants of kernels, the headers of
// CUDA's libraries. No GPU is needed: what a call returns without one is an error too.
#ifndef MSHADOW_2X
#define MSHADOW_2X 1
#endif
#include <mshadow/tensor.h>

namespace old_kernels {

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT

// By the name alone, as in kernels of 2015: CUDA's own headers have a namespace ::cuda today.
using mshadow::cuda::kBaseThreadBits;
using mshadow::cuda::kBaseThreadNum;
static_assert(kBaseThreadBits == 8 && kBaseThreadNum == 256, "");
static_assert(mshadow::cuda::kMemUnitBits == 5 && mshadow::cuda::kMemUnit == 32 &&
                  mshadow::cuda::kMemUnitMask == 31 &&
                  mshadow::cuda::kMaxThreadsPerBlock == 1024 &&
                  mshadow::cuda::kMaxGridNum == 65535 && mshadow::cuda::kMaxGridDim == 65535 &&
                  mshadow::cuda::kBaseGridNum == 1024,
              "");

/// The types of the libraries, by name alone.
struct Handles {
  cublasHandle_t blas = nullptr;
  curandGenerator_t random = nullptr;
  curandStatus_t status = CURAND_STATUS_SUCCESS;
#if MSHADOW_USE_CUSOLVER
  cusolverDnHandle_t solver = nullptr;
  cusolverStatus_t solver_status = CUSOLVER_STATUS_SUCCESS;
#endif
};

template <typename Reducer, typename DType>
__global__ void RowKernel(const DType *src, DType *dst, int cols) {
  __shared__ DType buf[kBaseThreadNum];
  DType &mine = buf[threadIdx.x];
  Reducer::SetInitValue(mine);
  for (int x = static_cast<int>(threadIdx.x); x < cols; x += kBaseThreadNum) {
    Reducer::Reduce(mine, src[static_cast<int>(blockIdx.x) * cols + x]);
  }
  mshadow::cuda::Reduce1D<Reducer, kBaseThreadBits>(buf);
  if (threadIdx.x == 0) dst[blockIdx.x] = buf[0];
}

/// As an operator of 2015 launches its kernel.
template <typename Reducer, typename DType>
void Rows(const Tensor<gpu, 2, DType> &src, Tensor<gpu, 1, DType> dst) {
  const dim3 grid(static_cast<unsigned>(src.size(0))), block(kBaseThreadNum);
  mshadow::cuda::CheckLaunchParam(grid, block, "Rows");
  cudaStream_t stream = Stream<gpu>::GetStream(dst.stream_);
  RowKernel<Reducer, DType>
      <<<grid, block, 0, stream>>>(src.dptr_, dst.dptr_, static_cast<int>(src.size(1)));
  MSHADOW_CUDA_POST_KERNEL_CHECK(RowKernel);
}

}  // namespace old_kernels

namespace mshadow {
namespace op {
/// Operators of 2019 lie here, and ask for NaN by the name alone.
struct zero_for_nan {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return isnan(a) || isinf(a) ? DType(0) : a;
  }
};
}  // namespace op
namespace cuda {
/// CUDA's own functions, by the name alone.
template <typename DType>
__global__ void OldFunctions(DType *dst, const double *src, int n) {
  const int i = max(0, min(n - 1, static_cast<int>(threadIdx.x)));
  dst[i] = max(DType(0), dst[i]) + static_cast<DType>(norm(n, src));
}
template __global__ void OldFunctions<float>(float *, const double *, int);
}  // namespace cuda
}  // namespace mshadow

namespace old_kernels {

/// Statements and functions for both devices, in one file of nvcc.
template <typename xpu>
void Train(Tensor<xpu, 2> in, Tensor<xpu, 2> weight, Tensor<xpu, 1> bias, Tensor<xpu, 2> out) {
  out = dot(in, weight);
  out += repmat(bias, out.size(0));
  bias -= 0.1f * sum_rows(out);
  out = F<op::zero_for_nan>(out) * 2.0f;
  Softmax<float>(out, out);
  Copy<2, float>(out, out.Slice(0, out.size(0)), nullptr);
}

template <typename xpu>
void SoftmaxOf(void *memory, int type) {
  MSHADOW_TYPE_SWITCH(type, DType, {
    Tensor<xpu, 2, DType> t(static_cast<DType *>(memory), Shape2(0, 4));
    Softmax(t, t);
    Tensor<xpu, 2, DType> square(static_cast<DType *>(memory), Shape2(0, 0));
    square = dot(square, square);
  });
}

}  // namespace old_kernels

#include <gtest/gtest.h>

namespace old_kernels {

template <typename F>
std::string ErrorOf(const F &f) {
  try {
    f();
  } catch (const dmlc::Error &error) {
    return error.what();
  }
  return "";
}

TEST(OldKernels, Macros) {
  const std::string call = ErrorOf([] { MSHADOW_CUDA_CALL(cudaSetDevice(9999)) });
  EXPECT_NE(call.find("cudaSetDevice(9999)"), std::string::npos) << call;
  MSHADOW_CUDA_CALL(cudaSuccess);
  MSHADOW_CATCH_ERROR([] { MSHADOW_CUDA_CALL(cudaSetDevice(9999)) }())
  const std::string launch = ErrorOf([] {
    RowKernel<red::sum, float><<<1, 99999>>>(nullptr, nullptr, 0);
    MSHADOW_CUDA_POST_KERNEL_CHECK(RowKernel);
  });
  EXPECT_NE(launch.find("RowKernel"), std::string::npos) << launch;
  const Handles handles;
  EXPECT_EQ(handles.blas, nullptr);
  EXPECT_EQ(handles.random, nullptr);
}

TEST(OldKernels, StatementsOnTheHost) {
  TensorContainer<cpu, 2> in(Shape2(2, 2), 1.0f), weight(Shape2(2, 4), 1.0f), out(Shape2(2, 4));
  TensorContainer<cpu, 1> bias(Shape1(4), 3.0f);
  Train<cpu>(in, weight, bias, out);
  for (index_t x = 0; x < 4; ++x) {
    EXPECT_FLOAT_EQ(bias[x], 2.0f);  // 3 - 0.1 * (5 + 5)
    EXPECT_FLOAT_EQ(out[1][x], 0.25f);
  }
}

// Compiled for the device, whether or not there is one.
template void Train<gpu>(Tensor<gpu, 2>, Tensor<gpu, 2>, Tensor<gpu, 1>, Tensor<gpu, 2>);
template void SoftmaxOf<gpu>(void *, int);
template void Rows<red::sum, float>(const Tensor<gpu, 2, float> &, Tensor<gpu, 1, float>);

TEST(OldKernels, IntegersThrow) {
  for (const int type : {kUint8, kInt8, kInt32, kInt64}) {
    const std::string error = ErrorOf([&] { SoftmaxOf<gpu>(nullptr, type); });
    EXPECT_NE(error.find("Softmax gives fractions"), std::string::npos) << error;
  }
}

}  // namespace old_kernels
