// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mshadow/dlpack.h>

#include <memory>
#include <vector>

#include "error_of.h"

namespace mshadow {
namespace {

using testing::ErrorOf;
using Versioned = dlpack::DLManagedTensorVersioned;
using Unversioned = dlpack::DLManagedTensor;

template <typename DType>
class DLPackOfType : public ::testing::Test {};
using DTypes = ::testing::Types<float, double, half::half_t, bfloat::bf16_t, uint8_t, int8_t,
                                int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, bool>;
TYPED_TEST_SUITE(DLPackOfType, DTypes);

template <typename Managed, typename DType>
void CheckThereAndBack() {
  TensorContainer<cpu, 3, DType> x(Shape3(2, 3, 5));
  for (index_t i = 0; i < 30; ++i) x[i / 15][i / 5 % 3][i % 5] = static_cast<DType>(i);
  const DType* const memory = x.dptr_;
  const DLPackTensor<cpu, 3, DType> y(ToDLPack<Managed>(std::move(x)));
  EXPECT_EQ(y.tensor().dptr_, memory);
  ASSERT_EQ(y.tensor().shape_, Shape3(2, 3, 5));
  for (index_t i = 0; i < 30; ++i) {
    EXPECT_EQ(y.tensor()[i / 15][i / 5 % 3][i % 5], static_cast<DType>(i));
  }
}

TYPED_TEST(DLPackOfType, ThereAndBackWithoutACopy) {
  CheckThereAndBack<Versioned, TypeParam>();
  CheckThereAndBack<Unversioned, TypeParam>();
}

TEST(DLPack, OwnerLivesAsLongAsTheReader) {
  auto owner = std::make_shared<std::vector<float>>(4 * 8, 1.0f);
  const std::weak_ptr<std::vector<float>> watch = owner;
  const Tensor<cpu, 2> padded(owner->data(), Shape2(4, 5), 8, nullptr);
  {
    const DLPackTensor<cpu, 2> reader(ToDLPack(padded, std::move(owner)));
    EXPECT_EQ(reader.tensor().stride_, 8u);
    reader.tensor()[3][4] = 2.0f;
    EXPECT_EQ((*watch.lock())[3 * 8 + 4], 2.0f);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(DLPack, ConstIsReadOnly) {
  const float memory[6] = {1, 2, 3, 4, 5, 6};
  const Tensor<cpu, 2, const float> view(memory, Shape2(2, 3));
  Versioned* const managed = ToDLPack(view, nullptr);
  EXPECT_EQ(managed->flags, dlpack::kReadOnly);
  EXPECT_EQ(ErrorOf([&] { DLPackTensor<cpu, 2> reader(managed); }),
            "DLPackTensor: the tensor is read-only; copy it, or ask for const elements");
  const DLPackTensor<cpu, 2, const float> reader(managed);
  EXPECT_EQ(reader.tensor()[1][2], 6.0f);
}

/// What a tensor with these numbers is taken for.
template <int dim>
std::string Taken(std::vector<int64_t> shape, std::vector<int64_t> strides) {
  static float memory[1000];
  Versioned managed = Versioned();
  managed.version = {1, 3};
  managed.dl_tensor.data = memory;
  managed.dl_tensor.device = {dlpack::kDLCPU, 0};
  managed.dl_tensor.ndim = static_cast<int32_t>(shape.size());
  managed.dl_tensor.dtype = dlpack::TypeOf<float>();
  managed.dl_tensor.shape = shape.data();
  managed.dl_tensor.strides = strides.empty() ? nullptr : strides.data();
  managed.dl_tensor.byte_offset = 16;
  std::string taken;
  const std::string error = ErrorOf([&] {
    const DLPackTensor<cpu, dim> reader(&managed);
    EXPECT_EQ(reader.tensor().dptr_, memory + 4);
    taken = std::to_string(reader.tensor().stride_);
  });
  return taken.empty() ? error : taken;
}

TEST(DLPack, Strides) {
  EXPECT_EQ(Taken<2>({3, 4}, {}), "4");
  EXPECT_EQ(Taken<2>({3, 4}, {4, 1}), "4");
  EXPECT_EQ(Taken<2>({3, 4}, {7, 1}), "7");
  EXPECT_EQ(Taken<3>({2, 3, 4}, {21, 7, 1}), "7");
  EXPECT_EQ(Taken<3>({1, 3, 4}, {999, 7, 1}), "7");
  EXPECT_EQ(Taken<3>({2, 1, 4}, {9, 999, 1}), "9");
  EXPECT_EQ(Taken<2>({5, 1}, {6, 999}), "6");
  EXPECT_EQ(Taken<1>({5}, {1}), "5");
  EXPECT_EQ(Taken<1>({1}, {77}), "1");
  EXPECT_EQ(Taken<2>({0, 4}, {1, 9}), "4");
  const std::string end = " is none of rows at one distance; make it contiguous first, or take it as a View";
  EXPECT_EQ(Taken<2>({3, 4}, {1, 3}),
            "DLPackTensor: a tensor of shape (3,4) with strides (1,3)" + end);
  EXPECT_EQ(Taken<2>({3, 4}, {0, 1}),
            "View: elements of shape (3,4) with strides (0,1) share memory; such a view is read "
            "only: View<Device, dim, const T>");
  EXPECT_EQ(Taken<2>({3, 4}, {-4, 1}),
            "DLPackTensor: a tensor of shape (3,4) with strides (-4,1)" + end);
  EXPECT_EQ(Taken<3>({2, 3, 4}, {22, 7, 1}),
            "DLPackTensor: a tensor of shape (2,3,4) with strides (22,7,1)" + end);
  EXPECT_EQ(Taken<1>({5}, {2}), "DLPackTensor: a tensor of shape (5) with strides (2)" + end);
  EXPECT_EQ(Taken<2>({3}, {1}), "DLPackTensor: the tensor has rank 1, not 2");
  EXPECT_EQ(Taken<1>({-3}, {1}), "DLPackTensor: an extent of (-3) is none that index_t holds");
  if (sizeof(index_t) == 4) {
    EXPECT_EQ(Taken<2>({65536, 65536}, {1, 65536}).substr(0, 45),
              "Shape (65536, 65536) has more elements than i");
  }
}

TEST(DLPack, AnyStrides) {
  TensorContainer<cpu, 2> x(Shape2(4, 6));
  x = expr::reshape(expr::range<float>(0, 24), x.shape_);
  Versioned* const managed = ToDLPack(Tensor<cpu, 2>(x), nullptr);
  int64_t strides[] = {-6, 2}, shape[] = {4, 3};
  managed->dl_tensor.shape = shape;
  managed->dl_tensor.strides = strides;
  managed->dl_tensor.byte_offset = 18 * sizeof(float);
  const DLPackView<cpu, 2> reader(managed);
  EXPECT_EQ(reader.view()(0, 2), 22.0f);
  reader.view().T() += 1.0f;
  EXPECT_EQ(x[0][2], 3.0f);
  EXPECT_EQ(x[0][3], 3.0f);
}

TEST(DLPack, OtherTypesDevicesAndVersions) {
  TensorContainer<cpu, 1, int32_t> x(Shape1(3), 1);
  Versioned* const managed = ToDLPack(std::move(x));
  EXPECT_EQ(ErrorOf([&] { DLPackTensor<cpu, 1> reader(managed); }),
            "DLPackTensor: the elements are of type int32, not float32");
  managed->dl_tensor.dtype.lanes = 4;
  EXPECT_EQ(ErrorOf([&] { DLPackTensor<cpu, 1, bool> reader(managed); }),
            "DLPackTensor: the elements are of type int32x4, not bool");
  managed->dl_tensor.dtype.lanes = 1;
  managed->dl_tensor.device.device_type = dlpack::kDLCUDA;
  EXPECT_EQ(ErrorOf([&] { DLPackTensor<cpu, 1, int32_t> reader(managed); }),
            "DLPackTensor: the tensor is on a device of type 2, not on 1 (CPU)");
  managed->version.major = 2;
  EXPECT_EQ(ErrorOf([&] { DLPackTensor<cpu, 1, int32_t> reader(managed); }),
            "DLPackTensor: the tensor is one of DLPack 2, version 1 is known");
  managed->deleter(managed);
}

}  // namespace
}  // namespace mshadow
