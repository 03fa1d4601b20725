// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce.h>
#include <mshadow/extension/broadcast.h>
#include <mshadow/extension/reduceto1d.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "testing.h"

namespace {

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;

/// A product by the protocol of 2.x alone, without Combine.
struct Product {
  template <typename DType>
  static void Reduce(volatile DType& dst, volatile DType src) {  // NOLINT
    dst = dst * src;
  }
  template <typename DType>
  static void SetInitValue(DType& init) {  // NOLINT
    init = DType(1);
  }
};

/// 10 dst + src: right only if the values come one by one, in row-major order.
struct Digits {
  template <typename DType>
  static void Reduce(volatile DType& dst, volatile DType src) {  // NOLINT
    dst = dst * 10 + src;
  }
  template <typename DType>
  static void SetInitValue(DType& init) {  // NOLINT
    init = DType(0);
  }
};

/// sqrt(sum a^2), with a last step.
struct Norm {
  template <typename DType>
  static void Reduce(volatile DType& dst, volatile DType src) {  // NOLINT
    dst = dst + src * src;
  }
  template <typename DType>
  static void SetInitValue(DType& init) {  // NOLINT
    init = DType(0);
  }
  template <typename DType>
  static void Finalize(volatile DType& dst) {  // NOLINT
    dst = std::sqrt(static_cast<double>(dst));
  }
};

/// What `Reducer` makes of src for each index of axis `keep`, in double, one value at a time.
template <typename Reducer, int dim, typename DType>
std::vector<double> Expected(Guarded<dim, DType>* src, int keep) {
  const Shape<dim> shape = (*src)->shape_;
  std::vector<double> result(shape[keep]);
  for (double& r : result) Reducer::SetInitValue(r);
  const std::size_t inner = shape.ProdShape(keep + 1, dim);
  for (std::size_t i = 0; i < src->Size(); ++i) {
    volatile double& r = result[i / inner % shape[keep]];
    Reducer::Reduce(r, static_cast<double>(static_cast<float>(src->At(i))));
  }
  return result;
}

template <typename Reducer, int keep, int dim, typename DType>
void Check(const Shape<dim>& shape, index_t pad, index_t shift, double tolerance) {
  SCOPED_TRACE(LogText(shape) + " keep " + std::to_string(keep) + " pad " + std::to_string(pad));
  Guarded<dim, DType> src(shape, pad, shift);
  src.FillRandom(0, 3, 7);
  Guarded<1, DType> dst(Shape1(shape[keep]), 0, shift);
  const std::vector<double> expected = Expected<Reducer>(&src, keep);
  MapReduceKeepHighDim<sv::saveto, Reducer, keep>(&*dst, *src);
  for (index_t c = 0; c < shape[keep]; ++c) {
    const double result = static_cast<float>(dst.At(c));
    ASSERT_NEAR(result, expected[c], tolerance * std::abs(expected[c]) + 1e-30) << c;
  }
  EXPECT_TRUE(dst.Intact());
}

template <typename Reducer, typename DType>
void CheckMatrices(double tolerance) {
  for (index_t pad : {0, 3}) {
    for (const Shape<2>& s : {Shape2(1, 1), Shape2(1, 64), Shape2(5, 3), Shape2(70, 1),
                              Shape2(33, 17), Shape2(9, 131), Shape2(3, 2500), Shape2(301, 3)}) {
      Check<Reducer, 0, 2, DType>(s, pad, 1, tolerance);
      Check<Reducer, 1, 2, DType>(s, pad, 1, tolerance);
    }
  }
}

template <typename Reducer, typename DType>
void CheckShapes(double tolerance) {
  CheckMatrices<Reducer, DType>(tolerance);
  Check<Reducer, 0, 1, DType>(Shape1(7), 0, 1, tolerance);
  for (index_t pad : {0, 3}) {
    for (const Shape<4>& s : {Shape4(3, 5, 7, 7), Shape4(1, 3, 2, 90), Shape4(2, 1, 40, 9),
                              Shape4(4, 2, 3, 200), Shape4(2, 3, 2, 1030)}) {
      Check<Reducer, 0, 4, DType>(s, pad, 2, tolerance);
      Check<Reducer, 1, 4, DType>(s, pad, 2, tolerance);
      Check<Reducer, 2, 4, DType>(s, pad, 2, tolerance);
      Check<Reducer, 3, 4, DType>(s, pad, 2, tolerance);
    }
  }
}

TEST(Reduce, SumOfFloats) {
  ForEachIsa([] {
    CheckShapes<red::sum, float>(1e-6);
    CheckMatrices<red::sum, double>(1e-7);  // the expected values pass through float
  });
}

TEST(Reduce, ExtremesAreExact) {
  ForEachIsa([] {
    CheckShapes<red::maximum, float>(0);
    CheckMatrices<red::minimum, float>(0);
    CheckMatrices<red::maximum, half::half_t>(0);
  });
}

TEST(Reduce, SixteenBitFloatsAccumulateInFloat) {
  ForEachIsa([] {
    CheckMatrices<red::sum, half::half_t>(5e-4);  // half an ulp of the result
    CheckMatrices<red::sum, bfloat::bf16_t>(4e-3);
  });
}

TEST(Reduce, EveryIntegerType) {
  ForEachIsa([] {
    Check<red::maximum, 1, 2, uint8_t>(Shape2(50, 37), 3, 1, 0);
    Check<red::minimum, 0, 2, int8_t>(Shape2(37, 500), 3, 1, 0);
    Check<red::sum, 0, 2, uint8_t>(Shape2(37, 60), 0, 1, 0);
    Check<red::sum, 1, 2, int32_t>(Shape2(500, 37), 3, 1, 0);
    Check<red::sum, 0, 2, int64_t>(Shape2(37, 1200), 0, 1, 0);
    Check<red::sum, 1, 2, int16_t>(Shape2(500, 37), 3, 1, 0);
    Check<red::sum, 1, 2, uint16_t>(Shape2(500, 37), 3, 1, 0);
    Check<red::sum, 1, 2, uint64_t>(Shape2(500, 37), 3, 1, 0);
    bool values[2][70] = {};
    bool result[70];
    values[1][3] = true;
    Tensor<cpu, 1, bool> dst(result, Shape1(70));
    dst = reduce_except_dim<1, red::maximum>(Tensor<cpu, 2, bool>(values[0], Shape2(2, 70)));
    for (int i = 0; i < 70; ++i) EXPECT_EQ(result[i], i == 3);
  });
}

TEST(Reduce, OwnReducers) {
  ForEachIsa([] {
    Check<Product, 1, 2, float>(Shape2(6, 300), 3, 1, 1e-6);
    Check<Product, 0, 2, float>(Shape2(300, 6), 3, 1, 1e-6);
    Check<Product, 1, 4, double>(Shape4(2, 3, 2, 5), 0, 1, 1e-6);
  });
  Guarded<3, int64_t> src(Shape3(2, 3, 4), 1);
  src.FillIota();
  for (std::size_t i = 0; i < src.Size(); ++i) src.At(i) %= 10;
  Guarded<1, int64_t> middle(Shape1(3)), last(Shape1(4));
  MapReduceKeepHighDim<sv::saveto, Digits, 1>(&*middle, *src);
  EXPECT_EQ((*middle)[0], 1232345);  // 0 1 2 3, 12 13 14 15
  EXPECT_EQ((*middle)[1], 45676789);
  EXPECT_EQ((*middle)[2], 89010123);
  MapReduceKeepLowest<sv::saveto, Digits>(&*last, *src);
  EXPECT_EQ((*last)[0], 48260);  // 0 4 8, 12 16 20
  EXPECT_EQ((*last)[3], 371593);
  Guarded<2> v(Shape2(1, 2));
  v.At(0) = 3;
  v.At(1) = 4;
  Guarded<1> norm(Shape1(1));
  MapReduceKeepHighDim<sv::saveto, Norm, 0>(&*norm, *v);
  EXPECT_EQ((*norm)[0], 5.0f);
}

TEST(Reduce, NothingGivesTheInitialValue) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const Shape<3>& shape : {Shape3(0, 4, 5), Shape3(3, 4, 0)}) {
    Guarded<3> src(shape, 2);
    Guarded<1> dst(Shape1(4));
    *dst = 1.0f;
    MapReduceKeepHighDim<sv::plusto, red::sum, 1>(&*dst, *src);
    EXPECT_EQ((*dst)[3], 1.0f);
    MapReduceKeepHighDim<sv::saveto, red::maximum, 1>(&*dst, *src);
    EXPECT_EQ((*dst)[0], -inf);
    MapReduceKeepHighDim<sv::saveto, red::minimum, 1>(&*dst, *src);
    EXPECT_EQ((*dst)[3], inf);
  }
  Guarded<2> none(Shape2(0, 4)), narrow(Shape2(4, 0));
  Guarded<1> dst(Shape1(4)), empty(Shape1(0));
  EXPECT_THROW((MapReduceKeepLowest<sv::saveto, red::sum>(&*dst, *none)), Error);
  MapReduceKeepLowest<sv::saveto, red::sum>(&*empty, *narrow);
  Guarded<3> no_rows(Shape3(4, 0, 5));
  MapReduceKeepHighDim<sv::saveto, Product, 0>(&*dst, *no_rows);
  EXPECT_EQ((*dst)[2], 1.0f);
}

TEST(Reduce, NanPropagatesOnEveryPath) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ForEachIsa([nan] {
    for (index_t pad : {0, 3}) {
      for (const Shape<4>& shape : {Shape4(3, 5, 4, 3), Shape4(2, 5, 2, 300), Shape4(1, 5, 1, 9)}) {
        Guarded<4> src(shape, pad);
        const std::size_t inner = src.Size() / shape[0] / shape[1];
        for (std::size_t where : {std::size_t(0), inner / 2, inner - 1}) {
          src.FillRandom(-1, 1);
          src.At(2 * inner + where) = nan;
          Guarded<1> dst(Shape1(5));
          MapReduceKeepHighDim<sv::saveto, red::maximum, 1>(&*dst, *src);
          for (index_t c = 0; c < 5; ++c) EXPECT_EQ(std::isnan((*dst)[c]), c == 2) << where;
          MapReduceKeepHighDim<sv::saveto, red::minimum, 1>(&*dst, *src);
          for (index_t c = 0; c < 5; ++c) EXPECT_EQ(std::isnan((*dst)[c]), c == 2) << where;
          Guarded<1> last(Shape1(shape[3]));
          MapReduceKeepHighDim<sv::saveto, red::maximum, 3>(&*last, *src);
          for (index_t x = 0; x < shape[3]; ++x) {
            EXPECT_EQ(std::isnan((*last)[x]), x == static_cast<index_t>(where) % shape[3]);
          }
        }
      }
    }
  });
}

TEST(Reduce, TransposedSources) {
  ForEachIsa([] {
    Guarded<2> m(Shape2(301, 70), 3);
    m.FillRandom(0, 1);
    Guarded<1> by_row(Shape1(301)), by_col(Shape1(70));
    const std::vector<double> row_sums = Expected<red::sum>(&m, 0);
    const std::vector<double> col_sums = Expected<red::sum>(&m, 1);
    *by_row = sum_rows((*m).T());
    *by_col = sumall_except_dim<0>((*m).T() * 1.0f);
    for (index_t i = 0; i < 301; ++i) EXPECT_NEAR((*by_row)[i], row_sums[i], 1e-5 * row_sums[i]);
    for (index_t i = 0; i < 70; ++i) EXPECT_NEAR((*by_col)[i], col_sums[i], 1e-5 * col_sums[i]);
    EXPECT_TRUE(by_row.Intact() && by_col.Intact());
  });
}

/// A node of third-party code: its plan has nothing but Eval.
struct Ramp : public MakeTensorExp<Ramp, Tensor<cpu, 2, float>, 2, float> {
  explicit Ramp(const Shape<2>& shape) { this->shape_ = shape; }
};

TEST(Reduce, RowsThatCanBeJoinedInGroups) {
  ForEachIsa([] {
    Guarded<4> src(Shape4(3, 5, 6, 7)), padded(Shape4(3, 5, 6, 7), 1);
    Guarded<1> weight(Shape1(5)), dst(Shape1(5)), other(Shape1(5));
    src.FillRandom(0, 1);
    padded.FillRandom(0, 1);
    weight.FillRandom(1, 2);
    *dst = sumall_except_dim<1>(*src * broadcast<1>(*weight, src->shape_));
    *other = sumall_except_dim<1>(*padded * broadcast<1>(*weight, src->shape_));
    const std::vector<double> sums = Expected<red::sum>(&src, 1);
    for (index_t c = 0; c < 5; ++c) {
      EXPECT_NEAR((*dst)[c], sums[c] * (*weight)[c], 1e-4);
      EXPECT_NEAR((*other)[c], sums[c] * (*weight)[c], 1e-4);
    }
  });
}

TEST(Reduce, SumOfSixteenMillion) {
  const std::size_t size = std::size_t(1) << 24;
  std::vector<float> values(size);
  double exact = 0;
  uint32_t state = 1;
  for (float& v : values) {
    state = state * 1664525u + 1013904223u;
    v = 0.1f + static_cast<float>(state >> 8) / 16777216.0f;
    exact += v;
  }
  Guarded<1> one(Shape1(1)), three(Shape1(4));
  ForEachIsa([&] {
    const index_t n = static_cast<index_t>(size);
    *one = sumall_except_dim<0>(Tensor<cpu, 2>(values.data(), Shape2(1, n)));
    EXPECT_NEAR((*one)[0] / exact, 1, 2e-7);
    *one = sum_rows(Tensor<cpu, 2>(values.data(), Shape2(n, 1)));
    EXPECT_NEAR((*one)[0] / exact, 1, 2e-7);
    *three = sum_rows(Tensor<cpu, 2>(values.data(), Shape2(n / 4, 4)));
    EXPECT_NEAR(((*three)[0] + (*three)[1] + (*three)[2] + (*three)[3]) / exact, 1, 1e-6);
    // Rows of 3 padded to 4: a fourth of the values stays out.
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += i % 4 == 3 ? 0 : values[i];
    Guarded<1> columns(Shape1(3));
    *columns = sum_rows(Tensor<cpu, 2>(values.data(), Shape2(n / 4, 3), 4, nullptr));
    EXPECT_NEAR(((*columns)[0] + (*columns)[1] + (*columns)[2]) / sum, 1, 1e-6);
    Tensor<cpu, 3> high(values.data(), Shape3(1, n / 4, 3), 4, nullptr);
    *one = sumall_except_dim<0>(high);
    EXPECT_NEAR((*one)[0] / sum, 1, 2e-7);
  });
}

#ifdef _OPENMP
TEST(Reduce, OneAndTwoThreadsGiveTheSame) {
  const int most = omp_get_max_threads();
  Guarded<4> src(Shape4(9, 40, 30, 41));
  src.FillRandom(-1, 1);
  Guarded<2> m((Shape2(9 * 40 * 30, 41)), 3);
  m.FillRandom(-1, 1);
  Guarded<1> a0(Shape1(9)), a1(Shape1(40)), a3(Shape1(41)), b(Shape1(41)), c(Shape1(10800));
  std::vector<float> before;
  for (int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    *a0 = sumall_except_dim<0>(*src);
    *a1 = sumall_except_dim<1>(*src * *src);
    *a3 = sumall_except_dim<3>(*src);
    *b = sum_rows(*m);
    *c = sumall_except_dim<0>(*m);
    std::vector<float> values;
    for (Guarded<1>* v : {&a0, &a1, &a3, &b, &c}) {
      for (std::size_t i = 0; i < v->Size(); ++i) values.push_back(v->At(i));
    }
    if (threads > 1) {
      EXPECT_EQ(values, before);
    }
    before = values;
  }
  omp_set_num_threads(most);
}
#endif

}  // namespace

namespace mshadow {
namespace expr {
template <>
class Plan<Ramp, float> {
 public:
  explicit Plan(const Ramp&) {}
  MSHADOW_XINLINE float Eval(index_t y, index_t x) const {
    return static_cast<float>(y * 100 + x);
  }
};
}  // namespace expr
}  // namespace mshadow

namespace {
TEST(Reduce, PlansWithEvalAlone) {
  ForEachIsa([] {
    Guarded<1> rows(Shape1(30)), cols(Shape1(20));
    *cols = sum_rows(Ramp(Shape2(30, 20)));
    *rows = reduce_except_dim<0, red::maximum>(Ramp(Shape2(30, 20)));
    for (index_t i = 0; i < 20; ++i) EXPECT_EQ((*cols)[i], 100 * 435 + 30 * i);
    for (index_t i = 0; i < 30; ++i) EXPECT_EQ((*rows)[i], 100 * i + 19);
  });
}
}  // namespace
