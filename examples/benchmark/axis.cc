// SPDX-License-Identifier: Apache-2.0
// Reductions and sums along one axis, pooling of channels, complex numbers.
#include <mshadow/tensor.h>

#include "hand/loops.h"
#include "program.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace {

using report::Measurement;
using Roof = report::Roof;

constexpr index_t kImages = 32, kChannels = 64, kSide = 56, kPlane = kSide * kSide;
constexpr index_t kRows = kImages * kChannels * kSide, kPairs = kRows * kSide / 2;

template <int dim>
TensorContainer<cpu, dim> Filled(const Shape<dim>& shape) {
  TensorContainer<cpu, dim> t(false);
  t.Resize(shape);
  report::Fill(t.dptr_, t.shape_.Size());
  return t;
}
TensorContainer<cpu, 4> Images() { return Filled(Shape4(kImages, kChannels, kSide, kSide)); }
template <int dim>
double BytesOf(const TensorContainer<cpu, dim>& t) {
  return sizeof(float) * static_cast<double>(t.shape_.Size());
}

/// A statement that reads `read` bytes and writes all of o, beside a loop.
template <int dim, typename Statement, typename Loop>
void Compare(Measurement& m, TensorContainer<cpu, dim>& o, double read, double tolerance,
             Statement statement, Loop loop) {
  m.Bytes(read + BytesOf(o), read > 4 * BytesOf(o) ? Roof::kRead : Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size(), tolerance);
  m.Ours(statement);
  m.Peer("loop", loop);
  m.Run();
}

void SumOfChannels(Measurement& m) {
  auto a = Images();
  auto o = Filled(Shape3(kImages, kSide, kSide));
  Compare(m, o, BytesOf(a), 1e-5, [&] { o = reduce_with_axis<red::sum, false>(a, 1); },
          [&] { hand::SumAxis(o.dptr_, a.dptr_, kImages, kChannels, kPlane); });
}
void SumOfRows(Measurement& m) {
  auto a = Images();
  auto o = Filled(Shape3(kImages, kChannels, kSide));
  Compare(m, o, BytesOf(a), 1e-5, [&] { o = reduce_with_axis<red::sum, false>(a, 3); },
          [&] { hand::SumEachRow(o.dptr_, a.dptr_, kRows, kSide); });
}
void SumOfHeights(Measurement& m) {
  auto a = Images();
  auto o = Filled(Shape4(kImages, kChannels, 1, kSide));
  Compare(m, o, BytesOf(a), 1e-5, [&] { o = reduce_keepdim<red::sum, false>(a, 2); },
          [&] { hand::SumAxis(o.dptr_, a.dptr_, kImages * kChannels, kSide, kSide); });
}
void ArgMaxOfChannels(Measurement& m) {
  auto a = Images();
  auto o = Filled(Shape3(kImages, kSide, kSide));
  Compare(m, o, BytesOf(a), 0, [&] { o = argmax<float>(a, 1); },
          [&] { hand::ArgMaxAxis(o.dptr_, a.dptr_, kImages, kChannels, kPlane); });
}
void Cumulate(Measurement& m) {
  auto a = Images(), o = Images();
  Compare(m, o, BytesOf(a), 1e-5, [&] { o = cumsum(a, 3); },
          [&] { hand::CumulateRows(o.dptr_, a.dptr_, kRows, kSide); });
}
void CumulateChannels(Measurement& m) {
  auto a = Images(), o = Images();
  Compare(m, o, BytesOf(a), 1e-5, [&] { o = cumsum(a, 1); },
          [&] { hand::CumulateAxis(o.dptr_, a.dptr_, kImages, kChannels, kPlane); });
}
void ArgMaxOfRows(Measurement& m) {
  auto a = Images();
  auto o = Filled(Shape3(kImages, kChannels, kSide));
  Compare(m, o, BytesOf(a), 0, [&] { o = argmax<float>(a, 3); },
          [&] { hand::ArgMaxEachRow(o.dptr_, a.dptr_, kRows, kSide); });
}
void PoolChannels(Measurement& m) {
  auto a = Images(), o = Images();
  Compare(m, o, BytesOf(a), 1e-5, [&] { o = chpool<red::sum>(a, 3); },
          [&] { hand::SumThreeChannels(o.dptr_, a.dptr_, kImages, kChannels, kPlane); });
}
void UnpoolChannels(Measurement& m) {
  auto a = Images(), most = Images(), grad = Images(), o = Images();
  most = chpool<red::maximum>(a, 3);
  Compare(m, o, 3 * BytesOf(a), 1e-5, [&] { o = ch_unpool<red::maximum>(a, most, grad, 3); },
          [&] {
            hand::UnpoolThreeChannels(o.dptr_, a.dptr_, most.dptr_, grad.dptr_, kImages, kChannels,
                                      kPlane);
          });
}
void ComplexProduct(Measurement& m) {
  auto a = Images(), b = Images(), o = Images();
  Compare(m, o, 2 * BytesOf(a), 1e-5, [&] { o = complex_mul_cc(a, b); },
          [&] { hand::MultiplyComplex(o.dptr_, a.dptr_, b.dptr_, kPairs); });
}
void ComplexConjugate(Measurement& m) {
  auto a = Images(), o = Images();
  Compare(m, o, BytesOf(a), 0, [&] { o = conj(a); },
          [&] { hand::Conjugate(o.dptr_, a.dptr_, kPairs); });
}
void ComplexExchange(Measurement& m) {
  auto a = Images(), o = Images();
  Compare(m, o, BytesOf(a), 0, [&] { o = complex_exchange(a); },
          [&] { hand::Exchange(o.dptr_, a.dptr_, kPairs); });
}
void ComplexToReal(Measurement& m) {
  auto a = Images();
  auto o = Filled(Shape4(kImages, kChannels, kSide, kSide / 2));
  Compare(m, o, BytesOf(a), 0, [&] { o = complex_toreal(a); },
          [&] { hand::RealParts(o.dptr_, a.dptr_, kPairs); });
}
void ComplexPadImag(Measurement& m) {
  auto a = Filled(Shape4(kImages, kChannels, kSide, kSide / 2));
  auto o = Images();
  Compare(m, o, BytesOf(a), 0, [&] { o = complex_pad_imag(a); },
          [&] { hand::PadImag(o.dptr_, a.dptr_, kPairs); });
}
void ComplexAbsSquare(Measurement& m) {
  auto a = Images();
  auto o = Filled(Shape4(kImages, kChannels, kSide, kSide / 2));
  Compare(m, o, BytesOf(a), 1e-5, [&] { o = complex_abs_square(a); },
          [&] { hand::AbsSquare(o.dptr_, a.dptr_, kPairs); });
}

}  // namespace

void report::AddAxes() {
  const auto add = [](const char* name, const char* statement, void (*run)(Measurement&)) {
    Add(name, statement, "32x64x56x56", Threads::kOneAndAll, Aim{0.9, 0}, run);
  };
  add("reduce_with_axis_1", "o = reduce_with_axis<red::sum, false>(a, 1)", SumOfChannels);
  add("reduce_with_axis_3", "o = reduce_with_axis<red::sum, false>(a, 3)", SumOfRows);
  add("reduce_keepdim_2", "o = reduce_keepdim<red::sum, false>(a, 2)", SumOfHeights);
  add("argmax_1", "o = argmax<float>(a, 1)", ArgMaxOfChannels);
  add("argmax_3", "o = argmax<float>(a, 3)", ArgMaxOfRows);
  add("cumsum_1", "o = cumsum(a, 1)", CumulateChannels);
  add("cumsum_3", "o = cumsum(a, 3)", Cumulate);
  add("chpool", "o = chpool<red::sum>(a, 3)", PoolChannels);
  add("ch_unpool", "o = ch_unpool<red::maximum>(a, m, g, 3)", UnpoolChannels);
  add("complex_mul_cc", "o = complex_mul_cc(a, b)", ComplexProduct);
  add("complex_conj", "o = conj(a)", ComplexConjugate);
  add("complex_exchange", "o = complex_exchange(a)", ComplexExchange);
  add("complex_toreal", "o = complex_toreal(a)", ComplexToReal);
  add("complex_pad_imag", "o = complex_pad_imag(a)", ComplexPadImag);
  add("complex_abs_square", "o = complex_abs_square(a)", ComplexAbsSquare);
}
