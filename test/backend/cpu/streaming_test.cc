// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/streaming.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <atomic>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;

/// As if no cache held any result.
class StreamingBlock : public ::testing::Test {
 protected:
  StreamingBlock() : machine_(simd::detail::TheLastLevelCache()) {
    simd::detail::TheLastLevelCache() = {1, 1};
  }
  ~StreamingBlock() override { simd::detail::TheLastLevelCache() = machine_; }

 private:
  const simd::detail::SharedCache machine_;
};

/// 2 a + b in rows that begin `shift` elements behind a line and are `pad` elements apart.
template <typename DType>
void CheckMap(const Shape<2>& shape, index_t pad, index_t shift) {
  SCOPED_TRACE(LogText(shape) + " pad " + std::to_string(pad) + " shift " + std::to_string(shift));
  Guarded<2, DType> a(shape, 0, 2), b(shape), out(shape, pad, shift);
  a.FillRandom(0, 30, 1);
  b.FillRandom(0, 30, 2);
  *out = *a * DType(2) + *b;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < out.Size(); ++i) {
    wrong += !(out.At(i) == static_cast<DType>(a.At(i) * DType(2) + b.At(i)));
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_TRUE(out.Intact());
}

// Of few parts and of many and a rest, with heads and tails of lines; rows that are joined, rows
// that begin where lines do, with and without a rest, and others, which go the ordinary way.
TEST_F(StreamingBlock, PartsOfARow) {
  ForEachIsa([] {
    for (index_t size : {50000u, 53247u, 53248u, 53249u, 70001u}) {
      for (index_t shift : {0u, 1u, 15u}) CheckMap<float>(Shape2(1, size), 0, shift);
    }
    CheckMap<float>(Shape2(300, 201), 0, 3);
    CheckMap<float>(Shape2(20, 3001), 3, 1);
    CheckMap<float>(Shape2(20, 3001), 7, 0);
    CheckMap<float>(Shape2(53, 1024), 16, 0);
    CheckMap<double>(Shape2(101, 511), 1, 0);
    CheckMap<uint8_t>(Shape2(3, 19999), 33, 0);
    CheckMap<double>(Shape2(40, 2051), 0, 3);
    CheckMap<int8_t>(Shape2(11, 9001), 0, 7);
    CheckMap<int64_t>(Shape2(11, 9001), 0, 1);
    CheckMap<half::half_t>(Shape2(20, 5001), 0, 9);
    CheckMap<bfloat::bf16_t>(Shape2(20, 5001), 0, 31);
  });
}

// What is added to each row, long ones and short ones, of which several are computed as one.
TEST_F(StreamingBlock, Broadcast) {
  ForEachIsa([] {
    for (const Shape<2>& shape : {Shape2(33, 2048), Shape2(600, 96), Shape2(601, 112)}) {
      SCOPED_TRACE(LogText(shape));
      Guarded<2> a(shape), out(shape);
      Guarded<1> last(Shape1(shape[1])), first(Shape1(shape[0]));
      a.FillRandom(-1, 1, 1);
      last.FillRandom(-1, 1, 2);
      first.FillRandom(-1, 1, 3);
      const auto check = [&](const auto& bias) {
        std::size_t wrong = 0;
        for (index_t y = 0; y < shape[0]; ++y) {
          for (index_t x = 0; x < shape[1]; ++x) {
            wrong += (*out)[y][x] != (*a)[y][x] + bias(y, x);
          }
        }
        EXPECT_EQ(wrong, 0u);
        EXPECT_TRUE(out.Intact());
      };
      *out = *a + broadcast<1>(*last, shape);
      check([&](index_t, index_t x) { return (*last)[x]; });
      *out = *a + broadcast<0>(*first, shape);
      check([&](index_t y, index_t) { return (*first)[y]; });
    }
  });
}

TEST_F(StreamingBlock, Casts) {
  ForEachIsa([] {
    Guarded<2> a(Shape2(100, 601)), b(Shape2(100, 601), 0, 3);
    Guarded<2, half::half_t> h(Shape2(100, 601), 0, 5);
    Guarded<2, int> n(Shape2(100, 601), 0, 2);
    a.FillRandom(-100, 100, 1);
    *h = tcast<half::half_t>(*a);
    *b = tcast<float>(*h);
    *n = tcast<int>(*a);
    for (std::size_t i = 0; i < a.Size(); ++i) {
      ASSERT_EQ(float(h.At(i)), float(half::half_t(a.At(i))));
      ASSERT_EQ(b.At(i), float(h.At(i)));
      ASSERT_EQ(n.At(i), static_cast<int>(a.At(i)));
    }
    EXPECT_TRUE(b.Intact() && h.Intact() && n.Intact());
  });
}

// What decides whether a statement is streamed: it reads nothing in place, and computes little.
TEST(PastCacheChoice, ReadsInPlace) {
  Guarded<1> a(Shape1(8)), b(Shape1(8));
  const auto begins = [&](const auto& exp) { return mshadow::detail::BeginsAt(a->dptr_, MakePlan(exp)); };
  EXPECT_TRUE(begins(*a));
  EXPECT_TRUE(begins(*b * 2.0f + *a));
  EXPECT_TRUE(begins(tcast<double>(*b - *a)));
  EXPECT_FALSE(begins(*b * 2.0f + 1.0f));
  EXPECT_FALSE(begins(a->Slice(1, 8) + 1.0f));
}

TEST(PastCacheChoice, Statements) {
  Guarded<1> a(Shape1(8));
  using To = Plan<Tensor<cpu, 1>, float>;
  const auto streams = [](const auto& plan) {
    return mshadow::detail::kStreams<sv::saveto, float, To, std::decay_t<decltype(plan)>>;
  };
  EXPECT_TRUE(streams(MakePlan(*a * 2.0f + 1.0f)));
  EXPECT_FALSE(streams(MakePlan(F<op::exp>(*a))));
  EXPECT_FALSE(streams(MakePlan(ScalarExp<float>(1.0f))));
}

TEST(PastCacheChoice, Operands) {
  Guarded<2> a(Shape2(2, 8)), b(Shape2(2, 8));
  Guarded<1> bias(Shape1(8));
  const auto operands = [](const auto& exp) {
    return kFactsOf<std::decay_t<decltype(MakePlan(exp))>>.operands;
  };
  EXPECT_EQ(operands(ScalarExp<float>(1.0f)), 0);
  EXPECT_EQ(operands(*a), 1);
  EXPECT_EQ(operands(F<op::square>(*a * 2.0f) + *b), 2);
  EXPECT_EQ(operands(tcast<double>(*a) + 1.0), 1);
  EXPECT_EQ(operands(*a + broadcast<1>(*bias, a->shape_)), 1);
  EXPECT_EQ(operands(where(*a, *b, *b)), 3);
  EXPECT_GT(operands(mirror(*a) + *b), mshadow::detail::kPlaces);
}

TEST(PastCacheChoice, Stretches) {
  using mshadow::detail::StretchesOf;
  const int expected[] = {4, 4, 3, 2, 1, 1, 1, 1};
  for (int operands = 0; operands < 8; ++operands) {
    EXPECT_EQ(StretchesOf(operands), expected[operands]) << operands;
  }
  EXPECT_EQ(StretchesOf(1000), 1);
}

// Long ones that begin where lines do.
TEST(PastCacheChoice, Rows) {
  const auto stream = [](std::ptrdiff_t first, std::ptrdiff_t cols, std::ptrdiff_t stride) {
    const float* const line = reinterpret_cast<const float*>(std::uintptr_t{1024});
    return mshadow::detail::RowsStream(line + first, stride, cols);
  };
  EXPECT_TRUE(stream(0, 512, 512));
  EXPECT_TRUE(stream(0, 513, 528));
  EXPECT_FALSE(stream(0, 511, 512));
  EXPECT_FALSE(stream(0, 513, 520));
  EXPECT_FALSE(stream(1, 512, 512));
}

// Statements that read what they write are not streamed, but right they are.
TEST_F(StreamingBlock, InPlace) {
  Guarded<2> a(Shape2(30, 3001), 0, 1), b(Shape2(30, 3001));
  a.FillRandom(-1, 1, 1);
  Copy(*b, *a);
  *a = *a * 2.0f + 1.0f;
  for (std::size_t i = 0; i < a.Size(); ++i) ASSERT_EQ(a.At(i), b.At(i) * 2.0f + 1.0f);
  Copy(*b, *a);
  *a += *a * 2.0f;
  for (std::size_t i = 0; i < a.Size(); ++i) ASSERT_EQ(a.At(i), b.At(i) + b.At(i) * 2.0f);
  // Shifted by one row, through a copy.
  Copy(*b, *a);
  a->Slice(1, 30) = a->Slice(0, 29) * 2.0f;
  for (std::size_t i = 3001; i < a.Size(); ++i) ASSERT_EQ(a.At(i), b.At(i - 3001) * 2.0f);
  EXPECT_TRUE(a.Intact());
}

// What is written past the cache is read by the next statement, on other threads.
TEST_F(StreamingBlock, StatementsInTurn) {
#ifdef _OPENMP
  const int threads = omp_get_max_threads();
  omp_set_num_threads(4);
#endif
  Guarded<2> a(Shape2(257, 1031)), b(Shape2(257, 1031), 1), c(Shape2(1031, 257));
  a.FillIota();
  for (int turn = 0; turn < 10; ++turn) {
    *b = *a + float(turn);
    *c = b->T();
    std::size_t wrong = 0;
    for (index_t y = 0; y < 257; ++y) {
      for (index_t x = 0; x < 1031; ++x) wrong += (*c)[x][y] != (*a)[y][x] + float(turn);
    }
    ASSERT_EQ(wrong, 0u);
  }
#ifdef _OPENMP
  omp_set_num_threads(threads);
#endif
}

std::atomic<int> form_run{-1};
template <int form>
void RecordForm(const mshadow::detail::MapTask&, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t,
                std::ptrdiff_t) {
  form_run = form;
}

// Where what is read and written is as much as the cache holds.
TEST_F(StreamingBlock, FromHalfOfTheCacheOn) {
  const mshadow::detail::BlockFunction forms[] = {RecordForm<0>, RecordForm<0>, RecordForm<0>};
  const mshadow::detail::MapLoops loops{forms, nullptr, 1000, 4, false, 1};
  const auto form_of = [&](std::ptrdiff_t cache_bytes) {
    simd::detail::TheLastLevelCache() = {cache_bytes, 64};
    mshadow::detail::ShareMap(loops, {nullptr, nullptr, 1}, 1, 10000, 1000, RecordForm<1>);
    return form_run.load();
  };
  EXPECT_EQ(form_of(80000), 1);
  EXPECT_EQ(form_of(80001), 0);
}

// Of light statements alone, and where the caches hold less than is moved.
TEST_F(StreamingBlock, NarrowVectorsWhereTheyPay) {
  if (!simd::SupportedIsa(simd::Isa::kAvx512)) GTEST_SKIP() << "no AVX-512";
  const mshadow::detail::BlockFunction forms[] = {RecordForm<0>, RecordForm<1>, RecordForm<2>};
  const auto form_of = [&](bool light, std::ptrdiff_t cache_bytes, bool narrow) {
    simd::detail::TheLastLevelCache() = {cache_bytes, 64, narrow};
    const mshadow::detail::MapLoops loops{forms, nullptr, 1000, 4, light, 1};
    mshadow::detail::ShareMap(loops, {nullptr, nullptr, 1}, 1, 10000, 1000, nullptr);
    return form_run.load();
  };
  const simd::Isa best = simd::ActiveIsa();
  simd::ForceIsa(simd::Isa::kAvx512);
  EXPECT_EQ(form_of(true, 160000, true), 1);
  EXPECT_EQ(form_of(true, 160001, true), 2);
  EXPECT_EQ(form_of(true, 160000, false), 2);
  EXPECT_EQ(form_of(false, 160000, true), 2);
  simd::ForceIsa(simd::Isa::kBaseline);
  EXPECT_EQ(form_of(true, 160000, true), 0);
  simd::ForceIsa(best);
}

// All that is large comes from a memory that suits narrow vectors.
TEST_F(StreamingBlock, NarrowVectorsComputeTheSame) {
  const index_t rows = 301, cols = 205;
  TensorContainer<cpu, 2> a(Shape2(rows, cols)), b(a.shape_);
  TensorContainer<cpu, 1> bias(Shape1(cols)), scale(Shape1(rows));
  Random<cpu> random(3);
  random.SampleGaussian(&a, 0, 1);
  random.SampleGaussian(&b, 0, 1);
  random.SampleGaussian(&bias, 0, 1);
  random.SampleGaussian(&scale, 0, 1);
  const auto results = [&](bool narrow) {
    simd::detail::TheLastLevelCache() = {1, 1, narrow};
    std::vector<float> all;
    const auto keep = [&all](auto result) {
      const auto rows_of = result.FlatTo2D();
      for (index_t y = 0; y < rows_of.size(0); ++y) {
        all.insert(all.end(), rows_of[y].dptr_, rows_of[y].dptr_ + rows_of.size(1));
      }
    };
    TensorContainer<cpu, 2> map(a.shape_);
    TensorContainer<cpu, 1> columns(Shape1(cols)), each_row(Shape1(rows)), variance(Shape1(cols));
    map = (a + repmat(bias, rows)) * broadcast<0>(scale, a.shape_) - b * 0.3f;
    keep(map);
    map.Slice(1, 300) += a.Slice(2, 301) * b.Slice(0, 299) + 0.7f;  // one row, in place
    keep(map);
    columns = sum_rows(a * b + 0.1f);
    keep(columns);
    each_row = sumall_except_dim<0>(a - b);
    keep(each_row);
    MeanVariance<1>(columns, variance, a);
    keep(columns);
    keep(variance);
    return all;
  };
  ForEachIsa([&] {
    const std::vector<float> wide = results(false), narrow = results(true);
    std::size_t differing = 0;
    for (std::size_t i = 0; i < wide.size(); ++i) differing += !(wide[i] == narrow[i]);
    EXPECT_EQ(differing, 0u);
  });
}

}  // namespace
}  // namespace mshadow
