// SPDX-License-Identifier: Apache-2.0
// Every sum of the library over 20 million elements, in float: within 1e-5 of the sum in double, or
// within kShort where chains of additions are short.
// Ones would stay at 2^24 in one running float; on random numbers that would be 5 % off.
#include <gtest/gtest.h>
#include <mshadow/tensor.h>

#include <cmath>
#include <vector>

namespace mshadow {
namespace {

using namespace expr;

#if MSHADOW_DEBUG_KERNELS
constexpr index_t kN = 200000;  // loops are slow: indices alone are tested
#else
constexpr index_t kN = 20000000;
#endif
constexpr index_t kCols = 8;
constexpr double kError = 1e-5, kShort = 3e-7;

/// kN + kCols floats: ones, or random numbers of [0, 1), and the sums in front of each.
struct Elements {
  std::vector<float> value;
  double total = 0;  // of the first kN
  explicit Elements(bool random) : value(kN + kCols, 1.0f) {
    uint32_t state = 12345;
    for (index_t i = 0; random && i < kN + kCols; ++i) {
      state = state * 1664525u + 1013904223u;
      value[i] = static_cast<float>(state >> 8) / 16777216.0f;
    }
    for (index_t i = 0; i < kN; ++i) total += static_cast<double>(value[i]);
  }
  /// The sum of value[x + i] over i < n, n near kN.
  double Sum(index_t x, index_t n) const {
    double sum = total;
    for (index_t i = kN; i < x + n; ++i) sum += static_cast<double>(value[i]);
    for (index_t i = x + n; i < kN; ++i) sum -= static_cast<double>(value[i]);
    for (index_t i = 0; i < x; ++i) sum -= static_cast<double>(value[i]);
    return sum;
  }
  /// (kN, cols): row i begins at element i, so that column x is elements x, x + 1, ..
  Tensor<cpu, 2> Rows(index_t cols) const {
    return Tensor<cpu, 2>(const_cast<float*>(value.data()), Shape2(kN, cols), 1, nullptr);
  }
  Tensor<cpu, 2> Row() const {
    return Tensor<cpu, 2>(const_cast<float*>(value.data()), Shape2(1, kN), kN, nullptr);
  }
  Tensor<cpu, 1> Vector() const {
    return Tensor<cpu, 1>(const_cast<float*>(value.data()), Shape1(kN));
  }
};
const Elements& Ones() {
  static const Elements ones(false);
  return ones;
}
const Elements& Random() {
  static const Elements random(true);
  return random;
}
template <typename F>
void ForBoth(const F& f) {
  f(Ones());
  f(Random());
}
void ExpectNear(double sum, float value, double error = kError) {
  EXPECT_NEAR(static_cast<double>(value) / sum, 1, error) << value << " is not " << sum;
}
template <typename T>
void ExpectSums(const Elements& e, const T& out, index_t n = kN, double error = kError) {
  for (index_t x = 0; x < out.shape_.Size(); ++x) ExpectNear(e.Sum(x, n), out.dptr_[x], error);
}

TEST(LongSums, ReduceWithAxis) {
  ForBoth([](const Elements& e) {
    for (index_t cols : {2, 8}) {
      TensorContainer<cpu, 1> out(Shape1(cols));
      out = reduce_with_axis<red::sum, false>(e.Rows(cols), 0);
      ExpectSums(e, out, kN, kShort);
      out = reduce_with_axis<red::sum, false>(e.Rows(cols) * 1.0f, 0);
      ExpectSums(e, out, kN, kShort);
      TensorContainer<cpu, 2> kept(Shape2(1, cols), 0.0f);
      kept += reduce_keepdim<red::sum, false>(e.Rows(cols), 0);
      ExpectSums(e, kept, kN, kShort);
    }
    TensorContainer<cpu, 1> one(Shape1(1));
    one = reduce_with_axis<red::sum, false>(e.Row(), 1);
    ExpectSums(e, one, kN, kShort);
    one = reduce_with_axis<red::sum, false>(e.Row() * 1.0f, 1);
    ExpectSums(e, one, kN, kShort);
    TensorContainer<cpu, 2> middle(Shape2(1, 2));
    middle = reduce_with_axis<red::sum, false>(
        Tensor<cpu, 3>(e.Row().dptr_, Shape3(1, kN, 2), 1, nullptr), 1);
    ExpectSums(e, middle, kN, kShort);
  });
}

TEST(LongSums, ToOneAxis) {
  ForBoth([](const Elements& e) {
    TensorContainer<cpu, 1> two(Shape1(2)), one(Shape1(1)), eight(Shape1(8));
    two = sum_rows(e.Rows(2));
    ExpectSums(e, two, kN, kShort);
    two = sum_rows(e.Rows(2) * 1.0f);
    ExpectSums(e, two, kN, kShort);
    eight = sumall_except_dim<1>(e.Rows(8));
    ExpectSums(e, eight, kN, kShort);
    eight = sumall_except_dim<0>(e.Rows(8).T());
    ExpectSums(e, eight, kN, kShort);
    one = sumall_except_dim<0>(e.Row());
    ExpectSums(e, one, kN, kShort);
    one = sumall_except_dim<0>(e.Row() * 1.0f);
    ExpectSums(e, one, kN, kShort);
    // The gradient of a broadcast vector.
    two = sumall_except_dim<1>(Tensor<cpu, 4>(e.Row().dptr_, Shape4(1, 2, kN / 2, 1), 1, nullptr));
    EXPECT_NEAR(static_cast<double>(two[0] + two[1]) / e.total, 1, kShort);
  });
}

TEST(LongSums, Cumsum) {
  TensorContainer<cpu, 2> out(Shape2(1, kN));
  const auto check = [&](const Elements& e) {
    double sum = 0;
    for (index_t i = 0; i < kN; ++i) {
      sum += static_cast<double>(e.value[i]);
      if (i % 99991 == 0 || i == kN - 1) ExpectNear(sum, out.dptr_[i], 1e-6);
    }
  };
  ForBoth([&](const Elements& e) {
    out = cumsum(e.Row(), 1);
    check(e);
    out = cumsum(e.Row() * 1.0f, 1);
    check(e);
    Tensor<cpu, 2> column(out.dptr_, Shape2(kN, 1), 1, nullptr);
    column = cumsum(e.Rows(1), 0);
    check(e);
    Tensor<cpu, 1> vector(out.dptr_, Shape1(kN));
    vector = cumsum(reshape(e.Row(), Shape1(kN)), 0);
    check(e);
    // One element of an operand.
    TensorContainer<cpu, 2> last(Shape2(1, 1));
    last = crop(cumsum(e.Row(), 1) * 1.0f, Shape2(1, 1), 0, kN - 1);
    ExpectSums(e, last);
    last = crop(cumsum(e.Rows(1), 0) * 1.0f, Shape2(1, 1), kN - 1, 0);
    ExpectSums(e, last);
  });
}

TEST(LongSums, Products) {
  ForBoth([](const Elements& e) {
    const Tensor<cpu, 2> ones = Ones().Row();
    const Tensor<cpu, 1> one = Ones().Vector();
    for (index_t m : {1, 7}) {
      const Tensor<cpu, 2> rows(ones.dptr_, Shape2(m, kN), 1, nullptr);
      for (index_t n : {1, 8}) {
        TensorContainer<cpu, 2> out(Shape2(m, n));
        const auto check = [&] {
          for (index_t y = 0; y < m; ++y) {
            for (index_t x = 0; x < n; ++x) ExpectNear(e.Sum(x, kN), out[y][x]);
          }
        };
        if (m == 1) {
          out = implicit_dot(rows, e.Rows(n));
          check();
          out = implicit_dot(rows, e.Rows(n) * 1.0f) + 0.0f;
          check();
        }
        out = dot(rows, e.Rows(n));
        check();
        if (m == 7) {
          out = 0.0f;
          out += 2.0f * dot(e.Rows(m).T(), Ones().Rows(n));
          for (index_t y = 0; y < m; ++y) {
            for (index_t x = 0; x < n; ++x) ExpectNear(2 * e.Sum(y, kN), out[y][x]);
          }
        }
      }
    }
    TensorContainer<cpu, 1> two(Shape1(2)), single(Shape1(1));
    two = dot(one, e.Rows(2));
    ExpectSums(e, two);
    two = dot(e.Vector(), Ones().Rows(2));
    ExpectNear(e.total, two[1]);
    VectorDot(single, e.Vector(), one);
    ExpectSums(e, single);
    float* space[3];
    TensorContainer<cpu, 3> batch(Shape3(1, 2, 2));
    BatchGEMM<false, false>(batch, Tensor<cpu, 3>(ones.dptr_, Shape3(1, 2, kN), 1, nullptr),
                            Tensor<cpu, 3>(e.Row().dptr_, Shape3(1, kN, 2), 1, nullptr), 1.0f, 0.0f,
                            Tensor<cpu, 1, float*>(space, Shape1(3)));
    ExpectNear(e.Sum(1, kN), batch[0][1][1]);
  });
}

// All rows go to one, or in turn to three, or mostly to one.
TEST(LongSums, TakeGrad) {
  std::vector<int> memory(kN);
  const Tensor<cpu, 1, int> index(memory.data(), Shape1(kN));
  ForBoth([&](const Elements& e) {
    for (const int kind : {0, 1, 2}) {
      double sum[3] = {0, 0, 0};
      for (index_t i = 0; i < kN; ++i) {
        memory[i] = kind == 0 ? 1 : kind == 1 ? static_cast<int>(i % 3) : i % 50000 == 0 ? 2 : 0;
        sum[memory[i]] += static_cast<double>(e.value[i]);
      }
      {
        const index_t cols = 2;
        TensorContainer<cpu, 2> out(Shape2(3, cols));
        const auto check = [&] {
          for (int k = 0; k < 3; ++k) {
            if (sum[k] == 0) {
              EXPECT_EQ(out[k][0], 0.0f);
            } else {
              ExpectNear(sum[k], out[k][0]);
            }
          }
        };
        out = take_grad(index, e.Rows(cols), 3);
        check();
        out = 1.0f * take_grad(index, e.Rows(cols), 3);
        check();
        out = 0.0f;
        AddTakeGrad(out, index, e.Rows(cols));
        check();
      }
    }
  });
}

TEST(LongSums, AddTakeGradLargeBatch) {
  std::vector<int> sorted(kN), order(kN);
  for (index_t i = 0; i < kN; ++i) {
    sorted[i] = i < 1000 ? 0 : 1;
    order[i] = static_cast<int>(i);
  }
  ForBoth([&](const Elements& e) {
    double few = 0;
    for (index_t i = 0; i < 1000; ++i) few += static_cast<double>(e.value[i]);
    TensorContainer<cpu, 2> out(Shape2(2, 2), 0.0f);
    AddTakeGradLargeBatch(out, Tensor<cpu, 1, int>(sorted.data(), Shape1(kN)),
                          Tensor<cpu, 1, int>(order.data(), Shape1(kN)), e.Rows(2));
    ExpectNear(few, out[0][0]);
    ExpectNear(e.total - few, out[1][0]);
  });
}

// The sum of exponentials, and so the first probability.
TEST(LongSums, Softmax) {
  TensorContainer<cpu, 2> memory(Shape2(2, kN));
  ForBoth([&](const Elements& e) {
    double sum = 0, most = 0;
    for (index_t i = 0; i < kN; ++i) most = std::max(most, static_cast<double>(e.value[i]));
    for (index_t i = 0; i < kN; ++i) sum += std::exp(static_cast<double>(e.value[i]) - most);
    const double first = std::exp(static_cast<double>(e.value[0]) - most) / sum;
    Tensor<cpu, 2> row = e.Row(), out(memory.dptr_, Shape2(1, kN), kN, nullptr);
    Softmax(out, row);
    ExpectNear(first, out.dptr_[0]);
    Tensor<cpu, 3> channels(row.dptr_, Shape3(1, kN, 2), 1, nullptr);
    Tensor<cpu, 3> to(memory.dptr_, Shape3(1, kN, 2), 2, nullptr);
    Softmax(to, channels);
    ExpectNear(first, to.dptr_[0]);
  });
}

TEST(LongSums, MeanVariance) {
  ForBoth([](const Elements& e) {
    double mean = e.total / kN, squares = 0;
    for (index_t i = 0; i < kN; ++i) {
      squares += (static_cast<double>(e.value[i]) - mean) * (static_cast<double>(e.value[i]) - mean);
    }
    TensorContainer<cpu, 1> m(Shape1(2)), v(Shape1(2)), one(Shape1(1)), var(Shape1(1));
    MeanVariance<1>(m, v, e.Rows(2));
    ExpectNear(mean, m[0]);
    EXPECT_NEAR(squares / kN, static_cast<double>(v[0]), kError);
    MeanVariance<0>(one, var, e.Row());
    ExpectNear(mean, one[0]);
    EXPECT_NEAR(squares / kN, static_cast<double>(var[0]), kError);
  });
}

// Windows as large as the image: wide, high, of many columns, deep.
TEST(LongSums, Pooling) {
  ForBoth([](const Elements& e) {
    const auto check = [&](const auto& expression, index_t windows, double scale) {
      TensorContainer<cpu, 2> out(Shape2(1, windows));
      out = reshape(expression, out.shape_);
      for (index_t x = 0; x < windows; ++x) ExpectNear(e.Sum(x, kN) * scale, out[0][x]);
    };
    for (index_t cols : {1, 8}) {
      check(pool<red::sum>(e.Rows(cols), kN, 1, 1, 1), cols, 1);
      check(avg_pool(e.Rows(cols) * 1.0f, kN, 1, 1), cols, 1.0 / kN);
    }
    // Rows that do not follow each other, a window of several columns.
    TensorContainer<cpu, 2> eight(Shape2(1, 1));
    eight = avg_pool(e.Rows(8), kN, 8, 1);
    double mean = 0;
    for (index_t x = 0; x < 8; ++x) mean += e.Sum(x, kN) / kN / 8;
    ExpectNear(mean, eight[0][0]);
    check(pool<red::sum>(e.Row(), 1, kN, 1, 1), 1, 1);
    check(pool<red::sum>(e.Row() * 1.0f, 1, kN, 1, 1), 1, 1);
    check(avg_pool(e.Row(), 1, kN, 1), 1, 1.0 / kN);
    check(avg_pool(e.Row() * 1.0f, 1, kN, 1), 1, 1.0 / kN);
    const Tensor<cpu, 3> deep(e.Row().dptr_, Shape3(kN, 1, 2), 1, nullptr);
    check(pool3d<red::sum>(deep, Shape3(kN, 1, 1), Shape3(1, 1, 1)), 2, 1);
    check(pool3d<red::sum>(deep * 1.0f, Shape3(kN, 1, 1), Shape3(1, 1, 1)), 2, 1);
    check(chpool<red::sum>(deep, kN, 1, 0), 2, 1);
    check(chpool<red::sum>(deep * 1.0f, kN, 1, 0), 2, 1);
  });
}

// A cell in as many windows; the image of a single cell has no others.
TEST(LongSums, Unpooling) {
  ForBoth([](const Elements& e) {
    TensorContainer<cpu, 2> out(Shape2(1, 1));
    const index_t n = kN - 1;
    out = avg_unpool(Tensor<cpu, 2>(e.Row().dptr_, Shape2(n, 1), 1, nullptr), Shape2(1, 1), 2 * n,
                     1, 1, 1, n, 0);
    ExpectSums(e, out, n);
    out = avg_unpool(Tensor<cpu, 2>(e.Row().dptr_, Shape2(1, n), n, nullptr), Shape2(1, 1), 1,
                     2 * n, 1, 1, 0, n);
    ExpectSums(e, out, n);
    out = avg_unpool(Tensor<cpu, 2>(e.Row().dptr_, Shape2(1, n), n, nullptr) * 1.0f, Shape2(1, 1),
                     1, 2 * n, 1, 1, 0, n);
    ExpectSums(e, out, n);
    // The first of many channels.
    const index_t half = kN / 2;
    const Tensor<cpu, 3> src(e.Row().dptr_, Shape3(half, 1, 1), 1, nullptr);
    const Tensor<cpu, 3> grad(e.Row().dptr_, Shape3(2 * half - 1, 1, 1), 1, nullptr);
    const auto unpooled = ch_unpool<red::sum>(src, grad, grad, half, 1, half - 1);
    out = MakePlan(unpooled).Eval(0, 0);  // a statement would compute them all
    ExpectSums(e, out, half);
  });
}

// Sums of 16-bit floats are taken in float: ones beyond 2048, or 256, would stay there.
template <typename DType>
void Check16Bit() {
  constexpr index_t kRows = 60000;
  TensorContainer<cpu, 2, DType> ones(Shape2(kRows, 2));
  TensorContainer<cpu, 1, DType> one(Shape1(kRows));
  TensorContainer<cpu, 1, int> index(Shape1(kRows)), order(Shape1(kRows));
  ones = DType(1.0f);
  one = DType(1.0f);
  index = 0;
  for (index_t i = 0; i < kRows; ++i) order[i] = static_cast<int>(i);
  const float expected = static_cast<float>(DType(static_cast<float>(kRows)));
  TensorContainer<cpu, 1, DType> two(Shape1(2));
  TensorContainer<cpu, 2, DType> row(Shape2(1, 2)), sums(Shape2(kRows, 2)), pooled(Shape2(1, 2));
  const auto check = [&](const auto& out) {
    EXPECT_EQ(static_cast<float>(out.dptr_[1]), expected);
  };
  two = reduce_with_axis<red::sum, false>(ones, 0);
  check(two);
  two = sum_rows(ones);
  check(two);
  sums = cumsum(ones, 0);
  EXPECT_EQ(static_cast<float>(sums[kRows - 1][1]), expected);
  row = take_grad(index, ones, 1);
  check(row);
  row = DType(0.0f);
  AddTakeGrad(row, index, ones);
  check(row);
  row = DType(0.0f);
  AddTakeGradLargeBatch(row, index, order, ones);
  check(row);
  row = implicit_dot(Tensor<cpu, 2, DType>(one.dptr_, Shape2(1, kRows), kRows, nullptr), ones);
  check(row);
  two = dot(one, ones);
  check(two);
  pooled = pool<red::sum>(ones, kRows, 1, 1, 1);
  check(pooled);
}
TEST(LongSums, Of16BitFloats) {
  Check16Bit<half::half_t>();
  Check16Bit<bfloat::bf16_t>();
}

}  // namespace
}  // namespace mshadow
