// SPDX-License-Identifier: Apache-2.0
// Random numbers as operands, on every device of the tests: each use has the numbers of its draw.
#include <mshadow/tensor/random_numbers.h>

#include <mshadow/nn.h>
#include <mshadow/random.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <cmath>
#include <cstdint>
#include <string>

#include "error_of.h"
#include "uses.h"

namespace mshadow {
namespace random_numbers_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

/// The expressions of a Random, for the device of the tests.
template <typename DType = float>
struct Numbers {
  explicit Numbers(int seed) : random(seed) {}
  template <int dim>
  auto uniform(const Shape<dim>& shape) {
    return OnDevice(random.uniform(shape));
  }
  template <int dim>
  auto gaussian(const Shape<dim>& shape, double mu = 0, double sigma = 1) {
    return OnDevice(random.gaussian(shape, mu, sigma));
  }
  template <int dim>
  auto bernoulli(const Shape<dim>& shape, double p) {
    return OnDevice(random.bernoulli(shape, p));
  }
  template <typename Variate, int dim>
  static RandomExp<TestDevice, Variate, dim, DType> OnDevice(
      const RandomExp<cpu, Variate, dim, DType>& e) {
    return {e.variate_, e.draw_, e.shape_, nullptr};
  }
  Random<cpu, DType> random;
};

/// Word i of draw n under `seed`, as core/philox.h documents it.
std::uint32_t Word(std::uint32_t seed, std::uint64_t n, std::size_t i) {
  const rng::Block b =
      rng::Draw::Of(seed, n).At(static_cast<std::uint32_t>(i / 64 * 16 + i % 16), 0, 0);
  const std::uint32_t words[] = {b.w0, b.w1, b.w2, b.w3};
  return words[i % 64 / 16];
}
template <int dim>
std::vector<double> Uniforms(const Shape<dim>& shape, std::uint32_t seed, std::uint64_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.Size()); ++i) {
    values.push_back((Word(seed, n, i) >> 8) * 0x1p-24);
  }
  return values;
}

template <int dim>
void CheckUniform(const Shape<dim>& shape) {
  ForEachIsa([&] {
    for (const index_t pad : {0, 3}) {
      Guarded<dim> out(shape, pad, 1);
      Numbers<> random(7);
      const auto first = random.uniform(shape);
      const auto second = random.uniform(shape);
      const std::vector<double> a = Uniforms(shape, 7, 0), b = Uniforms(shape, 7, 1);
      std::vector<double> sums = a;
      for (int times = 0; times < 2; ++times) {
        *out = first;
        ExpectValues(out, a);
      }
      *out += first * 2.0f - second;
      for (std::size_t i = 0; i < a.size(); ++i) {
        sums[i] = a[i] + static_cast<double>(static_cast<float>(2 * a[i] - b[i]));
        sums[i] = static_cast<double>(static_cast<float>(sums[i]));
      }
      ExpectValues(out, sums);
      EXPECT_TRUE(out.Intact());
    }
  });
}
TEST(RandomNumbers, EveryShape) {
  CheckUniform(Shape1(1301));
  CheckUniform(Shape1(1));
  CheckUniform(Shape2(37, 5));
  CheckUniform(Shape2(3, 0));
  CheckUniform(Shape2(5, 64));
  CheckUniform(Shape2(300, 1));
  CheckUniform(Shape2(7, 1201));
  CheckUniform(Shape3(3, 7, 19));
  CheckUniform(Shape4(3, 1, 2, 70));
}

// All that a statement does to an operand.
TEST(RandomNumbers, UnderOtherNodes) {
  const Shape<2> shape = Shape2(35, 13);
  Numbers<> random(5);
  const auto numbers = random.gaussian(shape, 1, 2);
  Guarded<2> memory(shape), out(shape, 1), wide(Shape2(13, 35), 2);
  *memory = numbers;
  const auto same = [](auto& result, const auto& expected) {
    Guarded<2> other(result->shape_);
    *other = expected;
    for (std::size_t i = 0; i < result.Size(); ++i) ASSERT_EQ(result.At(i), other.At(i)) << i;
  };
  *wide = numbers.T();
  same(wide, memory->T());
  *wide = 2.0f * reshape(numbers, wide->shape_);
  same(wide, 2.0f * reshape(*memory, wide->shape_));
  Guarded<2> part(Shape2(30, 4));
  *part = crop(numbers, part->shape_, 3, 7);
  same(part, crop(*memory, part->shape_, 3, 7));
  *part = crop(numbers, part->shape_, 3, 7) + 1.0f;
  same(part, crop(*memory, part->shape_, 3, 7) + 1.0f);
  *out = flip(numbers, 1) + flip(numbers, 0);
  same(out, flip(*memory, 1) + flip(*memory, 0));
  Guarded<2> taller(Shape2(70, 13), 1);
  *taller = concat<0>(numbers, *memory);
  same(taller, concat<0>(*memory, *memory));
  *out = cumsum(numbers, 1) * 2.0f;
  same(out, cumsum(*memory, 1) * 2.0f);
  *out = *memory - broadcast<1>(sumall_except_dim<1>(numbers), shape);
  same(out, *memory - broadcast<1>(sumall_except_dim<1>(*memory), shape));
  Guarded<1> index(Shape1(35));
  for (std::size_t i = 0; i < 35; ++i) index.At(i) = static_cast<float>(i * 11 % 35);
  *out = take(*index, numbers);
  same(out, take(*index, *memory));
  *out = tcast<float>(tcast<double>(numbers));
  same(out, *memory);
}

#ifdef _OPENMP
TEST(RandomNumbers, AnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  const Shape<2> shape = Shape2(301, 997);
  Numbers<> random(11);
  const auto numbers = random.gaussian(shape);
  Guarded<2> one(shape), two(shape, 1), sum(shape, 2);
  omp_set_num_threads(1);
  *one = numbers;
  omp_set_num_threads(3);
  *two = numbers;
  *sum = *one - numbers;
  omp_set_num_threads(before);
  for (std::size_t i = 0; i < one.Size(); ++i) {
    ASSERT_EQ(one.At(i), two.At(i)) << i;
    ASSERT_EQ(sum.At(i), 0.0f) << i;
  }
}
#endif

TEST(RandomNumbers, Bernoulli) {
  const Shape<2> shape = Shape2(101, 103);
  for (const double p : {0.0, 0x1p-32, 0.25, 0.7, 1 - 0x1p-32, 1.0}) {
    Numbers<> random(3);
    Guarded<2> out(shape, 1);
    *out = random.bernoulli(shape, p);
    int ones = 0;
    for (std::size_t i = 0; i < out.Size(); ++i) {
      ASSERT_EQ(out.At(i), Word(3, 0, i) < p * 0x1p32 ? 1.0f : 0.0f) << i;
      ones += out.At(i) == 1;
    }
    EXPECT_NEAR(ones, p * 10403, 4 * std::sqrt(p * (1 - p) * 10403) + 1e-4);
    // The words around p 2^32.
    const rng::BernoulliVariate variate(p);
    for (const double word : {0.0, 1.0, p * 0x1p32 - 1, p * 0x1p32, 0x1p32 - 1}) {
      if (word < 0 || word >= 0x1p32 || word != std::floor(word)) continue;
      EXPECT_EQ(variate.Finish<int>(static_cast<std::uint32_t>(word), {}, 0), word < p * 0x1p32);
    }
  }
}

TEST(RandomNumbers, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Numbers<DType> random(9);
    Guarded<2, DType> out(Shape2(9, 77), 1);
    *out = random.bernoulli(out->shape_, 0.5);
    for (std::size_t i = 0; i < out.Size(); ++i) {
      ASSERT_EQ(static_cast<float>(out.At(i)), Word(9, 0, i) < 0x80000000u ? 1.0f : 0.0f);
    }
    *out = random.uniform(out->shape_);
    int low = 0;
    for (std::size_t i = 0; i < out.Size(); ++i) {
      const float x = static_cast<float>(out.At(i));
      ASSERT_TRUE(x >= 0 && x <= 1);
      low += x < 0.5f;
    }
    EXPECT_NEAR(low, 346, 60);
  });
}

TEST(RandomNumbers, Dropout) {
  const Shape<2> shape = Shape2(41, 57);
  Numbers<> random(3);
  Guarded<2> x(shape, 1), y(shape), z(shape);
  x.FillRandom(1, 2);
  x.At(0) = INFINITY;  // what is dropped is 0
  int infinite = 0;
  for (int draw = 0; draw < 8; ++draw) {
    *y = dropout(*x, 0.75, &random);
    for (std::size_t i = 0; i < y.Size(); ++i) {
      ASSERT_EQ(y.At(i), Word(3, draw, i) < 0x40000000u ? x.At(i) * 4 : 0.0f) << i;
    }
    infinite += std::isinf(y.At(0));
  }
  EXPECT_LT(infinite, 8);
  // Each has a draw of its own, the inner one the first.
  *z = dropout(dropout(*x, 0.5, &random), 0.5, &random);
  for (std::size_t i = 1; i < y.Size(); ++i) {
    const bool kept = Word(3, 8, i) < 0x80000000u && Word(3, 9, i) < 0x80000000u;
    ASSERT_EQ(z.At(i), kept ? x.At(i) * 4 : 0.0f) << i;
  }
}

template <typename F>
void ExpectError(const F& f, const std::string& part, const std::string& other = "") {
  const std::string message = ErrorOf(f);
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_NE(message.find(other), std::string::npos) << message;
}
TEST(RandomNumbers, WrongArguments) {
  Numbers<> random(1);
  Guarded<2> a(Shape2(3, 4)), out(Shape2(3, 4));
  ExpectError([&] { random.bernoulli(Shape1(3), 1.5); }, "bernoulli: 0 <= p <= 1 is needed", "1.5");
  ExpectError([&] { random.bernoulli(Shape1(3), -0.5); }, "p = -0.5");
  ExpectError([&] { random.bernoulli(Shape1(3), std::nan("")); }, "p = nan");
  ExpectError([&] { *out = dropout(*a, 1.0, &random); }, "dropout: p = 1 is out of range");
  ExpectError([&] { *out = dropout(*a, -0.1, &random); }, "dropout: p = -0.1 is out of range");
  ExpectError([&] { *out = *a * random.uniform(Shape2(4, 3)); }, "(3,4)", "(4,3)");
  ExpectError([&] { *out = random.uniform(Shape2(4, 3)); }, "(3,4)", "(4,3)");
  // A draw that failed is none.
  *out = random.uniform(out->shape_);
  ExpectValues(out, Uniforms(out->shape_, 1, 2));
}

}  // namespace
}  // namespace random_numbers_test
}  // namespace mshadow
