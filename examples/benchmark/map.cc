// SPDX-License-Identifier: Apache-2.0
// Element by element: the statements of a training step, functions, and casts.
#include <mshadow/tensor.h>

#include <cmath>

#include "hand/loops.h"
#include "program.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace {

using report::Measurement;
using Vector = TensorContainer<cpu, 1>;

// As a user writes it.
struct sigmoid {
  MSHADOW_XINLINE static float Map(float a) { return 1.0f / (1.0f + expf(-a)); }
};

struct Size {
  const char* name;
  index_t count;
};
constexpr Size kSizes[] = {{"64", 64}, {"4096", 4096}, {"1M", 1 << 20}, {"16M", 1 << 24}};

/// Registers body(measurement, elements) for every size.
template <typename Body>
void AddSizes(const std::string& id, const char* statement, Body body) {
  for (const Size& size : kSizes) {
    if (size.count > (1 << 20) && report::GetOptions().quick) continue;
    const index_t n = size.count;
    // A small statement is a thread's work, in the library and by hand.
    const auto threads = n <= 4096 ? report::Threads::kOne : report::Threads::kOneAndAll;
    const report::Aim aim = n == 64          ? report::kSmall
                            : n == (1 << 24) ? report::kLarge
                                             : report::kAnySize;
    report::Add(id + "/" + size.name, statement, size.name, threads, aim,
                [=](Measurement& m) { body(m, n); });
  }
}

void Sgd(Measurement& m, index_t n) {
  Vector w{Shape1(n)}, g{Shape1(n)};
  report::Fill(w.dptr_, n);
  report::Fill(g.dptr_, n);
  const float eta = 0.01f, lambda = 0.001f;
  m.Bytes(12.0 * n, report::Roof::kTriad);
  m.Result(w.dptr_, n);
  m.Ours([&] { w = -eta * (g + lambda * w); });
  m.Peer("loop", [&] { hand::Sgd(w.dptr_, g.dptr_, eta, lambda, n); });
  m.Run();
}

/// o = F<Op>(a)
template <typename Op, void (*kLoop)(float*, const float*, std::ptrdiff_t)>
void Function(Measurement& m, index_t n) {
  Vector a{Shape1(n)}, o{Shape1(n)};
  report::Fill(a.dptr_, n, 4.0f);
  report::Fill(o.dptr_, n);
  m.Bytes(8.0 * n, report::Roof::kCopy);
  m.Result(o.dptr_, n);
  m.Ours([&] { o = F<Op>(a); });
  m.Peer("loop", [&] { kLoop(o.dptr_, a.dptr_, n); });
  m.Run();
}

/// o = F<op::sigmoid>(a) on rows of 14 of 16, as TensorContainer(true) pads them.
void PaddedRows(Measurement& m) {
  constexpr index_t kRows = 65536, kCols = 14, kStride = 16;
  Vector a{Shape1(kRows * kStride)}, o{Shape1(kRows * kStride)};
  report::Fill(a.dptr_, kRows * kStride, 4.0f);
  report::Fill(o.dptr_, kRows * kStride);
  const Tensor<cpu, 2> from(a.dptr_, Shape2(kRows, kCols), kStride, nullptr);
  Tensor<cpu, 2> to(o.dptr_, Shape2(kRows, kCols), kStride, nullptr);
  m.Bytes(8.0 * kRows * kCols, report::Roof::kCopy);
  m.Result(o.dptr_, kRows * kStride);
  m.Ours([&] { to = F<op::sigmoid>(from); });
  m.Peer("loop over rows", [&] { hand::SigmoidRows(to.dptr_, from.dptr_, kRows, kCols, kStride); });
  m.Run();
}

void Chain(Measurement& m, index_t n) {
  Vector a{Shape1(n)}, b{Shape1(n)}, o{Shape1(n)};
  report::Fill(a.dptr_, n, 4.0f);
  report::Fill(b.dptr_, n);
  report::Fill(o.dptr_, n);
  m.Bytes(12.0 * n, report::Roof::kTriad);
  m.Result(o.dptr_, n);
  m.Ours([&] { o = F<op::sigmoid>(F<op::tanh>(a) + F<op::exp>(b)); });
  m.Peer("loop", [&] { hand::Chain(o.dptr_, a.dptr_, b.dptr_, n); });
  m.Run();
}

void ToHalf(Measurement& m, index_t n) {
  Vector a{Shape1(n)};
  TensorContainer<cpu, 1, half::half_t> o{Shape1(n)};
  report::Fill(a.dptr_, n);
  report::Fill(o.dptr_, n);
  m.Bytes(6.0 * n, report::Roof::kCopy);
  m.Result(o.dptr_, n, 0);
  m.Ours([&] { o = tcast<half::half_t>(a); });
  if (hand::HasHalf()) {
    m.Peer("F16C", [&] {
      hand::ToHalf(reinterpret_cast<std::uint16_t*>(o.dptr_), a.dptr_, n);
    });
  }
  m.Run();
}

void FromHalf(Measurement& m, index_t n) {
  Vector o{Shape1(n)};
  TensorContainer<cpu, 1, half::half_t> a{Shape1(n)};
  report::Fill(a.dptr_, n);
  report::Fill(o.dptr_, n);
  m.Bytes(6.0 * n, report::Roof::kCopy);
  m.Result(o.dptr_, n, 0);
  m.Ours([&] { o = tcast<float>(a); });
  if (hand::HasHalf()) {
    m.Peer("F16C", [&] {
      hand::FromHalf(o.dptr_, reinterpret_cast<const std::uint16_t*>(a.dptr_), n);
    });
  }
  m.Run();
}

/// One value a channel, added to (outer, channels, inner); inner == 1: to every row.
template <int kAxis>
void Broadcast(Measurement& m) {
  constexpr index_t kOuter = kAxis == 1 ? 32 : 4096, kChannels = kAxis == 1 ? 64 : 1536;
  const Shape<4> shape = kAxis == 1 ? Shape4(kOuter, kChannels, 56, 56)
                                    : Shape4(64, 8, kOuter / 512, kChannels);
  const index_t n = shape.Size();
  TensorContainer<cpu, 4> a(shape), o(shape);
  Vector c{Shape1(kChannels)};
  report::Fill(a.dptr_, n);
  report::Fill(o.dptr_, n);
  report::Fill(c.dptr_, kChannels);
  m.Bytes(8.0 * n, report::Roof::kCopy);
  m.Result(o.dptr_, n, 0);
  m.Ours([&] { o = a + broadcast<kAxis>(c, shape); });
  if (kAxis == 1) {
    m.Peer("loop", [&] { hand::AddChannels(o.dptr_, a.dptr_, c.dptr_, kOuter, kChannels, 3136); });
  } else {
    m.Peer("loop", [&] { hand::AddRow(o.dptr_, a.dptr_, c.dptr_, kOuter, kChannels); });
  }
  m.Run();
}

}  // namespace

void report::AddMaps() {
  AddSizes("sgd", "w = -eta*(g + lambda*w)", Sgd);
  AddSizes("user_sigmoid", "o = F<user's sigmoid>(a)", Function<sigmoid, hand::Sigmoid>);
  AddSizes("sigmoid", "o = F<op::sigmoid>(a)", Function<op::sigmoid, hand::Sigmoid>);
  Add("sigmoid_rows", "o = F<op::sigmoid>(a)", "65536x14 of 16", Threads::kOneAndAll, kAnySize,
      PaddedRows);
  AddSizes("exp", "o = F<op::exp>(a)", Function<op::exp, hand::Exp>);
  AddSizes("tanh", "o = F<op::tanh>(a)", Function<op::tanh, hand::Tanh>);
  AddSizes("chain", "o = F<sigmoid>(F<tanh>(a) + F<exp>(b))", Chain);
  AddSizes("to_half", "h = tcast<half_t>(a)", ToHalf);
  AddSizes("from_half", "o = tcast<float>(h)", FromHalf);
  Add("broadcast_channel", "o = a + broadcast<1>(c, shape)", "32x64x56x56", Threads::kOneAndAll,
      kAnySize, Broadcast<1>);
  Add("broadcast_last", "o = a + broadcast<3>(c, shape)", "64x8x8x1536", Threads::kOneAndAll,
      kAnySize, Broadcast<3>);
}
