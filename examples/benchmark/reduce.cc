// SPDX-License-Identifier: Apache-2.0
// Sums over axes, MeanVariance, and Softmax.
#include <mshadow/tensor.h>

#include "hand/loops.h"
#include "program.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace {

using report::Measurement;

void SumRows(Measurement& m) {
  constexpr index_t kSide = 4096;
  TensorContainer<cpu, 2> a(Shape2(kSide, kSide));
  TensorContainer<cpu, 1> o(Shape1(kSide), 0.0f);
  report::Fill(a.dptr_, kSide * kSide);
  m.Bytes(4.0 * kSide * kSide, report::Roof::kRead);
  m.Result(o.dptr_, kSide, 1e-4);
  m.Ours([&] { o = sum_rows(a); });
  m.Peer("4 rows at a time", [&] { hand::SumRows(o.dptr_, a.dptr_, kSide, kSide); });
  m.Run();
}

void SumChannels(Measurement& m) {
  const Shape<4> shape = Shape4(32, 64, 56, 56);
  TensorContainer<cpu, 4> a(shape);
  TensorContainer<cpu, 1> o(Shape1(shape[1]), 0.0f);
  report::Fill(a.dptr_, shape.Size());
  m.Bytes(4.0 * shape.Size(), report::Roof::kRead);
  m.Result(o.dptr_, shape[1], 1e-3);
  m.Ours([&] { o = sumall_except_dim<1>(a); });
  m.Peer("4 sums", [&] { hand::SumChannels(o.dptr_, a.dptr_, shape[0], shape[1], 56 * 56); });
  m.Run();
}

void ChannelMoments(Measurement& m) {
  const Shape<4> shape = Shape4(32, 64, 56, 56);
  TensorContainer<cpu, 4> a(shape);
  TensorContainer<cpu, 2> o(Shape2(2, shape[1]), 0.0f);
  report::Fill(a.dptr_, shape.Size());
  m.Bytes(4.0 * shape.Size(), report::Roof::kRead);
  m.Result(o.dptr_, o.shape_.Size(), 1e-5);
  m.Ours([&] { MeanVariance<1>(o[0], o[1], a); });
  m.Peer("one loop, shifted",
         [&] { hand::MeanVariance(o[0].dptr_, o[1].dptr_, a.dptr_, shape[0], shape[1], 56 * 56); });
  m.Run();
}

template <index_t kRows, index_t kCols>
void SoftmaxRows(Measurement& m) {
  TensorContainer<cpu, 2> a(false), o(false);
  a.Resize(Shape2(kRows, kCols));
  o.Resize(a.shape_);
  report::Fill(a.dptr_, kRows * kCols, 8.0f);
  report::Fill(o.dptr_, kRows * kCols);
  m.Bytes(8.0 * kRows * kCols, report::Roof::kCopy);
  m.Result(o.dptr_, kRows * kCols);
  m.Ours([&] { Softmax(o, a); });
  m.Peer("3 loops a row", [&] { hand::Softmax(o.dptr_, a.dptr_, kRows, kCols); });
  m.Run();
}

}  // namespace

void report::AddReductions() {
  Add("sum_rows", "o = sum_rows(a)", "4096x4096", Threads::kOneAndAll, kAnySize, SumRows);
  Add("sum_channels", "o = sumall_except_dim<1>(a)", "32x64x56x56", Threads::kOneAndAll, kAnySize,
      SumChannels);
  Add("mean_variance", "MeanVariance<1>(mean, variance, a)", "32x64x56x56", Threads::kOneAndAll,
      kAnySize, ChannelMoments);
  Add("softmax", "Softmax(o, a)", "1024x1000", Threads::kOneAndAll, kAnySize,
      SoftmaxRows<1024, 1000>);
  Add("softmax_narrow", "Softmax(o, a)", "65536x10", Threads::kOneAndAll, kAnySize,
      SoftmaxRows<65536, 10>);
}
