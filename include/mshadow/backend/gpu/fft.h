// SPDX-License-Identifier: Apache-2.0
// RunFft: transforms of lines in the memory of a CUDA device, by cuFFT.
#ifndef MSHADOW_BACKEND_GPU_FFT_H_
#define MSHADOW_BACKEND_GPU_FFT_H_

#include "../../core/config.h"

/// 1: Fourier transforms of Tensor<gpu>, and the program links cuFFT. Set by mshadow::cufft of
/// CMake, or by users, who include <mshadow/fft.h> in files of nvcc then.
#if !MSHADOW_USE_CUDA
#undef MSHADOW_USE_CUFFT
#endif
#ifndef MSHADOW_USE_CUFFT
#define MSHADOW_USE_CUFFT 0
#endif

#if MSHADOW_USE_CUFFT

#include <cufft.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "device.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// Throws Error with the call where `status` is not success.
inline void CheckFft(cufftResult status, const char* call) {
  if (MSHADOW_LIKELY(status == CUFFT_SUCCESS)) return;
  const bool is_memory = status == CUFFT_ALLOC_FAILED;
  throw Error(std::string("cuFFT: ") + call + " failed with code " + std::to_string(status) +
              (is_memory ? ", out of memory" : ""));
}

/// What a plan of cuFFT depends on, and the memory that it works in: another stream may not use it.
struct FftKey {
  long long n, in_step, in_distance, out_step, out_distance, count, type, device;  // NOLINT
  cudaStream_t stream;
  bool operator==(const FftKey& other) const {
    return n == other.n && in_step == other.in_step && in_distance == other.in_distance &&
           out_step == other.out_step && out_distance == other.out_distance &&
           count == other.count && type == other.type && device == other.device &&
           stream == other.stream;
  }
};
class FftPlan {
 public:
  explicit FftPlan(const FftKey& key) : key_(key) {
    CheckFft(cufftCreate(&plan_), "cufftCreate");
    FftKey k = key;
    std::size_t bytes = 0;
    cufftResult status =
        cufftMakePlanMany64(plan_, 1, &k.n, &k.n, k.in_step, k.in_distance, &k.n, k.out_step,
                            k.out_distance, static_cast<cufftType>(k.type), k.count, &bytes);
    const char* call = "cufftMakePlanMany64";
    if (status == CUFFT_SUCCESS) {
      status = cufftSetStream(plan_, key.stream);
      call = "cufftSetStream";
    }
    if (status != CUFFT_SUCCESS) static_cast<void>(cufftDestroy(plan_));
    CheckFft(status, call);
  }
  ~FftPlan() { static_cast<void>(cufftDestroy(plan_)); }
  FftPlan(const FftPlan&) = delete;
  FftPlan& operator=(const FftPlan&) = delete;
  const FftKey& key() const { return key_; }
  cufftHandle plan() const { return plan_; }

 private:
  FftKey key_;
  cufftHandle plan_ = 0;
};
/// The plan of this key. Each thread keeps its last 16: cuFFT lets no two threads run one plan.
inline cufftHandle FftPlanOf(const FftKey& key) {
  constexpr std::size_t kKept = 16;
  thread_local std::vector<std::unique_ptr<FftPlan>> plans;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!(plans[i]->key() == key)) continue;
    auto plan = std::move(plans[i]);
    plans.erase(plans.begin() + static_cast<std::ptrdiff_t>(i));
    plans.push_back(std::move(plan));
    return plans.back()->plan();
  }
  auto plan = std::make_unique<FftPlan>(key);
  if (plans.size() == kKept) plans.erase(plans.begin());
  plans.push_back(std::move(plan));
  return plans.back()->plan();
}

/// Runs a batch (fft/device_lines.h) on the stream. Pointers are aligned to complex numbers.
template <typename T, typename Batch>
inline void RunFft(const Batch& batch, const void* in, void* out, Stream<gpu>* stream) {
  constexpr bool kIsFloat = std::is_same_v<T, float>;
  using Real = std::conditional_t<kIsFloat, cufftReal, cufftDoubleReal>;
  using Complex = std::conditional_t<kIsFloat, cufftComplex, cufftDoubleComplex>;
  int device = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  FftKey key{batch.n,
             batch.in_step,
             batch.in_distance,
             batch.out_step,
             batch.out_distance,
             batch.count,
             0,
             device,
             Stream<gpu>::GetStream(stream)};
  if (batch.kind == Batch::kFromReal) {
    key.type = kIsFloat ? CUFFT_R2C : CUFFT_D2Z;
  } else if (batch.kind == Batch::kToReal) {
    key.type = kIsFloat ? CUFFT_C2R : CUFFT_Z2D;
  } else {
    key.type = kIsFloat ? CUFFT_C2C : CUFFT_Z2Z;
  }
  const cufftHandle plan = FftPlanOf(key);
  // cuFFT reads what is not const.
  void* const from = const_cast<void*>(in);
  cufftResult status;
  if (batch.kind == Batch::kFromReal) {
    if constexpr (kIsFloat) {
      status = cufftExecR2C(plan, static_cast<Real*>(from), static_cast<Complex*>(out));
    } else {
      status = cufftExecD2Z(plan, static_cast<Real*>(from), static_cast<Complex*>(out));
    }
  } else if (batch.kind == Batch::kToReal) {
    if constexpr (kIsFloat) {
      status = cufftExecC2R(plan, static_cast<Complex*>(from), static_cast<Real*>(out));
    } else {
      status = cufftExecZ2D(plan, static_cast<Complex*>(from), static_cast<Real*>(out));
    }
  } else {
    const int direction = batch.kind == Batch::kForward ? CUFFT_FORWARD : CUFFT_INVERSE;
    if constexpr (kIsFloat) {
      status =
          cufftExecC2C(plan, static_cast<Complex*>(from), static_cast<Complex*>(out), direction);
    } else {
      status =
          cufftExecZ2Z(plan, static_cast<Complex*>(from), static_cast<Complex*>(out), direction);
    }
  }
  CheckFft(status, "cufftExec");
}

}  // namespace cuda
MSHADOW_NAMESPACE_END

#endif  // MSHADOW_USE_CUFFT
#endif  // MSHADOW_BACKEND_GPU_FFT_H_
