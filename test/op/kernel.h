// SPDX-License-Identifier: Apache-2.0
// Runs an op as a kernel does, on arrays, with every instruction set of the machine.
#ifndef MSHADOW_TEST_OP_KERNEL_H_
#define MSHADOW_TEST_OP_KERNEL_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "mshadow/simd/isa.h"
#include "mshadow/simd/vector_math.h"

namespace op_test {

template <typename Op, int kArguments, typename T>
struct Kernel {
  const T *a, *b, *c;
  T* out;
  std::ptrdiff_t count;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      if constexpr (kArguments == 1) out[i] = Op::Map(a[i]);
      if constexpr (kArguments == 2) out[i] = Op::Map(a[i], b[i]);
      if constexpr (kArguments == 3) out[i] = Op::Map(a[i], b[i], c[i]);
    }
  }
};

/// out[i] = op(a[i], b[i], c[i]) with the active instruction set.
template <typename T>
using Run = void (*)(const T* a, const T* b, const T* c, T* out, std::ptrdiff_t count);

template <typename Op, int kArguments, typename T>
Run<T> RunOf() {
  return [](const T* a, const T* b, const T* c, T* out, std::ptrdiff_t count) {
    mshadow::simd::Dispatch(Kernel<Op, kArguments, T>{a, b, c, out, count});
  };
}

/// Equal as numbers, zeros of the same sign; NaN equals NaN.
template <typename T>
bool Same(T x, T y) {
  const auto a = static_cast<double>(x);
  const auto b = static_cast<double>(y);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

/// A way to compute expected results: in double, one element at a time.
using Expected = double (*)(double a, double b, double c);

/// Every instruction set, with b and c of the length of a or empty, at counts that leave every
/// length of tail. `relative` = 0: the results must be the same.
template <typename T>
void Check(const char* name, Run<T> run, Expected expected, const std::vector<T>& a,
           const std::vector<T>& b, const std::vector<T>& c, double relative) {
  using mshadow::simd::Isa;
  SCOPED_TRACE(name);
  const Isa best = mshadow::simd::ActiveIsa();
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (!mshadow::simd::ForceIsa(isa)) continue;
    SCOPED_TRACE(mshadow::simd::IsaName(isa));
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(a.size());
    for (std::ptrdiff_t count : {size, size - 1, std::ptrdiff_t{1}, std::ptrdiff_t{0}}) {
      const T untouched = T(77);
      std::vector<T> out(a.size() + 1, untouched);
      const std::ptrdiff_t first = size - count;  // another alignment, too
      run(a.data() + first, b.empty() ? nullptr : b.data() + first,
          c.empty() ? nullptr : c.data() + first, out.data(), count);
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        const T x = a[first + i];
        const T y = b.empty() ? T(0) : b[first + i];
        const T z = c.empty() ? T(0) : c[first + i];
        const double exact = expected(double(x), double(y), double(z));
        const T want = static_cast<T>(exact);
        const double distance = std::fabs(static_cast<double>(out[i]) - exact);
        const double unit = static_cast<double>(std::numeric_limits<T>::denorm_min());
        const bool close = relative > 0 && distance <= relative * std::fabs(exact) + unit;
        ASSERT_TRUE(Same(out[i], want) || close)
            << double(x) << ", " << double(y) << ", " << double(z) << " gives " << double(out[i])
            << ", not " << double(want);
      }
      ASSERT_TRUE(Same(out[count], untouched)) << "wrote behind the end";
    }
  }
  mshadow::simd::ForceIsa(best);
}

/// Zeros, ones, infinities, NaN, the ends of the normal and the subnormal range, and values where
/// roundings and reductions turn.
template <typename T>
std::vector<T> Specials() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> positive = {T(0), Limits::denorm_min(), Limits::min(), Limits::epsilon(), T(0.25),
                             T(0.5), T(0.75), T(1), T(1.5), T(2), T(2.5), T(3), T(7), T(10), T(88),
                             T(89), T(104), T(710), T(746), T(4097.5), T(8388607.5), T(8388608),
                             T(16777217), T(4503599627370495.5), T(1e30), Limits::max(),
                             Limits::infinity(), Limits::quiet_NaN()};
  std::vector<T> all;
  for (T value : positive) {
    all.push_back(value);
    all.push_back(-value);
  }
  return all;
}

/// Every pair of values.
template <typename T>
void Pairs(const std::vector<T>& values, std::vector<T>* a, std::vector<T>* b) {
  for (T x : values) {
    for (T y : values) {
      a->push_back(x);
      b->push_back(y);
    }
  }
}

}  // namespace op_test
#endif  // MSHADOW_TEST_OP_KERNEL_H_
