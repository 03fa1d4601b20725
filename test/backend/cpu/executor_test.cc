// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/executor.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "extension/reference.h"
#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;

// An op that says nothing of its cost, which is then that of a function.
struct ByAFunction {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return static_cast<DType>(static_cast<float>(a) == 0.0f);
  }
};

// Shapes on both sides of the grain and of every way to split rows and columns among threads.
TEST(Executor, EveryShapePaddedOrNotAboveAndBelowTheGrain) {
  ForEachIsa([] {
    for (Shape<2> shape : {Shape2(1, 1), Shape2(1, 100000), Shape2(100000, 1), Shape2(33333, 3),
                           Shape2(3, 33333), Shape2(257, 401), Shape2(0, 7), Shape2(7, 0)}) {
      for (index_t pad : {0u, 5u}) {
        Guarded<2> a(shape, pad, 1), out(shape, pad);
        a.FillRandom(-1, 1);
        *out = *a * 3.0f - 1.0f;
        *out += *a;
        for (std::size_t i = 0; i < out.Size(); ++i) {
          ASSERT_NEAR(out.At(i), 4.0f * a.At(i) - 1.0f, 1e-6) << i;
        }
        ASSERT_TRUE(out.Intact());
      }
    }
  });
}

// Notices when a second thread calls Map.
std::atomic<const char*> first_thread;
std::atomic<bool> two_threads;
thread_local char this_thread;
struct Witness {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    const char* thread = nullptr;
    if (!first_thread.compare_exchange_strong(thread, &this_thread) && thread != &this_thread) {
      two_threads = true;
    }
    return a;
  }
};
template <typename F>
bool OnThreads(const F& f) {
  first_thread = nullptr;
  two_threads = false;
  f();
  return two_threads;
}

// What is read counts: few elements are shared among threads where each takes many.
TEST(Executor, FewElementsThatTakeMany) {
  const bool threads = MaxThreads() > 1;
  ForEachIsa([&] {
    for (Shape<2> shape :
         {Shape2(3, 44001), Shape2(140, 1000), Shape2(2000, 70), Shape2(70001, 2)}) {
      Guarded<2> a(shape, 1);
      Guarded<1> rows(Shape1(shape[0])), columns(Shape1(shape[1]));
      a.FillRandom(-1, 1);
      EXPECT_EQ(threads, OnThreads([&] {
        *rows = reduce_with_axis<red::maximum, false>(F<Witness>(*a), 1) * 2.0f;
      }));
      EXPECT_EQ(threads, OnThreads([&] {
        *columns = reduce_with_axis<red::minimum, false>(F<Witness>(*a), 0) + 1.0f;
      }));
      std::vector<float> most(shape[0], -2), least(shape[1], 2);
      for (index_t y = 0; y < shape[0]; ++y) {
        for (index_t x = 0; x < shape[1]; ++x) {
          most[y] = std::max(most[y], (*a)[y][x]);
          least[x] = std::min(least[x], (*a)[y][x]);
        }
      }
      for (index_t y = 0; y < shape[0]; ++y) ASSERT_EQ(rows.At(y), 2 * most[y]) << y;
      for (index_t x = 0; x < shape[1]; ++x) ASSERT_EQ(columns.At(x), least[x] + 1) << x;
    }
    Guarded<4> image(Shape4(2, 8, 60, 60)), pooled(Shape4(2, 8, 1, 1));
    image.FillRandom(0, 1);
    EXPECT_EQ(threads, OnThreads([&] {
      *pooled = F<op::identity>(pool<red::maximum>(F<Witness>(*image), 60, 60, 1));
    }));
    for (index_t i = 0; i < 16; ++i) {
      float most = 0;
      for (index_t x = 0; x < 3600; ++x) most = std::max(most, image.At(i * 3600 + x));
      ASSERT_EQ(pooled.At(i), most) << i;
    }
  });
  Guarded<2> small(Shape2(30, 40));
  Guarded<1> sums(Shape1(30));
  small.FillIota();
  EXPECT_FALSE(OnThreads([&] {
    *sums = reduce_with_axis<red::sum, false>(F<Witness>(*small), 1);
  }));
}

// Rows that are shorter than a vector, in one piece and not, with every saver.
TEST(Executor, NarrowRows) {
  for (index_t rows : {1u, 2u, 37u}) {
    for (index_t cols = 1; cols <= 9; ++cols) {
      for (index_t pad : {0u, 1u, 3u}) {
        const Shape<2> shape = Shape2(rows, cols);
        Guarded<2> a(shape, pad, 1), b(shape, 2), out(shape, pad);
        Guarded<1> v(Shape1(cols));
        a.FillRandom(1, 2);
        b.FillRandom(1, 2, 2);
        v.FillIota();
        out.FillIota();
        *out = *a * 2.0f - *b;
        *out += broadcast<1>(*v, a->shape_);
        *out *= *b;
        *out -= 1.0f;
        *out /= *a;
        for (std::size_t i = 0; i < out.Size(); ++i) {
          const double x = a.At(i), y = b.At(i), w = static_cast<double>(i % cols);
          ASSERT_NEAR(out.At(i), ((2 * x - y + w) * y - 1) / x, 1e-5)
              << rows << " x " << cols << " + " << pad << ", element " << i;
        }
        ASSERT_TRUE(out.Intact()) << rows << " x " << cols << " + " << pad;
      }
    }
  }
}

// Rows of functions, whose rests are vectors that reach back: in place and added up, where what is
// computed twice must read what was there before.
TEST(Executor, RestsOfRowsOfFunctions) {
  ForEachIsa([] {
    for (index_t cols = 1; cols <= 41; ++cols) {
      for (index_t pad : {0u, 3u}) {
        const Shape<2> shape = Shape2(3, cols);
        Guarded<2> a(shape, pad, 1), out(shape, pad), half_of(shape, 1);
        a.FillRandom(-1, 1);
        out.FillRandom(1, 2, 2);
        *half_of = *out * 0.5f;
        *out += F<op::exp>(*a);
        *out = F<op::log>(*out);
        *out *= F<op::exp>(*out - *a);
        for (std::size_t i = 0; i < out.Size(); ++i) {
          const double sum = 2.0 * half_of.At(i) + std::exp(double(a.At(i)));
          const double expected = std::log(sum) * (sum * std::exp(-double(a.At(i))));
          ASSERT_NEAR(out.At(i), expected, 1e-5 * (1 + std::fabs(expected))) << cols << ' ' << i;
        }
        ASSERT_TRUE(out.Intact());
      }
    }
  });
}

// Of every type, bool among them, into memory that holds anything.
TEST(Executor, RestsOfRowsOfEveryDType) {
  testing::ForEachDType([](auto zero) {
    using DType = decltype(zero);
    for (index_t cols : {9u, 13u, 17u, 35u}) {
      Guarded<2, DType> a(Shape2(2, cols), 1), out(Shape2(2, cols), 2);
      for (index_t i = 0; i < 2 * cols; ++i) (*a)[i / cols][i % cols] = DType(i % 2);
      *out = F<ByAFunction>(*a);
      for (index_t i = 0; i < 2 * cols; ++i) {
        ASSERT_EQ(static_cast<double>((*out)[i / cols][i % cols]), i % 2 == 0) << cols;
      }
      ASSERT_TRUE(out.Intact());
    }
  });
  TensorContainer<cpu, 2, bool> a(Shape2(2, 13)), out(Shape2(2, 13));
  a = true;
  out = F<ByAFunction>(a);
  for (index_t i = 0; i < 26; ++i) ASSERT_FALSE(out[i / 13][i % 13]);
}

// A plan of one row whose memory is not in a line with the others': rows must not be joined.
TEST(Executor, JoinsRowsOnlyWhereAllOperandsAreContiguous) {
  Guarded<2> flat(Shape2(50, 7)), padded(Shape2(50, 7), 2), out(Shape2(50, 7));
  flat.FillIota();
  padded.FillIota();
  *out = *flat + *padded;
  for (std::size_t i = 0; i < out.Size(); ++i) ASSERT_EQ(out.At(i), 2.0f * i);
  *padded = *flat * 2.0f;
  for (std::size_t i = 0; i < out.Size(); ++i) ASSERT_EQ(padded.At(i), 2.0f * i);
  EXPECT_TRUE(padded.Intact());
}

TEST(Executor, RanksOneToFive) {
  Guarded<1> one(Shape1(120));
  Guarded<3> three(Shape3(4, 5, 6), 1);
  Guarded<4> four(Shape4(2, 3, 4, 5), 2, 1);
  Guarded<5> five(Shape5(2, 3, 2, 2, 5), 1);
  one.FillIota();
  three.FillIota();
  four.FillIota();
  five.FillIota();
  *one = *one + 1;
  *three = *three * *three + 1;
  *four = *four * 2;
  *five = *five - 1;
  for (std::size_t i = 0; i < 120; ++i) {
    ASSERT_EQ(one.At(i), i + 1.0f);
    ASSERT_EQ(three.At(i), i * i + 1.0f);
    ASSERT_EQ(four.At(i), i * 2.0f);
    ASSERT_EQ(five.At(i), i - 1.0f);
  }
  EXPECT_TRUE(three.Intact() && four.Intact() && five.Intact());
}

}  // namespace
}  // namespace mshadow
