// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/run.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <atomic>
#include <cmath>
#include <complex>

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

/// Statements of `shape`, small ones: whose rows follow each other, have gaps, are repeated or one
/// element repeated, go backwards, or are columns.
template <typename DType>
void CheckSmall(const Shape<2>& shape, index_t pad) {
  SCOPED_TRACE(LogText(shape) + " pad " + std::to_string(pad));
  const index_t rows = shape[0], cols = shape[1];
  Guarded<2, DType> a(shape, pad, 1), b(shape), out(shape, pad), t(Shape2(cols, rows), pad);
  Guarded<1, DType> row(Shape1(cols)), column(Shape1(rows));
  const auto fill = [](auto& tensor, std::size_t step) {  // whole numbers, so that all is exact
    for (std::size_t i = 0; i < tensor.Size(); ++i) tensor.At(i) = DType(int(i * step % 10));
  };
  fill(a, 7);
  fill(b, 3);
  fill(t, 13);
  fill(row, 7);
  fill(column, 3);
  const auto check = [&](const char* what, const auto& expected) {
    std::size_t wrong = 0;
    for (index_t y = 0; y < rows; ++y) {
      for (index_t x = 0; x < cols; ++x) {
        wrong += !((*out)[y][x] == static_cast<DType>(expected(y, x)));
      }
    }
    EXPECT_EQ(wrong, 0u) << what;
    EXPECT_TRUE(out.Intact()) << what;
  };
  const auto at = [](const auto& tensor, index_t y, index_t x) { return double(tensor[y][x]); };
  *out = *a + *b;
  check("+", [&](index_t y, index_t x) { return at(*a, y, x) + at(*b, y, x); });
  *out += *a;
  check("+=", [&](index_t y, index_t x) { return 2 * at(*a, y, x) + at(*b, y, x); });
  *out = *a - *out;  // a row has gaps where `pad` is not 0
  check("in place", [&](index_t y, index_t x) { return -at(*a, y, x) - at(*b, y, x); });
  *out = *a * DType(3) + broadcast<1>(*row, shape);
  check("rows", [&](index_t y, index_t x) { return 3 * at(*a, y, x) + double((*row)[x]); });
  *out -= broadcast<1>(*row, shape) * *a;
  check("-=", [&](index_t y, index_t x) {
    return 3 * at(*a, y, x) + double((*row)[x]) * (1 - at(*a, y, x));
  });
  *out = *b + broadcast<0>(*column, shape);
  check("columns", [&](index_t y, index_t x) { return at(*b, y, x) + double((*column)[y]); });
  *out = broadcast<0>(*column, shape);
  check("column", [&](index_t y, index_t) { return double((*column)[y]); });
  *out = t->T();
  check("T", [&](index_t y, index_t x) { return at(*t, x, y); });
  *out = t->T() * *b;
  check("T *", [&](index_t y, index_t x) { return at(*t, x, y) * at(*b, y, x); });
  *out = flip(*a, 0) + *b;
  check("flip 0", [&](index_t y, index_t x) { return at(*a, rows - 1 - y, x) + at(*b, y, x); });
  *out = flip(*a, 1);
  check("flip 1", [&](index_t y, index_t x) { return at(*a, y, cols - 1 - x); });
}

TEST(Small, RowsOfAllKinds) {
  ForEachIsa([] {
    for (index_t rows : {0u, 1u, 2u, 5u, 16u, 17u, 33u}) {
      for (index_t cols : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 31u, 65u}) {
        for (index_t pad : {0u, 3u}) {
          CheckSmall<float>(Shape2(rows, cols), pad);
          CheckSmall<int8_t>(Shape2(rows, cols), pad);
          CheckSmall<half::half_t>(Shape2(rows, cols), pad);
        }
      }
    }
  });
}

// Rows of an expensive function, of less than a vector and more.
TEST(Small, ExpensiveRows) {
  ForEachIsa([] {
    for (index_t rows : {1u, 3u, 40u}) {
      for (index_t cols : {1u, 7u, 8u, 41u}) {
        const Shape<2> shape = Shape2(rows, cols);
        Guarded<2> a(shape, 2), out(shape, 1);
        Guarded<1> row(Shape1(cols));
        a.FillRandom(-1, 1, 1);
        row.FillRandom(-1, 1, 2);
        *out = F<op::exp>(*a) + broadcast<1>(*row, shape);
        for (index_t y = 0; y < rows; ++y) {
          for (index_t x = 0; x < cols; ++x) {
            ASSERT_NEAR((*out)[y][x], std::exp(double((*a)[y][x])) + (*row)[x], 1e-5);
          }
        }
        EXPECT_TRUE(out.Intact());
      }
    }
  });
}

// Twelve operands, of 16 bytes an element, share the buffers.
TEST(Small, ManyLargeOperandsThatRepeat) {
  using Number = std::complex<double>;
  for (index_t rows : {1u, 3u}) {
    for (index_t cols : {200u, 256u, 263u, 519u, 1000u}) {
      const Shape<2> shape = Shape2(rows, cols);
      Guarded<2, Number> out(shape);
      Guarded<2, Number> values(Shape2(12, rows));
      for (index_t k = 0; k < 12; ++k) {
        for (index_t y = 0; y < rows; ++y) (*values)[k][y] = Number(k + 1, y);
      }
      const auto column = [&](index_t k) { return broadcast<0>((*values)[k], shape); };
      *out = column(0) + column(1) + column(2) + column(3) + column(4) + column(5) + column(6) +
             column(7) + column(8) + column(9) + column(10) + column(11);
      for (std::size_t i = 0; i < out.Size(); ++i) {
        Number sum = 0;
        const index_t y = static_cast<index_t>(i / cols);
        for (index_t k = 0; k < 11; ++k) sum += (*values)[k][y];
        ASSERT_EQ(out.At(i), sum + (*values)[11][y]);
      }
      EXPECT_TRUE(out.Intact());
    }
  }
}

// Four axes, whose outer ones have a value each, or share one.
TEST(Small, PlanesThatShareWhatIsRepeated) {
  ForEachIsa([] {
    for (index_t side : {1u, 3u, 4u, 20u}) {
      const Shape<4> shape = Shape4(3, 5, side, side);
      Guarded<4> a(shape), out(shape);
      Guarded<1> bias(Shape1(5)), scale(Shape1(3));
      a.FillRandom(-1, 1, 1);
      bias.FillRandom(-1, 1, 2);
      scale.FillRandom(-1, 1, 3);
      *out = *a + broadcast<1>(*bias, shape);
      for (std::size_t i = 0; i < a.Size(); ++i) {
        ASSERT_EQ(out.At(i), a.At(i) + (*bias)[i / (side * side) % 5]);
      }
      *out = *a * broadcast<0>(*scale, shape) + broadcast<1>(*bias, shape);
      for (std::size_t i = 0; i < a.Size(); ++i) {
        ASSERT_NEAR(out.At(i),
                    double(a.At(i)) * (*scale)[i / (5 * side * side)] +
                        (*bias)[i / (side * side) % 5],
                    1e-6);
      }
      EXPECT_TRUE(out.Intact());
    }
  });
}

std::atomic<int> form_run{-1};
template <int form>
void RecordForm(const mshadow::detail::MapTask&, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t,
                std::ptrdiff_t) {
  form_run = form;
}

// Of light statements alone, and where the caches hold less than is moved.
TEST_F(StreamingBlock, NarrowVectorsWhereTheyPay) {
  if (!simd::SupportedIsa(simd::Isa::kAvx512)) GTEST_SKIP() << "no AVX-512";
  const mshadow::detail::BlockFunction forms[] = {RecordForm<0>, RecordForm<1>, RecordForm<2>};
  const auto form_of = [&](bool light, std::ptrdiff_t cache_bytes, bool narrow) {
    simd::detail::TheLastLevelCache() = {cache_bytes, 64, narrow};
    const mshadow::detail::MapLoops loops{forms, 1000, 4, light};
    mshadow::detail::ShareMap(mshadow::kThreadTeam, loops, {nullptr, nullptr, 1}, 1, 10000,
                              1000);
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
