// SPDX-License-Identifier: Apache-2.0
// Ops raise no exception flag that their result does not warrant: a program may trap them
// (feenableexcept). Not here: what calls the C library or libmvec, which promise no flags.
#include <cfenv>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel.h"
#include "mshadow/op/binary.h"
#include "mshadow/op/unary.h"

namespace {

namespace op = mshadow::op;
using op_test::Run;
using op_test::RunOf;

/// Finite numbers of all magnitudes, and many where activations bend.
template <typename T>
std::vector<T> Finite() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> a = {T(0), T(-0.0), (Limits::max)(), Limits::lowest(), (Limits::min)()};
  for (int i = -1600; i <= 1600; ++i) a.push_back(T(i) / T(2) + T(i) / T(1024));
  for (int e = Limits::min_exponent; e < Limits::max_exponent; ++e) {
    a.push_back(T(std::ldexp(1.37, e - 1)));
    a.push_back(-a.back());
  }
  return a;
}

/// Each number in all lanes of a vector, with each instruction set; `b` is the second argument.
template <typename T>
void CheckFlags(const char* name, Run<T> run, T b = T(2)) {
  using mshadow::simd::Isa;
  SCOPED_TRACE(name);
  const Isa best = mshadow::simd::ActiveIsa();
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (!mshadow::simd::ForceIsa(isa)) continue;
    SCOPED_TRACE(mshadow::simd::IsaName(isa));
    constexpr int kLanes = 16;
    const std::vector<T> second(kLanes, b);
    std::vector<T> out(kLanes);
    for (T x : Finite<T>()) {
      const std::vector<T> first(kLanes, x);
      std::feclearexcept(FE_ALL_EXCEPT);
      run(first.data(), second.data(), nullptr, out.data(), kLanes);
      const int raised = std::fetestexcept(FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO);
      const double result = static_cast<double>(out[0]);
      ASSERT_TRUE(std::isfinite(result) ? raised == 0 : (raised & FE_INVALID) == 0)
          << "flags " << raised << " of " << x << ", which gives " << result;
    }
  }
  mshadow::simd::ForceIsa(best);
}

template <typename T>
void CheckOps() {
#define MSHADOW_CHECK_FLAGS(name) CheckFlags<T>(#name, RunOf<op::name, 1, T>())
  MSHADOW_CHECK_FLAGS(abs);
  MSHADOW_CHECK_FLAGS(sign);
  MSHADOW_CHECK_FLAGS(square);
  MSHADOW_CHECK_FLAGS(cbrt);
  MSHADOW_CHECK_FLAGS(floor);
  MSHADOW_CHECK_FLAGS(round);
  MSHADOW_CHECK_FLAGS(is_nan);
  MSHADOW_CHECK_FLAGS(is_finite);
  MSHADOW_CHECK_FLAGS(sigmoid);
  MSHADOW_CHECK_FLAGS(silu);
  MSHADOW_CHECK_FLAGS(gelu);
  MSHADOW_CHECK_FLAGS(relu);
  MSHADOW_CHECK_FLAGS(hardswish);
  MSHADOW_CHECK_FLAGS(leaky_relu);
  if constexpr (sizeof(T) == 4) {
    MSHADOW_CHECK_FLAGS(exp);
    MSHADOW_CHECK_FLAGS(tanh);
    MSHADOW_CHECK_FLAGS(softplus);
  }
#undef MSHADOW_CHECK_FLAGS
  CheckFlags<T>("div", RunOf<op::div, 2, T>());
  CheckFlags<T>("mod", RunOf<op::mod, 2, T>());
  CheckFlags<T>("max", RunOf<op::max, 2, T>());
}

TEST(Flags, OfFloats) { CheckOps<float>(); }
TEST(Flags, OfDoubles) { CheckOps<double>(); }

}  // namespace
