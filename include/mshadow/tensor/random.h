// SPDX-License-Identifier: Apache-2.0
// Random<Device, DType>: what random numbers are asked of. Back ends specialise it.
//
// Under one seed the n-th call that samples gives element i of its tensor a value that depends on
// (seed, n, i) alone: not on threads, instruction set, padding, or device.
#ifndef MSHADOW_TENSOR_RANDOM_H_
#define MSHADOW_TENSOR_RANDOM_H_

#include "../core/device.h"
#include "../core/fwd.h"
#include "../core/host_engine.h"
#include "../core/logging.h"
#include "../core/shape.h"

MSHADOW_NAMESPACE_BEGIN

namespace expr {
template <typename SrcExp, typename DType, int dimdst, int dimsrc>
struct ReshapeExp;
}  // namespace expr

/// Name that code written for 2.x uses; buffers here grow as needed.
const unsigned kRandBufferSize = 1000000;

/// The generator of a device that this program was compiled without: it can be named, so that
/// programs templated on the device compile, and its constructor throws Error.
/// random_base.h documents the members.
template <typename Device, typename DType MSHADOW_DEFAULT_DTYPE>
class Random {
 public:
  explicit Random(int) { Fail(); }
  void Seed(int) { Fail(); }
  unsigned GetSeed() const { Fail(); }
  void set_stream(Stream<Device>*) { Fail(); }
#define MSHADOW_SAMPLE_(name)                              \
  template <int dim, typename... Args>                     \
  void name(Tensor<Device, dim, DType>*, const Args&...) { \
    Fail();                                                \
  }
  MSHADOW_SAMPLE_(SampleUniform)
  MSHADOW_SAMPLE_(SampleGaussian)
  MSHADOW_SAMPLE_(SampleBernoulli)
  MSHADOW_SAMPLE_(SampleGamma)
  MSHADOW_SAMPLE_(SampleExponential)
  MSHADOW_SAMPLE_(SamplePoisson)
  MSHADOW_SAMPLE_(SampleNegativeBinomial)
  MSHADOW_SAMPLE_(SampleGeneralizedNegativeBinomial)
  MSHADOW_SAMPLE_(SampleBeta)
  MSHADOW_SAMPLE_(SampleBinomial)
  MSHADOW_SAMPLE_(SampleMultinomial)
  MSHADOW_SAMPLE_(SampleCategorical)
  MSHADOW_SAMPLE_(SampleTruncatedGaussian)
  MSHADOW_SAMPLE_(SampleDistribution)
#undef MSHADOW_SAMPLE_
  unsigned GetRandInt() { Fail(); }
  void GetRandInt(const Tensor<Device, 1, unsigned>&) { Fail(); }
  HostEngine& GetRndEngine() { Fail(); }
  template <int dim>
  expr::ReshapeExp<Tensor<Device, 1, DType>, DType, dim, 1> uniform(Shape<dim>) {
    Fail();
  }
  template <int dim, typename... Args>
  expr::ReshapeExp<Tensor<Device, 1, DType>, DType, dim, 1> gaussian(Shape<dim>, const Args&...) {
    Fail();
  }
  template <int dim>
  expr::ReshapeExp<Tensor<Device, 1, DType>, DType, dim, 1> bernoulli(Shape<dim>, double) {
    Fail();
  }

 private:
  [[noreturn]] static void Fail() {
    throw Error(
        "Random: this file was built without CUDA; Random<gpu> needs nvcc and "
        "MSHADOW_USE_CUDA=1");
  }
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_RANDOM_H_
