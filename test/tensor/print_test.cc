// SPDX-License-Identifier: Apache-2.0
// Tensors and expressions as text. The expected texts of tensors are those of NumPy 2, of
// str(numpy.array(values, type).reshape(shape)).
#include <mshadow/print.h>
#include <mshadow/tensor_blob.h>

#include <cstdint>
#include <initializer_list>
#include <iomanip>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>

#include "error_of.h"
#include "testing.h"

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT
using mshadow::testing::ErrorOf;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// A tensor of these values, rows padded, with others between the rows.
template <typename DType, typename V, int dim>
struct Values {
  Values(std::initializer_list<V> values, const Shape<dim>& shape)
      : stride(shape[dim - 1] + (dim > 1 ? 3 : 0)),
        memory(new DType[shape.ProdShape(0, dim - 1) * stride + 1]),
        tensor(memory.get(), shape, stride, nullptr) {
    for (index_t i = 0; i < shape.ProdShape(0, dim - 1) * stride; ++i) {
      memory[i] = static_cast<DType>(99);
    }
    index_t i = 0;
    for (const V& value : values) {
      memory[i / shape[dim - 1] * stride + i % shape[dim - 1]] = static_cast<DType>(value);
      ++i;
    }
  }
  index_t stride;
  std::unique_ptr<DType[]> memory;
  Tensor<cpu, dim, DType> tensor;
};

template <typename DType>
using Given = std::conditional_t<std::is_integral_v<DType>, DType, double>;

template <typename DType, int dim>
std::string Text(std::initializer_list<Given<DType>> values, const Shape<dim>& shape) {
  return ToString(Values<DType, Given<DType>, dim>(values, shape).tensor);
}
template <typename DType>
std::string Text(std::initializer_list<Given<DType>> values) {
  return Text<DType>(values, Shape1(values.size()));
}

template <typename T>
std::string Streamed(const T& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

/// 0, step, 2 * step, ...
template <typename DType, int dim>
TensorContainer<cpu, dim, DType> Counted(const Shape<dim>& shape, double step = 1) {
  TensorContainer<cpu, dim, DType> t(shape);
  for (index_t i = 0; i < shape.Size(); ++i) t.dptr_[i] = static_cast<DType>(i * step);
  return t;
}

TEST(Print, FloatsHaveOnePrecisionAndOneNotation) {
  EXPECT_EQ(Text<float>({3.0}), "[3.]");
  EXPECT_EQ(Text<float>({0.0, -0.0, 0.0}), "[ 0. -0.  0.]");
  EXPECT_EQ(Text<float>({1.0, 0.5, -0.25, 10.0}), "[ 1.    0.5  -0.25 10.  ]");
  EXPECT_EQ(Text<float>({0.1, 0.2, 0.3333333333333333}), "[0.1        0.2        0.33333334]");
  EXPECT_EQ(Text<float>({0.00123456789, 1.0, 0.5}), "[0.00123457 1.         0.5       ]");
  EXPECT_EQ(Text<float>({0.1, 16777216.0, 99999992.0}),
            "[1.0000000e-01 1.6777216e+07 9.9999992e+07]");
  EXPECT_EQ(Text<double>({0.1, 0.6666666666666666, 1.5}), "[0.1        0.66666667 1.5       ]");
  EXPECT_EQ(Text<half::half_t>({0.1, 0.6666666666666666, 2048.0, -1.5}),
            "[ 9.998e-02  6.665e-01  2.048e+03 -1.500e+00]");
  EXPECT_EQ(Text<half::half_t>({0.015625, 2.5}), "[0.01563 2.5    ]");
  EXPECT_EQ(Text<float>({0.01, 10.0}), "[ 0.01 10.  ]");
  EXPECT_EQ(Text<float>({0.01, 10.01}), "[1.000e-02 1.001e+01]");
  EXPECT_EQ(Text<float>({100000000.0, 250000000.0, 1.0}), "[1.0e+08 2.5e+08 1.0e+00]");
  EXPECT_EQ(Text<float>({1e-05, 0.25}), "[1.0e-05 2.5e-01]");
  EXPECT_EQ(Text<float>({5e-5, 2e-4}), "[5.e-05 2.e-04]");
  EXPECT_EQ(Text<float>({1e-4, 2e-4}), "[0.0001 0.0002]");
  EXPECT_EQ(Text<half::half_t>({1e-4, 2e-4}), "[0.0001 0.0002]");
  EXPECT_EQ(Text<float>({9.99e-5, 2e-4}), "[9.99e-05 2.00e-04]");
  EXPECT_EQ(Text<float>({-kNan, -0.0}), "[nan -0.]");
  EXPECT_EQ(Text<float>({2e-4, 0.05}), "[0.0002 0.05  ]");
  EXPECT_EQ(Text<float>({1e8, 2e8}), "[1.e+08 2.e+08]");
  EXPECT_EQ(Text<double>({99999990, 2e7}), "[99999990. 20000000.]");
  EXPECT_EQ(Text<double>({1e-300, 2.5, -1e+100}), "[ 1.0e-300  2.5e+000 -1.0e+100]");
  EXPECT_EQ(Text<float>({1.0, kInf, -kInf, kNan, -2.5}), "[ 1.   inf -inf  nan -2.5]");
  EXPECT_EQ(Text<float>({kNan, -kInf}), "[ nan -inf]");
}

TEST(Print, IntegersAreNumbers) {
  EXPECT_EQ(Text<int8_t>({-128, 5, 127}), "[-128    5  127]");
  EXPECT_EQ(Text<uint8_t>({0, 65, 255}), "[  0  65 255]");
  EXPECT_EQ(Text<int16_t>({-32768, 1}), "[-32768      1]");
  EXPECT_EQ(Text<uint16_t>({65535, 1}), "[65535     1]");
  EXPECT_EQ(Text<int>({7, -12345, 100}), "[     7 -12345    100]");
  EXPECT_EQ(Text<uint32_t>({4294967295u, 1u}), "[4294967295          1]");
  EXPECT_EQ(Text<int64_t>({INT64_MIN, 9223372036854775807, 0}),
            "[-9223372036854775808  9223372036854775807                    0]");
  EXPECT_EQ(Text<uint64_t>({18446744073709551615u, 0u}),
            "[18446744073709551615                    0]");
}

TEST(Print, Bfloat16HasTheDigitsThatTellItApart) {
  using bfloat::bf16_t;
  EXPECT_EQ(Text<bf16_t>({0.1, 3.140625, -2}), "[ 0.1   3.14 -2.  ]");
  EXPECT_EQ(Text<bf16_t>({kInf, 1e30}), "[   inf 1.e+30]");
}

TEST(Print, BracketsFollowTheAxes) {
  EXPECT_EQ(Text<float>({1.0, 2.5, -3.0, 4.0, 5.0, 6.0}, Shape2(2, 3)),
            "[[ 1.   2.5 -3. ]\n"
            " [ 4.   5.   6. ]]");
  EXPECT_EQ(Text<int>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, Shape3(2, 3, 2)),
            "[[[ 0  1]\n"
            "  [ 2  3]\n"
            "  [ 4  5]]\n"
            "\n"
            " [[ 6  7]\n"
            "  [ 8  9]\n"
            "  [10 11]]]");
  EXPECT_EQ(Text<int>({0, 1, 2, 3, 4, 5, 6, 7}, Shape4(2, 2, 1, 2)),
            "[[[[0 1]]\n"
            "\n"
            "  [[2 3]]]\n"
            "\n"
            "\n"
            " [[[4 5]]\n"
            "\n"
            "  [[6 7]]]]");
  EXPECT_EQ(Text<int>({0, 1, 2, 3, 4, 5, 6, 7}, Shape5(2, 1, 2, 1, 2)),
            "[[[[[0 1]]\n"
            "\n"
            "   [[2 3]]]]\n"
            "\n"
            "\n"
            "\n"
            " [[[[4 5]]\n"
            "\n"
            "   [[6 7]]]]]");
  EXPECT_EQ(Text<float>({}), "[]");
  EXPECT_EQ(Text<float>({}, Shape2(3, 0)), "[]");
}

TEST(Print, LongRowsContinueOnTheNextLine) {
  EXPECT_EQ(ToString(Counted<float>(Shape1(30), 0.125)),
            "[0.    0.125 0.25  0.375 0.5   0.625 0.75  0.875 1.    1.125 1.25  1.375\n"
            " 1.5   1.625 1.75  1.875 2.    2.125 2.25  2.375 2.5   2.625 2.75  2.875\n"
            " 3.    3.125 3.25  3.375 3.5   3.625]");
  EXPECT_EQ(ToString(Counted<float>(Shape2(2, 20), 1000.5)),
            "[[    0.   1000.5  2001.   3001.5  4002.   5002.5  6003.   7003.5  8004.\n"
            "   9004.5 10005.  11005.5 12006.  13006.5 14007.  15007.5 16008.  17008.5\n"
            "  18009.  19009.5]\n"
            " [20010.  21010.5 22011.  23011.5 24012.  25012.5 26013.  27013.5 28014.\n"
            "  29014.5 30015.  31015.5 32016.  33016.5 34017.  35017.5 36018.  37018.5\n"
            "  38019.  39019.5]]");
}

TEST(Print, MoreThan1000ElementsShowTheirEdges) {
  const std::string all = ToString(Counted<int>(Shape1(1000)));
  EXPECT_EQ(all.find("..."), std::string::npos);
  EXPECT_EQ(ToString(Counted<int>(Shape1(1001))), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(ToString(Counted<int>(Shape2(40, 40))),
            "[[   0    1    2 ...   37   38   39]\n"
            " [  40   41   42 ...   77   78   79]\n"
            " [  80   81   82 ...  117  118  119]\n"
            " ...\n"
            " [1480 1481 1482 ... 1517 1518 1519]\n"
            " [1520 1521 1522 ... 1557 1558 1559]\n"
            " [1560 1561 1562 ... 1597 1598 1599]]");
  // The precision is that of what is shown, and an axis of 6 elements is shown whole.
  EXPECT_EQ(ToString(Counted<double>(Shape3(2, 1, 600), 0.5) + 200.0),
            "[[[200.  200.5 201.  ... 498.5 499.  499.5]]\n"
            "\n"
            " [[500.  500.5 501.  ... 798.5 799.  799.5]]]");
  TensorContainer<cpu, 1> hidden(Shape1(1001), 0.0f);
  hidden[500] = 0.123f;
  EXPECT_EQ(ToString(hidden), "[0. 0. 0. ... 0. 0. 0.]");
}

TEST(Print, OptionsChangeTheLayout) {
  PrintOptions options;
  options.precision = 3;
  EXPECT_EQ(ToString(Counted<float>(Shape1(3), 1.0 / 3), options), "[0.    0.333 0.667]");
  options.precision = -1;
  EXPECT_EQ(ToString(Counted<float>(Shape1(3), 1.0 / 3), options), "[0. 0. 1.]");
  options.threshold = 4;
  options.edge_items = 1;
  EXPECT_EQ(ToString(Counted<int>(Shape1(5)), options), "[0 ... 4]");
  options.edge_items = 0;
  EXPECT_EQ(ToString(Counted<int>(Shape1(5)), options), "[0 ... 4]");
  options.threshold = 1000;
  options.line_width = 6;
  EXPECT_EQ(ToString(Counted<int>(Shape1(5)), options), "[0 1\n 2 3\n 4]");
  options.line_width = 0;
  EXPECT_EQ(ToString(Counted<int>(Shape1(3)), options), "[0\n 1\n 2]");
}

TEST(Print, ExpressionsAreComputedFirst) {
  const auto x = Counted<float>(Shape2(2, 2));
  EXPECT_EQ(Streamed(x), "[[0. 1.]\n [2. 3.]]");
  EXPECT_EQ(Streamed(x[1]), "[2. 3.]");
  EXPECT_EQ(Streamed(x.Slice(1, 2)), "[[2. 3.]]");
  EXPECT_EQ(Streamed(Tensor<cpu, 2, const float>(x)), "[[0. 1.]\n [2. 3.]]");
  EXPECT_EQ(Streamed(dot(x, x)), "[[ 2.  3.]\n [ 6. 11.]]");
  EXPECT_EQ(Streamed(dot(x, x.T()) + 1.0f), "[[ 2.  4.]\n [ 4. 14.]]");
  EXPECT_EQ(Streamed(x + sumall_except_dim<1>(x)), "[[2. 5.]\n [4. 7.]]");
  EXPECT_EQ(Streamed(x.T()), "[[0. 2.]\n [1. 3.]]");
  EXPECT_EQ(Streamed(x * 2.0f - 1.0f), "[[-1.  1.]\n [ 3.  5.]]");
  EXPECT_EQ(Streamed(tcast<int>(x)), "[[0 1]\n [2 3]]");
  EXPECT_EQ(Streamed(tcast<bool>(x)), "[[False  True]\n [ True  True]]");
  EXPECT_EQ(Streamed(scalar(2.0f)), "2.0");
  EXPECT_EQ(Streamed(F<op::square>(scalar(-1.5))), "2.25");
  EXPECT_EQ(Streamed(scalar(uint8_t{65})), "65");
  std::ostringstream stream;
  stream << "x = " << x[0] << ", y = " << x[0] + 1.0f;
  EXPECT_EQ(stream.str(), "x = [0. 1.], y = [1. 2.]");
  EXPECT_EQ((std::ostringstream() << x[0]).str(), "[0. 1.]");
}

TEST(Print, TheStreamSaysHow) {
  const auto x = Counted<double>(Shape2(2, 2), 1.0 / 3);
  const auto text = [&](const auto& how, const auto& value) {
    std::ostringstream stream;
    stream << how << value << "|" << std::setw(0) << value;
    return stream.str();
  };
  const auto both = [](const std::string& one) { return one + "|" + one; };
  EXPECT_EQ(text(std::setprecision(2), x[1]), both("[0.67 1.  ]"));
  EXPECT_EQ(text(std::setprecision(6), x[1]), both("[0.666667 1.      ]"));
  EXPECT_EQ(text("", x[1]), both("[0.666667 1.      ]"));
  EXPECT_EQ(text(std::setprecision(8), x[1]), both("[0.66666667 1.        ]"));
  EXPECT_EQ(text(std::setprecision(0), x[1]), both("[1. 1.]"));
  EXPECT_EQ(text(std::setw(6), tcast<int>(x)), "[[     0      0]\n [     0      1]]|[[0 0]\n [0 1]]");
  EXPECT_EQ(text(std::setw(4), x[0] * 3.0), "[  0.   1.]|[0. 1.]");
  EXPECT_EQ(text(std::setw(6), scalar(-1.5)), "  -1.5|-1.5");
  EXPECT_EQ(text(std::fixed, x[0]), both("[0.000000 0.333333]"));
  EXPECT_EQ(text(std::fixed, x[0] * 3e9), both("[         0.000000 1000000000.000000]"));
  EXPECT_EQ(text(std::fixed, scalar(2.0f)), both("2.000000"));
  EXPECT_EQ(text(std::scientific, x[0]), both("[0.000000e+00 3.333333e-01]"));
  std::ostringstream stream;
  stream << std::fixed << std::setprecision(0) << x[0] << std::setprecision(1) << x * kNan;
  EXPECT_EQ(stream.str(), "[0 0][[nan nan]\n [nan nan]]");
  stream << std::setprecision(300) << x[0][1];  // the stream is as before
  EXPECT_EQ(stream.str().size(), 27 + 302u);
}

TEST(Print, ScalarsHaveNoBarePoint) {
  EXPECT_EQ(Streamed(scalar(1e-4f)), "0.0001");
  EXPECT_EQ(Streamed(scalar(1e-5f)), "1e-05");
  EXPECT_EQ(Streamed(scalar(-1e20)), "-1e+20");
  EXPECT_EQ(Streamed(scalar(-kNan)), "nan");
}

TEST(Print, LogsAndChecksPrintTensors) {
  const auto x = Counted<float>(Shape1(3));
  const std::string error = ErrorOf([&] { CHECK(false) << "x is " << x; });
  EXPECT_NE(error.find("x is [0. 1. 2.]"), std::string::npos) << error;
}

TEST(Print, BlobsOfEveryTypeAndRank) {
  auto x = Counted<double>(Shape3(1, 2, 2), 0.5);
  EXPECT_EQ(Streamed(TBlob(x)), "[[[0.  0.5]\n  [1.  1.5]]]");
  int8_t bytes[] = {1, -2, 3, 4, 5, 6};
  EXPECT_EQ(ToString(TBlob(bytes, TShape(Shape2(3, 2)), cpu::kDevMask)),
            "[[ 1 -2]\n [ 3  4]\n [ 5  6]]");
  EXPECT_EQ(Streamed(TBlob(bytes, TShape(), cpu::kDevMask)), "1");
  EXPECT_EQ(Streamed(TBlob()), "[]");
  // More axes than a Tensor of this library is used with.
  const index_t extents[] = {1, 1, 1, 1, 1, 1, 2};
  EXPECT_EQ(Streamed(TBlob(bytes, TShape(extents, extents + 7), cpu::kDevMask)),
            "[[[[[[[ 1 -2]]]]]]]");
  const std::string error = ErrorOf([&] { ToString(TBlob(bytes, TShape(Shape1(1)), 1, 77)); });
  EXPECT_NE(error.find("77"), std::string::npos) << error;
}

TEST(Print, ATensorWithoutMemoryIsAnError) {
  const std::string error = ErrorOf([] { ToString(Tensor<cpu, 2>(Shape2(2, 3))); });
  EXPECT_NE(error.find("(2,3) has no memory"), std::string::npos) << error;
  EXPECT_EQ(ToString(Tensor<cpu, 2>()), "[]");
}

/// An element type of a program's own.
struct Fraction {
  int above, below;
};
std::ostream& operator<<(std::ostream& stream, const Fraction& f) {
  return stream << f.above << "/" << f.below;
}

TEST(Print, OwnElementTypesUseTheirOperator) {
  Fraction fractions[] = {{1, 2}, {10, 3}};
  EXPECT_EQ(Streamed(Tensor<cpu, 1, Fraction>(fractions, Shape1(2))), "[ 1/2 10/3]");
}

TEST(Print, OfAGpuThrowsWithoutCuda) {
#if !MSHADOW_USE_CUDA
  float data[2] = {1, 2};
  const std::string error = ErrorOf([&] { Streamed(Tensor<gpu, 1>(data, Shape1(2))); });
  EXPECT_NE(error.find("without CUDA"), std::string::npos) << error;
#endif
}

}  // namespace

namespace own {
// A program's own operator for some tensors, as programs written for 2.x have: preferred.
template <typename DType>
std::ostream& operator<<(std::ostream& stream, const Tensor<cpu, 3, DType>& t) {
  return stream << "own " << t.shape_;
}
TEST(Print, AnOperatorOfTheProgramIsPreferred) {
  std::ostringstream stream;
  stream << Counted<float>(Shape3(1, 1, 2)) << Counted<float>(Shape1(2));
  EXPECT_EQ(stream.str(), "own (1,1,2)[0. 1.]");
}
}  // namespace own
