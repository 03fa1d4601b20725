// SPDX-License-Identifier: Apache-2.0
#include "mshadow/simd/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <type_traits>

namespace {

using namespace mshadow::simd;  // NOLINT: the test is about it
constexpr Isa kAll[] = {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512};

struct WhichIsa {
  Isa* seen;
  int* vector_bytes;
  template <typename Tag>
  MSHADOW_FORCE_INLINE void operator()() const {
    *seen = Tag::kIsa;
    *vector_bytes = Tag::kVectorBytes;
  }
};

struct WhichForm {
  template <typename Tag>
  MSHADOW_FORCE_INLINE static void Run(Isa* seen) {
    *seen = Tag::kIsa;
  }
};

TEST(Isa, Names) {
  EXPECT_STREQ(IsaName(Isa::kBaseline), "baseline");
  EXPECT_STREQ(IsaName(Isa::kAvx2), "avx2");
  EXPECT_STREQ(IsaName(Isa::kAvx512), "avx512");
}

TEST(Isa, BaselineIsAlwaysThereAndEachSetHasTheLesserOnes) {
  EXPECT_TRUE(SupportedIsa(Isa::kBaseline));
  EXPECT_TRUE(!SupportedIsa(Isa::kAvx512) || SupportedIsa(Isa::kAvx2));
  EXPECT_TRUE(SupportedIsa(ActiveIsa()));
}

TEST(Isa, DispatchRunsTheForcedSet) {
  const Isa best = ActiveIsa();
  for (Isa isa : kAll) {
    const Isa before = ActiveIsa();
    ASSERT_EQ(ForceIsa(isa), SupportedIsa(isa));
    if (!SupportedIsa(isa)) {
      EXPECT_EQ(ActiveIsa(), before);  // refused and unchanged
      continue;
    }
    EXPECT_EQ(ActiveIsa(), isa);
    Isa seen = Isa::kBaseline;
    int vector_bytes = 0;
    Dispatch(WhichIsa{&seen, &vector_bytes});
    EXPECT_EQ(seen, isa);
    EXPECT_EQ(vector_bytes, 16 << static_cast<int>(isa));
    seen = Isa::kBaseline;
    Call<WhichForm>(&seen);
    EXPECT_EQ(seen, isa);
  }
  ForceIsa(best);
}

/// MSHADOW_ISA is read once, when the program starts; this asks what it would choose now.
Isa Detected(const char* wish) {
  const char* const before = std::getenv("MSHADOW_ISA");
  const std::string kept = before == nullptr ? "" : before;
  wish == nullptr ? unsetenv("MSHADOW_ISA") : setenv("MSHADOW_ISA", wish, 1);
  const Isa isa = detail::DetectIsa();
  before == nullptr ? unsetenv("MSHADOW_ISA") : setenv("MSHADOW_ISA", kept.c_str(), 1);
  return isa;
}

TEST(Isa, EnvironmentLowersTheSet) {
  const Isa best = Detected(nullptr);
  EXPECT_TRUE(SupportedIsa(best));
  EXPECT_EQ(Detected("baseline"), Isa::kBaseline);
  EXPECT_EQ(Detected("avx2"), SupportedIsa(Isa::kAvx2) ? Isa::kAvx2 : Isa::kBaseline);
  EXPECT_EQ(Detected("avx512"), best);
  EXPECT_EQ(Detected("no such set"), best);
}

struct Saxpy {
  float factor;
  const float* x;
  float* y;
  int count;
  template <typename Tag>
  MSHADOW_FORCE_INLINE void operator()() const {
    MSHADOW_IVDEP
    for (int i = 0; i < count; ++i) y[i] += factor * x[i];
  }
};

TEST(Isa, EverySetComputesTheSame) {
  const Isa best = ActiveIsa();
  for (Isa isa : kAll) {
    if (!ForceIsa(isa)) continue;
    for (int count : {0, 1, 3, 15, 16, 17, 63, 64, 100}) {
      float x[128], y[128];
      for (int i = 0; i < 128; ++i) {
        x[i] = float(i);
        y[i] = float(2 * i);
      }
      Dispatch(Saxpy{3.0f, x + 1, y + 1, count});
      for (int i = 0; i < 128; ++i) {
        EXPECT_EQ(y[i], float(i >= 1 && i <= count ? 5 * i : 2 * i)) << IsaName(isa) << count;
      }
    }
  }
  ForceIsa(best);
}

/// out[i] = Op::Map(a[i]), by Dispatch and by Call.
template <typename Op, typename T>
struct MapLoop {
  const T* a;
  T* out;
  int count;
  template <typename Tag>
  MSHADOW_FORCE_INLINE void operator()() const {
    Run<Tag>(a, out, count);
  }
  template <typename Tag>
  MSHADOW_FORCE_INLINE static void Run(const T* a, T* out, int count) {
    MSHADOW_IVDEP
    for (int i = 0; i < count; ++i) out[i] = Op::Map(a[i]);
  }
};

// Branches as users write them, whose arms might raise floating-point exceptions. vector_code.sh
// looks for vectors in the kernels of the structs named Branch....
struct BranchHuber {
  template <typename T>
  MSHADOW_FORCE_INLINE static T Map(T a) {
    const T size = a < 0 ? -a : a;
    return size <= 1 ? a * a / 2 : size - T(0.5);
  }
};
struct BranchLeaky {  // a plain function
  template <typename T>
  static T Map(T a) {
    if (a > 0) return a;
    return a * T(0.125);
  }
};
struct BranchHardSwish {
  template <typename T>
  MSHADOW_FORCE_INLINE static T Map(T a) {
    if (a <= -3) return 0;
    if (a >= 3) return a;
    return a * (a + 3) / 6;
  }
};
struct BranchQuotient {  // what is not taken may be 1 / 0
  template <typename T>
  MSHADOW_FORCE_INLINE static T Map(T a) {
    return a != 0 ? 1 / a : a;
  }
};

template <typename Op, typename T>
void CheckBranch() {
  const Isa best = ActiveIsa();
  for (Isa isa : kAll) {
    if (!ForceIsa(isa)) continue;
    for (int count : {0, 1, 3, 15, 16, 17, 63, 64, 101}) {
      T a[128], by_run[128], by_call[128];
      for (int i = 0; i < 128; ++i) {
        a[i] = T(i * 37 % 64 - 32) / 4;
        by_run[i] = by_call[i] = 77;
      }
      Dispatch(MapLoop<Op, T>{a + 1, by_run + 1, count});
      const T* const from = a + 1;
      T* const to = by_call + 1;
      Call<MapLoop<Op, T>>(from, to, count);
      for (int i = 0; i < 128; ++i) {
        const T expected = i >= 1 && i <= count ? Op::Map(a[i]) : T(77);
        EXPECT_FLOAT_EQ(float(by_run[i]), float(expected)) << IsaName(isa) << count << " " << a[i];
        EXPECT_EQ(by_call[i], by_run[i]) << IsaName(isa) << count << " " << a[i];
      }
    }
  }
  ForceIsa(best);
}

TEST(Isa, BranchesOfUsersAreRight) {
  CheckBranch<BranchHuber, float>();
  CheckBranch<BranchHuber, double>();
  CheckBranch<BranchLeaky, float>();
  CheckBranch<BranchLeaky, double>();
  CheckBranch<BranchHardSwish, float>();
  CheckBranch<BranchQuotient, float>();
}

}  // namespace
