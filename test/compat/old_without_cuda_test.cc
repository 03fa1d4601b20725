// SPDX-License-Identifier: Apache-2.0
// Programs templated on the device, both halves instantiated in a file of the host compiler: they
// compile and link without CUDA, and what they do on a gpu throws when it runs.
#include <mshadow/tensor.h>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "compat/values.h"

namespace old_without_cuda {

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT
using mshadow::testing::V;
using mshadow::testing::Values;

/// A layer as programs of 2015 wrote it, with a container as a member.
template <typename xpu>
class Layer {
 public:
  explicit Layer(Stream<xpu>* stream) : stream_(stream), weight_(false), bias_(false) {
    weight_.set_stream(stream);
    bias_.set_stream(stream);
  }
  virtual ~Layer() {}
  void Init(const Shape<2>& shape) {
    weight_.Resize(shape, 0.5f);
    bias_.Resize(Shape1(shape[1]), 1.0f);
  }
  void Forward(const Tensor<xpu, 2>& in, Tensor<xpu, 2> out) {
    out = dot(in, weight_);
    out += repmat(bias_, out.size(0));
    stream_->Wait();
  }

 private:
  Stream<xpu>* stream_;
  TensorContainer<xpu, 2> weight_;
  TensorContainer<xpu, 1> bias_;
};

TEST(OldWithoutCuda, ALayerForEitherDevice) {
  Stream<cpu>* const stream = NewStream<cpu>();
  Layer<cpu> layer(stream);
  layer.Init(Shape2(2, 3));
  TensorContainer<cpu, 2> in(Shape2(2, 2), 2.0f), out(Shape2(2, 3));
  layer.Forward(in, out);
  EXPECT_EQ(Values(out), V(6, 3));
  DeleteStream(stream);
}

// Under nvcc these are kernels; there is nothing to run them on.
template class Layer<gpu>;

#if !MSHADOW_USE_CUDA

TEST(OldWithoutCuda, ALayerOnAGpuThrows) {
  Layer<gpu> layer(nullptr);
  EXPECT_THROW(layer.Init(Shape2(2, 3)), mshadow::Error);
  EXPECT_THROW(layer.Forward(Tensor<gpu, 2>(Shape2(2, 2)), Tensor<gpu, 2>(Shape2(2, 3))),
               mshadow::Error);
}

template <typename F>
void ExpectThrows(const char* what, const F& f) {
  try {
    f();
    ADD_FAILURE() << what << " did not throw";
  } catch (const mshadow::Error& error) {
    EXPECT_NE(std::string(error.what()).find("built without CUDA"), std::string::npos)
        << what << ": " << error.what();
  }
}
#define EXPECT_WITHOUT_CUDA(...) ExpectThrows(#__VA_ARGS__, [&] { __VA_ARGS__; })

TEST(OldWithoutCuda, Streams) {
  Stream<gpu> s;  // the default stream of 2.x
  EXPECT_EQ(s.stream_, nullptr);
  EXPECT_WITHOUT_CUDA(s.Wait());
  EXPECT_WITHOUT_CUDA(s.CheckIdle());
  EXPECT_WITHOUT_CUDA(s.CreateBlasHandle());
  EXPECT_WITHOUT_CUDA(s.DestroyBlasHandle());
  EXPECT_WITHOUT_CUDA(s.CreateSolverHandle());
  EXPECT_WITHOUT_CUDA(s.DestroySolverHandle());
  EXPECT_WITHOUT_CUDA(s.CreateDnnHandle());
  EXPECT_WITHOUT_CUDA(s.DestroyDnnHandle());
  EXPECT_WITHOUT_CUDA(Stream<gpu>::GetStream(&s));
  EXPECT_WITHOUT_CUDA(Stream<gpu>::GetBlasHandle(&s));
  EXPECT_WITHOUT_CUDA(Stream<gpu>::GetSolverHandle(&s));
  EXPECT_WITHOUT_CUDA(Stream<gpu>::GetDnnHandle(&s));
  EXPECT_WITHOUT_CUDA(NewStream<gpu>());
  EXPECT_WITHOUT_CUDA(NewStream<gpu>(0));
  EXPECT_WITHOUT_CUDA(NewStream<gpu>(true, false, 0));
  EXPECT_WITHOUT_CUDA(DeleteStream(&s));
  EXPECT_WITHOUT_CUDA(InitTensorEngine<gpu>());
  EXPECT_WITHOUT_CUDA(SetDevice<gpu>(0));
  ShutdownTensorEngine<gpu>();
  DeleteStream<gpu>(NULL);
}

TEST(OldWithoutCuda, Memory) {
  Tensor<gpu, 2> t(Shape2(2, 3));
  TensorContainer<cpu, 2> host(Shape2(2, 3), 1.0f);
  EXPECT_WITHOUT_CUDA(AllocSpace(&t));
  EXPECT_WITHOUT_CUDA(AllocSpace(&t, false));
  EXPECT_EQ(t.dptr_, nullptr);
  FreeSpace(&t);
  EXPECT_WITHOUT_CUDA(NewTensor<gpu>(Shape2(2, 3), 0.0f));
  EXPECT_WITHOUT_CUDA(Copy(t, host));
  EXPECT_WITHOUT_CUDA(Copy(host, t, nullptr));
  EXPECT_WITHOUT_CUDA(Copy(t, t, t.stream_));
  EXPECT_WITHOUT_CUDA(AllocHost<gpu>(&static_cast<Tensor<cpu, 2>&>(host)));
  TensorContainer<gpu, 2> c;
  EXPECT_WITHOUT_CUDA(c.Resize(Shape2(2, 3)));
  EXPECT_WITHOUT_CUDA((TensorContainer<gpu, 2>(Shape2(2, 3))));
  EXPECT_WITHOUT_CUDA((TensorContainer<gpu, 2>(Shape2(2, 3), 0.0f)));
  EXPECT_WITHOUT_CUDA((Random<gpu>(0)));
  EXPECT_EQ(Values(host), V(6, 1));
}

// On a view of host memory, which nothing may write.
template <typename DType>
void Statements() {
  DType memory[24] = {};
  Tensor<gpu, 2, DType> a(memory, Shape2(2, 3)), b(memory, Shape2(2, 3)), c(memory, Shape2(3, 3));
  Tensor<gpu, 1, DType> v(memory, Shape1(3)), w(memory, Shape1(2)), one(memory, Shape1(1));
  Tensor<gpu, 3, DType> x(memory, Shape3(2, 3, 4));
  Tensor<gpu, 4, DType> i(memory, Shape4(1, 2, 3, 4)), small(memory, Shape4(1, 2, 2, 3));
  EXPECT_WITHOUT_CUDA(a = DType(1));
  EXPECT_WITHOUT_CUDA(a = b * DType(2) + b);
  EXPECT_WITHOUT_CUDA(a += F<op::identity>(b));
  EXPECT_WITHOUT_CUDA(c = dot(a.T(), b));
  EXPECT_WITHOUT_CUDA(w = dot(v, a.T()));
  EXPECT_WITHOUT_CUDA(c += dot(v.T(), v));
  EXPECT_WITHOUT_CUDA(v = sum_rows(a));
  EXPECT_WITHOUT_CUDA(v = sumall_except_dim<1>(x));
  EXPECT_WITHOUT_CUDA(w = (reduce_with_axis<red::maximum, false>(a, 1)));
  EXPECT_WITHOUT_CUDA(small = pool<red::maximum>(i, 2, 2, 1, 1));
  EXPECT_WITHOUT_CUDA(slice<1>(a, 0, 2) = slice<1>(b, 1, 3));
  EXPECT_WITHOUT_CUDA(a = reshape(b, a.shape_));
  EXPECT_WITHOUT_CUDA(a = take(w, b));
  EXPECT_WITHOUT_CUDA(a = repmat(v, 2));
  if (!std::is_integral<DType>::value) {  // of integers these throw on every device
    EXPECT_WITHOUT_CUDA(Softmax(a, b));
    EXPECT_WITHOUT_CUDA(Softmax(v, v));
    EXPECT_WITHOUT_CUDA(Softmax(x, x));
    EXPECT_WITHOUT_CUDA(SmoothSoftmaxGrad(a, b, w, 0.1f));
  }
  EXPECT_WITHOUT_CUDA(SoftmaxGrad(a, b, w));
  EXPECT_WITHOUT_CUDA(AddTakeGrad(a, w, b));
  EXPECT_WITHOUT_CUDA(AddTakeGradLargeBatch(a, w, w, b));
  EXPECT_WITHOUT_CUDA(IndexFill(a, w, b));
  EXPECT_WITHOUT_CUDA(SortByKey(v, v));
  EXPECT_WITHOUT_CUDA(VectorizedSort(v, v));
  EXPECT_WITHOUT_CUDA(VectorDot(one, v, v));
  EXPECT_WITHOUT_CUDA((BatchGEMM<false, true>(
      Tensor<gpu, 3, DType>(memory, Shape3(2, 3, 3)), x, x, DType(1), DType(0),
      Tensor<gpu, 1, DType*>(nullptr, Shape1(0)))));
  EXPECT_WITHOUT_CUDA((BLASEngine<gpu, DType>::dot(nullptr, 3, memory, 1, memory, 1, memory)));
  DType* at[1];
  EXPECT_WITHOUT_CUDA(GetBatchedView(at, memory, 1, 1, static_cast<Stream<gpu>*>(NULL)));
  EXPECT_WITHOUT_CUDA(MapExp<sv::saveto>(&a, b + DType(1)));
  for (const DType& element : memory) EXPECT_EQ(static_cast<float>(element), 0.0f);
}

TEST(OldWithoutCuda, Statements) {
  Statements<float>();
  Statements<int32_t>();
}

// The tag names what the file was built with: symbols of such files are not those of nvcc's.
TEST(OldWithoutCuda, HasSymbolsOfItsOwn) {
  const auto name = [](auto* device) {
    (void)device;
    return std::string(__PRETTY_FUNCTION__);
  };
  EXPECT_NE(name(static_cast<gpu*>(nullptr)).find("without_cuda"), std::string::npos);
}

#endif  // !MSHADOW_USE_CUDA

}  // namespace old_without_cuda
