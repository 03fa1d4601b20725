// SPDX-License-Identifier: Apache-2.0
// What must hold of every kind of fill: the same numbers for any number of threads, instruction set
// and layout. The distributions: random_distribution_test.cc; arguments: random_members_test.cc.
#include "mshadow/backend/cpu/random.h"
#include "mshadow/core/samplers.h"

#include <gtest/gtest.h>
#include <mshadow/tensor.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using bfloat::bf16_t;
using half::half_t;

// Every kind of fill, so that what must hold of all is written once.
template <typename DType, int dim>
void SampleKind(int kind, Random<cpu, DType>* random, Tensor<cpu, dim, DType>* t) {
  switch (kind) {
    case 0: return random->SampleUniform(t);
    case 1: return random->SampleUniform(t, 1, 50);
    case 2: return random->SampleGaussian(t, 3, 2.5);
    case 3: return random->SampleExponential(t, 0.25);
    case 4: return random->SampleGamma(t, 2.5, 3.0);
    case 5: return random->SamplePoisson(t, 4);
    case 6: return random->SamplePoisson(t, 40);
    case 7: return random->SampleNegativeBinomial(t, 3, 0.3);
    case 8: return random->SampleBeta(t, 2, 0.5);
    case 9: return random->SampleBinomial(t, 9, 0.3);
    case 10: return random->SampleBernoulli(t, 0.3);
    case 11: return random->SampleTruncatedGaussian(t, 3, 2, 1, 50);
    case 12: {
      float weights[] = {1, 0, 3, 2};
      return random->SampleCategorical(t, Tensor<cpu, 1>(weights, Shape1(4)));
    }
    default: return random->SampleGeneralizedNegativeBinomial(t, 5, 0.4);
  }
}
constexpr int kKinds = 14;

template <typename DType>
std::vector<DType> Numbers(int kind, int seed, index_t n, int skip = 0) {
  std::vector<DType> memory(n + 1);
  Tensor<cpu, 1, DType> t(memory.data(), Shape1(n)), none(memory.data(), Shape1(0));
  Random<cpu, DType> random(seed);
  for (int i = 0; i < skip; ++i) SampleKind(kind, &random, &none);
  SampleKind(kind, &random, &t);
  memory.pop_back();
  return memory;
}

template <typename DType>
bool SameBits(const std::vector<DType>& a, const std::vector<DType>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(DType)) == 0;
}

template <typename DType>
class RandomOfType : public ::testing::Test {};
using Types = ::testing::Types<float, double, half_t, bf16_t, std::int32_t, std::uint8_t>;
TYPED_TEST_SUITE(RandomOfType, Types);

TYPED_TEST(RandomOfType, SameNumbersForAnyNumberOfThreads) {
#ifdef _OPENMP
  const int threads = omp_get_max_threads();
  for (int kind = 0; kind < kKinds; ++kind) {
    SCOPED_TRACE(kind);
    omp_set_num_threads(1);
    const auto one = Numbers<TypeParam>(kind, 5, 30011);
    for (const int n : {2, 8}) {
      omp_set_num_threads(n);
      EXPECT_TRUE(SameBits(one, Numbers<TypeParam>(kind, 5, 30011))) << n;
    }
  }
  omp_set_num_threads(threads);
#else
  GTEST_SKIP() << "compiled without OpenMP";
#endif
}

TYPED_TEST(RandomOfType, SameNumbersOnEveryInstructionSet) {
  for (int kind = 0; kind < kKinds; ++kind) {
    SCOPED_TRACE(kind);
    simd::ForceIsa(simd::Isa::kBaseline);
    const auto expected = Numbers<TypeParam>(kind, 5, 5003);
    testing::ForEachIsa([&] {
      const auto numbers = Numbers<TypeParam>(kind, 5, 5003);
      // The two kinds that are computed with vector arithmetic are the same to rounding.
      if ((kind == 2 || kind == 3) && !std::is_integral_v<TypeParam>) {
        const double tolerance = sizeof(TypeParam) == 8   ? 2e-14
                                 : sizeof(TypeParam) == 4 ? 1e-5
                                                          : 0.3;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          ASSERT_NEAR(static_cast<double>(numbers[i]), static_cast<double>(expected[i]), tolerance);
        }
      } else if (kind != 2 && kind != 3) {
        EXPECT_TRUE(SameBits(numbers, expected));
      }
    });
  }
}

// The layout of memory plays no part, and what lies around the elements is left alone.
TYPED_TEST(RandomOfType, SameNumbersInEveryShape) {
  testing::ForEachIsa([] {
    for (int kind = 0; kind < kKinds; ++kind) {
      SCOPED_TRACE(kind);
      const auto expected = Numbers<TypeParam>(kind, 3, 3 * 5 * 7 * 11);
      const auto check = [&](auto&& t) {
        Random<cpu, TypeParam> random(3);
        SampleKind(kind, &random, &*t);
        bool same = true;
        for (std::size_t i = 0; i < t.Size(); ++i) {
          same = same && std::memcmp(&t.At(i), &expected[i], sizeof(TypeParam)) == 0;
        }
        EXPECT_TRUE(same);
        EXPECT_TRUE(t.Intact());
      };
      for (const index_t pad : {0, 1, 5}) {
        check(testing::Guarded<1, TypeParam>(Shape1(1155), pad, 3));
        check(testing::Guarded<2, TypeParam>(Shape2(105, 11), pad));
        check(testing::Guarded<2, TypeParam>(Shape2(3, 385), pad, 1));
        check(testing::Guarded<2, TypeParam>(Shape2(1155, 1), pad));
        // Rows one element short of what is written at a time.
        check(testing::Guarded<2, TypeParam>(Shape2(18, 63), pad));
        check(testing::Guarded<2, TypeParam>(Shape2(37, 31), pad));
        check(testing::Guarded<3, TypeParam>(Shape3(15, 7, 11), pad, 2));
        check(testing::Guarded<4, TypeParam>(Shape4(3, 5, 7, 11), pad));
        check(testing::Guarded<5, TypeParam>(Shape5(3, 5, 1, 7, 11), pad));
      }
      // The beginning does not depend on how much follows.
      for (const index_t n : {1, 15, 16, 17, 63, 64, 65, 128}) {
        auto first = expected;
        first.resize(n);
        EXPECT_TRUE(SameBits(Numbers<TypeParam>(kind, 3, n), first)) << n;
      }
    }
  });
}

TYPED_TEST(RandomOfType, SeedsAndDrawsDiffer) {
  for (int kind = 1; kind < kKinds; ++kind) {
    SCOPED_TRACE(kind);
    if (kind == 8 && std::is_integral_v<TypeParam>) continue;  // all 0
    const auto first = Numbers<TypeParam>(kind, 3, 500);
    EXPECT_TRUE(SameBits(first, Numbers<TypeParam>(kind, 3, 500)));
    EXPECT_FALSE(SameBits(first, Numbers<TypeParam>(kind, 4, 500)));
    EXPECT_FALSE(SameBits(first, Numbers<TypeParam>(kind, 3, 500, 1)));
    EXPECT_FALSE(
        SameBits(Numbers<TypeParam>(kind, 3, 500, 1), Numbers<TypeParam>(kind, 3, 500, 2)));
  }
}

TYPED_TEST(RandomOfType, EmptyTensors) {
  Random<cpu, TypeParam> random(1);
  for (int kind = 0; kind < kKinds; ++kind) {
    Tensor<cpu, 1, TypeParam> none(nullptr, Shape1(0));
    Tensor<cpu, 2, TypeParam> no_rows(nullptr, Shape2(0, 4)), no_columns(nullptr, Shape2(4, 0));
    Tensor<cpu, 2, TypeParam> padded(nullptr, Shape2(4, 0), 8, nullptr);
    SampleKind(kind, &random, &none);
    SampleKind(kind, &random, &no_rows);
    SampleKind(kind, &random, &no_columns);
    SampleKind(kind, &random, &padded);
  }
}

TEST(Random, SeedStartsOver) {
  std::vector<float> a(100), b(100);
  Tensor<cpu, 1> ta(a.data(), Shape1(100)), tb(b.data(), Shape1(100));
  Random<cpu> random(9);
  EXPECT_EQ(random.GetSeed(), 9u);
  random.SampleGaussian(&ta);
  const unsigned word = random.GetRandInt();
  random.SampleGaussian(&tb);
  EXPECT_FALSE(SameBits(a, b));
  random.Seed(9);
  random.SampleGaussian(&tb);
  EXPECT_TRUE(SameBits(a, b));
  EXPECT_EQ(random.GetRandInt(), word);
  random.Seed(-1);
  EXPECT_EQ(random.GetSeed(), 0xFFFFFFFFu);
}

// The place of element i in the counter space, as core/philox.h documents it: what another device
// has to reproduce.
TEST(Random, ElementsAreWhereTheDocumentationSays) {
  const auto floats = Numbers<float>(0, 77, 1000, 5);
  const auto doubles = Numbers<double>(0, 77, 1000, 5);
  const rng::Draw draw = rng::Draw::Of(77, 5);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const rng::Block f = draw.At(i / 64 * 16 + i % 16, 0, 0);
    const std::uint32_t words[] = {f.w0, f.w1, f.w2, f.w3};
    EXPECT_EQ(floats[i], rng::UniformFloat(words[i % 64 / 16])) << i;
    const rng::Block d = draw.At(i / 32 * 16 + i % 16, 0, 0);
    const double pair[] = {rng::UniformDouble(d.w0, d.w1), rng::UniformDouble(d.w2, d.w3)};
    EXPECT_EQ(doubles[i], pair[i % 32 / 16]) << i;
  }
}

}  // namespace
}  // namespace mshadow
