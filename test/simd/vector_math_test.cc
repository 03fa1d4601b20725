// SPDX-License-Identifier: Apache-2.0
// The header comes first: the attribute merges with the declarations of <cmath> behind it.
#include "mshadow/simd/vector_math.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "mshadow/simd/isa.h"

namespace {

using mshadow::simd::Isa;
constexpr Isa kAll[] = {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512};
volatile int vector_calls = 0;  // GCC knows that a libm function does not write it

// Sanitizers instrument the loops and -O0 leaves them alone.
#if MSHADOW_LIBMVEC >= 2 && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MSHADOW_SEES_CALLS 1
#else
#define MSHADOW_SEES_CALLS 0
#endif

}  // namespace

#if MSHADOW_SEES_CALLS
// This program's own definitions take the place of libmvec's, and count.
using Float4 = float __attribute__((vector_size(16)));
using Float8 = float __attribute__((vector_size(32)));
using Float16 = float __attribute__((vector_size(64)));
using Double2 = double __attribute__((vector_size(16)));
using Double4 = double __attribute__((vector_size(32)));
using Double8 = double __attribute__((vector_size(64)));

#define MSHADOW_COUNTING(symbol, Vector, isa, scalar)                               \
  extern "C" __attribute__((target(isa), optimize("no-tree-vectorize")))            \
  Vector symbol(Vector a) {                                                         \
    vector_calls = vector_calls + 1;                                                \
    for (std::size_t i = 0; i < sizeof(a) / sizeof(a[0]); ++i) a[i] = scalar(a[i]); \
    return a;                                                                       \
  }
MSHADOW_COUNTING(_ZGVbN4v_expf, Float4, "sse2", std::exp)
MSHADOW_COUNTING(_ZGVdN8v_expf, Float8, "avx2", std::exp)
MSHADOW_COUNTING(_ZGVeN16v_expf, Float16, "avx512f", std::exp)
MSHADOW_COUNTING(_ZGVbN2v_tanh, Double2, "sse2", std::tanh)
MSHADOW_COUNTING(_ZGVdN4v_tanh, Double4, "avx2", std::tanh)
MSHADOW_COUNTING(_ZGVeN8v_tanh, Double8, "avx512f", std::tanh)
#undef MSHADOW_COUNTING
#endif

namespace {

template <typename Op, typename T>
struct Kernel {
  const T* a;
  T* out;
  std::ptrdiff_t count;
  template <typename Tag>
  MSHADOW_FORCE_INLINE void operator()() const {
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = Op::Map(a[i]);
  }
};

// As users write them.
struct SigmoidWithExpf {
  static float Map(float a) { return 1.0f / (1.0f + expf(-a)); }
};
struct SigmoidWithStdExp {
  static float Map(float a) { return 1.0f / (1.0f + std::exp(-a)); }
};
struct DoubleTanh {
  static double Map(double a) { return std::tanh(a) * 2; }
};
// A function in one arm of a branch.
struct EluWithStdExp {
  static float Map(float a) { return a > 0 ? a : std::exp(a) - 1; }
};
struct EluWithExpf {
  static float Map(float a) {
    if (a > 0) return a * 1.0625f;
    return 2 * (expf(a) - 1);
  }
};
struct TanhAboveZero {
  static double Map(double a) { return a < 0 ? a * a : std::tanh(a); }
};
struct Length {
  static float Map(float a) { return std::sqrt(a); }
};

/// Runs Op with each instruction set and returns whether each went through a vector function.
template <typename Op, typename T>
void CheckUsersOp() {
  const Isa best = mshadow::simd::ActiveIsa();
  for (Isa isa : kAll) {
    if (!mshadow::simd::ForceIsa(isa)) continue;
    SCOPED_TRACE(mshadow::simd::IsaName(isa));
    std::vector<T> a, out(257);
    for (int i = 0; i < 257; ++i) a.push_back(T(i - 128) / 16);
    vector_calls = 0;
    mshadow::simd::Dispatch(Kernel<Op, T>{a.data(), out.data(), 257});
    EXPECT_EQ(vector_calls > 0, MSHADOW_SEES_CALLS == 1);
    for (int i = 0; i < 257; ++i) {
      const T expected = Op::Map(a[i]);
      EXPECT_NEAR(out[i], expected, 8 * std::numeric_limits<T>::epsilon()) << a[i];
    }
  }
  mshadow::simd::ForceIsa(best);
}

TEST(VectorMath, UsersScalarOpsAreVectorised) {
  CheckUsersOp<SigmoidWithExpf, float>();
  CheckUsersOp<SigmoidWithStdExp, float>();
  CheckUsersOp<DoubleTanh, double>();
}

TEST(VectorMath, FunctionsInOneArmOfABranchAreVectorised) {
  CheckUsersOp<EluWithStdExp, float>();
  CheckUsersOp<EluWithExpf, float>();
  CheckUsersOp<TanhAboveZero, double>();
}

TEST(VectorMath, ScalarCallsAreUnaffected) {
  vector_calls = 0;
  volatile float one = 1.0f;
  EXPECT_FLOAT_EQ(expf(one), 2.7182818f);
  EXPECT_DOUBLE_EQ(std::tanh(double(one)), 0.76159415595576489);
  EXPECT_EQ(vector_calls, 0);
}

/// A square root that may set errno is not vectorised.
TEST(VectorMath, SquareRootLeavesErrnoAlone) {
  std::vector<float> a(100, -1.0f), out(100);
  errno = 0;
  mshadow::simd::Dispatch(Kernel<Length, float>{a.data(), out.data(), 100});
  for (float value : out) EXPECT_TRUE(std::isnan(value));
#if MSHADOW_VECTOR_MATH && defined(__GLIBC__) && defined(__OPTIMIZE__)
  EXPECT_EQ(errno, 0);
#endif
}

}  // namespace
