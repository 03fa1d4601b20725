// SPDX-License-Identifier: Apache-2.0
// Every name of an extension with every signature that existing code uses: that it compiles, and
// has the type of node, the rank and the kind it is known by.
#include <mshadow/tensor.h>
#include <mshadow/tensor_blob.h>

#include <gtest/gtest.h>

#include <type_traits>

namespace mshadow {
namespace {

using namespace expr;

using V = Tensor<cpu, 1>;
using M = Tensor<cpu, 2>;
using T3 = Tensor<cpu, 3>;
using T4 = Tensor<cpu, 4>;

/// The rank of an expression, and its kind.
template <typename E, typename DType, int etype>
int KindOf(const Exp<E, DType, etype>&) {
  return etype;
}
template <int rank, int kind, typename E>
void Expect(const E& e) {
  static_assert(ExpInfo<E>::kDim == rank);
  EXPECT_EQ(KindOf(e), kind);
}
template <typename Node, typename E>
void ExpectNode(const E&) {
  static_assert(std::is_same_v<Node, E>);
}

struct Signatures : ::testing::Test {
  TensorContainer<cpu, 1> v_{Shape1(4), 1.0f}, one_{Shape1(1), 1.0f};
  TensorContainer<cpu, 2> m_{Shape2(4, 4), 1.0f}, narrow_{Shape2(4, 1), 1.0f};
  TensorContainer<cpu, 3> t_{Shape3(3, 4, 4), 1.0f};
  TensorContainer<cpu, 4> x_{Shape4(2, 3, 4, 4), 1.0f};
  V v = v_, one = one_;
  M m = m_, narrow = narrow_;
  T3 t = t_;
  T4 x = x_;
};

TEST_F(Signatures, ShapeAndReplication) {
  ExpectNode<Broadcast1DExp<V, float, 4, 3>>(broadcast<1>(v, Shape4(2, 4, 3, 3)));
  Expect<4, type::kChainer>(broadcast<1>(v * 2.0f, Shape4(2, 4, 3, 3)));
  ExpectNode<BroadcastScalarExp<V, float, 2>>(broadcast_scalar(one, Shape2(2, 3)));
  ExpectNode<Broadcast1DExp<V, float, 2, 1>>(repmat(v, 3));
  ExpectNode<BroadcastWithAxisExp<M, float, 2, 3>>(broadcast_with_axis(m, -1, 3));
  ExpectNode<BroadcastWithAxisExp<M, float, 2, 2>>(broadcast_keepdim(narrow, 1, 3));
  const index_t axis[] = {1}, size[] = {3}, shape[] = {4, 3};
  ExpectNode<BroadcastWithMultiAxesExp<M, float, 2>>(
      broadcast_multi_axes(narrow, TShape(axis, axis + 1), TShape(size, size + 1)));
  ExpectNode<BroadcastWithMultiAxesExp<M, float, 2>>(
      broadcast_with_multi_axes(narrow, TShape(axis, axis + 1), TShape(size, size + 1)));
  ExpectNode<BroadcastWithMultiAxesExp<M, float, 2>>(
      broadcast_to(narrow, TShape(shape, shape + 2)));
  ExpectNode<ReshapeExp<M, float, 3, 2>>(reshape(m, Shape3(2, 2, 4)));
  ExpectNode<SwapAxisExp<T4, float, 4, 2, 1>>(swapaxis<2, 1>(x));
  ExpectNode<TransposeExExp<T3, float, 3>>(transpose(t, Shape3(2, 0, 1)));
  Expect<1, type::kRValue>(v);
  Expect<2, type::kChainer>(mirror(m));
  ExpectNode<MirroringExp<M, float, 2>>(mirror(m));
  ExpectNode<PaddingExp<T4, float, 4>>(pad(x, 1));
  ExpectNode<PaddingExp<T4, float, 4>>(pad(x, 1, 2));
  ExpectNode<CroppingExp<T4, float, 4>>(crop(x, Shape2(2, 2)));
  ExpectNode<CroppingExp<T4, float, 4>>(crop(x, Shape2(2, 2), 1, 1));
  ExpectNode<UpSamplingNearestExp<T4, float, 4>>(upsampling_nearest(x, 2));
  Expect<4, type::kChainer>(unpad(x, 1));
  Expect<4, type::kChainer>(unpad(x, 1, 0));
}

TEST_F(Signatures, TransposeIndicesKeepsTheKind) {
  Expect<1, type::kRValue>(transpose_indices(v, Shape2(2, 2), Shape2(1, 0)));
  Expect<1, type::kMapper>(transpose_indices(v * 1.0f, Shape2(2, 2), Shape2(1, 0)));
}

TEST_F(Signatures, Lvalues) {
  ExpectNode<SliceExp<T4, cpu, float, 4, 3>>(slice<1>(x, 0, 2));
  Expect<4, type::kRValue>(slice(x, Shape4(0, 0, 0, 0), Shape4(1, 1, 1, 1)));
  Expect<4, type::kRValue>(concat<1>(x, x));
  Expect<4, type::kRValue>(concat<1>(x, x, x));
  Expect<2, type::kRValue>(flip(m, 1));
  slice<1>(x_, 0, 2) = slice<1>(x, 1, 3) * 1.0f;
  slice<1>(slice<0>(x_, 0, 1), 0, 2) += 1.0f;
  slice<0>(v_, 1, 3) = 2.0f;
  slice(m_, Shape2(0, 0), Shape2(2, 2)) = 3.0f;
  TensorContainer<cpu, 2> left(Shape2(4, 1)), right(Shape2(4, 3));
  concat<1>(left, right) = m * 2.0f;
  concat<1>(left, right) += m;
  concat<1>(left, right) = 0.0f;
  concat<0>(concat<0>(left, left), concat<0>(left, left)) = 1.0f;
  flip(m_, 0) = m * 1.0f;
  EXPECT_EQ(v_[1], 2.0f);
}

TEST_F(Signatures, Reductions) {
  Expect<1, type::kComplex>(sumall_except_dim<1>(x));
  Expect<1, type::kComplex>(reduce_except_dim<1, red::maximum>(x * 2.0f));
  Expect<1, type::kComplex>(sum_rows(m));
  ExpectNode<ReduceWithAxisExp<red::maximum, T4, float, 4, true, 3>>(
      reduce_with_axis<red::maximum, true>(x, 1));
  ExpectNode<ReduceWithAxisExp<red::sum, T4, float, 4, false, 3>>(
      reduce_with_axis<red::sum, false>(x, 1));
  ExpectNode<ReduceWithAxisExp<red::minimum, M, float, 2, false, 2>>(
      reduce_keepdim<red::minimum, false>(m, 1));
  Expect<3, type::kChainer>(argmax(x, 1));
  Expect<3, type::kChainer>(argmin(x * 1.0f, 1));
  Expect<4, type::kChainer>(cumsum(x, 1));
}

TEST_F(Signatures, PoolingAndPatches) {
  ExpectNode<PoolingExp<red::maximum, T4, float, 4>>(pool<red::maximum>(x, 2, 2, 2, 2));
  ExpectNode<PoolingExp<red::sum, T4, float, 4>>(pool<red::sum>(x, Shape2(2, 2), 2, 2, 2, 2));
  ExpectNode<PoolingExp<red::sum, T4, float, 4>>(pool<red::sum>(x, 2, 2, 2));
  ExpectNode<PoolingExp<red::sum, T4, float, 4>>(pool<red::sum>(x, Shape2(2, 2), 2, 2, 2));
  ExpectNode<UnPoolingExp<red::maximum, T4, float, 4>>(unpool<red::maximum>(x, x, x, 1, 1, 1, 1));
  ExpectNode<UnPoolingExp<red::maximum, T4, float, 4>>(unpool<red::maximum>(x, x, x, 1, 1, 1));
  Expect<4, type::kChainer>(
      unpool<red::maximum>(pad(x, 1), pad(x, 0, 0), pad(x * 1.0f, 0, 0), 3, 3, 1, 1));
  ExpectNode<ChannelPoolingExp<red::sum, T4, float, 4>>(chpool<red::sum>(x, 3));
  ExpectNode<ChannelPoolingExp<red::sum, T4, float, 4>>(chpool<red::sum>(x, 3, 1, 1));
  ExpectNode<ChannelUnpoolingExp<red::sum, T4, float, 4>>(ch_unpool<red::sum>(x, x, x, 3, 1, 1));
  ExpectNode<ChannelUnpoolingExp<red::sum, T4, float, 4>>(ch_unpool<red::sum>(x, x, x, 3));
  ExpectNode<UnpackPatchToColXExp<T4, float, 4>>(unpack_patch2col(x, 2, 2, 1, 1));
  ExpectNode<UnpackPatchToColXExp<T4, float, 4>>(unpack_patch2col(x, 2, 2, 1, 1, 1, 1));
  ExpectNode<UnpackPatchToColXExp<T4, float, 4>>(unpack_patch2col(x, 2, 2, 1));
  TensorContainer<cpu, 2> columns(Shape2(12, 18), 1.0f);
  const M c = columns;
  ExpectNode<PackColToPatchXExp<M, float, 4>>(pack_col2patch(c, x.shape_, 2, 2, 1, 1));
  ExpectNode<PackColToPatchXExp<M, float, 4>>(pack_col2patch(c, x.shape_, 2, 2, 1, 1, 1, 1));
  ExpectNode<PackColToPatchXExp<M, float, 4>>(pack_col2patch(c, x.shape_, 2, 2, 1));
  Expect<4, type::kChainer>(pool3d<red::sum>(x, Shape3(2, 2, 2), Shape3(1, 1, 1)));
  Expect<4, type::kChainer>(avg_pool(x, 2, 2, 2));
  Expect<4, type::kChainer>(resize(x, 8, 8));
  Expect<4, type::kChainer>(resize(x, 8, 8, resize_pad::kConstant, 1.0f));
  Expect<4, type::kChainer>(resize(x, 8, 8, resize_kernel::kBicubic, true));
}

TEST_F(Signatures, IndexingAndGenerators) {
  Expect<2, type::kChainer>(implicit_dot(m, m.T()));
  Expect<2, type::kChainer>(implicit_dot(m * 2.0f, m) + 1.0f);
  Expect<1, type::kChainer>(mat_choose_row_element(m, v));
  Expect<2, type::kChainer>(mat_fill_row_element(m, v, v));
  Expect<2, type::kChainer>(one_hot_encode(v, 5));
  Expect<2, type::kChainer>(take(v, m));
  Expect<2, type::kChainer>(take_grad(v, m, 9));
  Expect<2, type::kChainer>(mask(v, m));
  Expect<1, type::kMapper>(range<float>(0, 4));
  Expect<1, type::kMapper>(range<float>(0, 4, 2));
  Expect<1, type::kMapper>(range<int>(0, 4, 2, 3));
  TensorContainer<cpu, 1, int32_t> index(Shape1(4), 0);
  Expect<1, type::kChainer>(mat_choose_row_element(m, index));
  Expect<2, type::kChainer>(one_hot_encode(index, 5));
  Expect<2, type::kChainer>(take(index, m));
}

TEST_F(Signatures, Complex) {
  Expect<2, type::kMapper>(complex_mul_cc(m, m));
  Expect<2, type::kMapper>(complex_div_cc(m, m));
  TensorContainer<cpu, 2> real(Shape2(4, 2), 1.0f);
  Expect<2, type::kMapper>(complex_mul_cr(m, real));
  Expect<2, type::kMapper>(complex_div_cr(m, real));
  Expect<2, type::kMapper>(complex_mul_rc(real, m));
  Expect<2, type::kMapper>(complex_div_rc(real, m));
  Expect<2, type::kMapper>(conj(m));
  Expect<2, type::kMapper>(complex_exchange(m));
  Expect<2, type::kMapper>(complex_pad_imag(real));
  Expect<2, type::kMapper>(complex_toreal(m));
  Expect<2, type::kMapper>(complex_abs_square(m));
  Expect<2, type::kMapper>(complex_sum_real_imag(m));
  Expect<2, type::kMapper>(ComplexF<op::complex::kBinaryCC, op::complex::mul>(m, m));
  Expect<2, type::kMapper>(ComplexF<op::complex::kUnitaryC2R, op::complex::toreal>(m));
  ExpectNode<ComplexUnitaryExp<op::complex::kUnitaryC2C, op::complex::conjugate, M, float,
                               type::kMapper>>(conj(m));
}

// Names that a user's own op may have, too: a call finds ours by its argument.
struct clip {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return a > DType(1) ? DType(1) : a;
  }
};
TEST_F(Signatures, NamesOfAUser) {
  TensorContainer<cpu, 2> out(Shape2(4, 4));
  out = F<clip>(m * 3.0f);
  EXPECT_EQ(out[3][3], 1.0f);
  out = where(m, m * 2.0f, 0);
  EXPECT_EQ(out[3][3], 2.0f);
  Expect<2, type::kChainer>(tile(m, Shape2(1, 1)));
  Expect<2, type::kChainer>(roll(m, 1, 0));
}

// Elements that are only moved keep all their digits: 2^60 + 1 + 2 k, which no double holds.
template <int dim, typename E>
void ExpectMoved(const Shape<dim>& shape, const E& e) {
  using DType = decltype(MakePlan(e).Eval(0, 0));
  TensorContainer<cpu, dim, std::decay_t<DType>> out(shape);
  out = e;
  const auto flat = static_cast<Tensor<cpu, dim, std::decay_t<DType>>&>(out).FlatTo2D();
  for (index_t y = 0; y < flat.size(0); ++y) {
    for (index_t x = 0; x < flat.size(1); ++x) {
      const auto more = flat[y][x] - (std::decay_t<DType>(1) << 60);
      ASSERT_TRUE(more < 64 && more % 2 == 1) << y << ' ' << x;
    }
  }
}
template <typename DType>
void CheckMoves() {
  TensorContainer<cpu, 2, DType> m(Shape2(4, 4));
  TensorContainer<cpu, 1, DType> index(Shape1(4));
  for (index_t i = 0; i < 16; ++i) m[i / 4][i % 4] = (DType(1) << 60) + 1 + 2 * DType(i);
  for (index_t i = 0; i < 4; ++i) index[i] = DType(i);
  const Shape<2> four = Shape2(4, 4);
  const Tensor<cpu, 1, DType> row = m[1];
  const Tensor<cpu, 3, DType> planes(m.dptr_, Shape3(1, 4, 4), m.stride_, nullptr);
  ExpectMoved(Shape2(2, 2), crop(m, Shape2(2, 2)));
  ExpectMoved(Shape2(6, 6), pad(m, 1, 1, (DType(1) << 60) + 3));
  ExpectMoved(Shape2(4, 8), tile(m, Shape2(1, 2)));
  ExpectMoved(four, roll(m, 1, 1));
  ExpectMoved(four, take(index, m));
  ExpectMoved(Shape1(4), mat_choose_row_element(m, index));
  ExpectMoved(four, mat_fill_row_element(m, row, index));
  ExpectMoved(four, flip(m, 1));
  ExpectMoved(four, mirror(m));
  ExpectMoved(four, concat<1>(slice<1>(m, 0, 2), slice<1>(m, 2, 4)));
  ExpectMoved(four, where(m, m, m));
  ExpectMoved(four, swapaxis<1, 0>(m));
  ExpectMoved(four, transpose(m, Shape2(1, 0)));
  ExpectMoved(four, m.T());
  ExpectMoved(Shape2(3, 4), broadcast<1>(row, Shape2(3, 4)));
  ExpectMoved(Shape2(8, 2), reshape(m, Shape2(8, 2)));
  ExpectMoved(Shape2(8, 8), upsampling_nearest(m, 2));
  ExpectMoved(Shape2(7, 3), resize(m, 7, 3, resize_kernel::kNearest));
  ExpectMoved(Shape2(4, 9), unpack_patch2col(planes, 2, 2, 1));
  ExpectMoved(Shape2(2, 2), pool<red::maximum>(m, 2, 2, 2));
  ExpectMoved(Shape1(4), reduce_with_axis<red::maximum, false>(m, 0));
  ExpectMoved(four, take_grad(index, m, 4));
}
TEST(Moves, KeepIntegersOf64Bits) {
  CheckMoves<int64_t>();
  CheckMoves<uint64_t>();
}

}  // namespace
}  // namespace mshadow
