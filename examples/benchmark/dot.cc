// SPDX-License-Identifier: Apache-2.0
// Matrix products: the statement against the call it becomes, and the builtin GEMM against a BLAS.
#include <mshadow/tensor.h>

#include "hand/loops.h"
#include "program.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace {

using report::Measurement;

struct Matrices {
  TensorContainer<cpu, 2> a, b, c;
  explicit Matrices(index_t side) : a(true), b(true), c(true) {  // rows of 31 are padded to 32
    a.Resize(Shape2(side, side));
    b.Resize(Shape2(side, side));
    c.Resize(Shape2(side, side), 0.0f);
    report::Fill(a.dptr_, a.MSize());
    report::Fill(b.dptr_, b.MSize());
  }
};

/// Adds cblas_sgemm, where the program has it.
void PeerCblas(Measurement& m, Matrices& x, bool trans_b = false) {
#if MSHADOW_USE_CBLAS
  const int n = static_cast<int>(x.c.size(0)), ld = static_cast<int>(x.c.stride_);
  m.Peer("cblas_sgemm", [&x, n, ld, trans_b] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, trans_b ? CblasTrans : CblasNoTrans, n, n, n, 1.0f,
                x.a.dptr_, ld, x.b.dptr_, ld, 0.0f, x.c.dptr_, ld);
  });
#else
  static_cast<void>(m);
  static_cast<void>(x);
  static_cast<void>(trans_b);
#endif
}

void Dot(Measurement& m, index_t side) {
  Matrices x(side);
  m.Operations(2.0 * side * side * side);
  m.Result(x.c.dptr_, x.c.MSize(), 1e-4);
  m.Ours([&] { x.c = dot(x.a, x.b); });
  PeerCblas(m, x);
  m.Run();
}

void DotTransposed(Measurement& m, index_t side) {
  Matrices x(side);
  m.Operations(2.0 * side * side * side);
  m.Result(x.c.dptr_, x.c.MSize(), 1e-4);
  m.Ours([&] { x.c = dot(x.a, x.b.T()); });
  PeerCblas(m, x, true);
  m.Run();
}

void BuiltinGemm(Measurement& m, index_t side) {
  Matrices x(side);
  m.Operations(2.0 * side * side * side);
  m.Result(x.c.dptr_, x.c.MSize(), 1e-4);
  m.Ours([&] {
    blas::Builtin::Gemm(false, false, side, side, side, 1.0f, x.a.dptr_, x.a.stride_, x.b.dptr_,
                        x.b.stride_, 0.0f, x.c.dptr_, x.c.stride_);
  });
  PeerCblas(m, x);
  m.Run();
}

/// Row by row of the right operand, as one writes it without a BLAS.
void ImplicitDot(Measurement& m) {
  constexpr index_t kSide = 256;
  Matrices x(kSide);
  m.Operations(2.0 * kSide * kSide * kSide);
  m.Result(x.c.dptr_, x.c.MSize(), 1e-4);
  m.Ours([&] { x.c = implicit_dot(x.a, x.b); });
  m.Peer("loop", [&] { hand::Multiply(x.c.dptr_, x.a.dptr_, x.b.dptr_, kSide); });
  m.Run();
}

}  // namespace

void report::AddProducts() {
  Add("implicit_dot", "c = implicit_dot(a, b)", "256x256", Threads::kOneAndAll, Aim{0.9, 0},
      ImplicitDot);
  for (const index_t side : {16u, 31u, 64u, 512u}) {
    const std::string text = std::to_string(side);
    Add("dot/" + text, "c = dot(a, b)", text + "x" + text,
        side < 512 ? Threads::kOne : Threads::kOneAndAll, Aim{0.97, 0},
        [=](Measurement& m) { Dot(m, side); });
  }
  Add("dot_transposed/48", "c = dot(a, b.T())", "48x48", Threads::kOne, Aim{0.97, 0},
      [](Measurement& m) { DotTransposed(m, 48); });
  for (const index_t side : {16u, 64u, 512u}) {
    const std::string text = std::to_string(side);
    Add("builtin_gemm/" + text, "builtin GEMM", text + "x" + text,
        side < 512 ? Threads::kOne : Threads::kOneAndAll, side == 512 ? Aim{0.6, 0} : kNoAim,
        [=](Measurement& m) { BuiltinGemm(m, side); });
  }
}
