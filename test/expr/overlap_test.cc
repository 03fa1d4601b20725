// SPDX-License-Identifier: Apache-2.0
// Every whole function with operands that lie in what it writes, at every offset: the result is that
// of operands with memory of their own, and nothing else changes.
#include <mshadow/expr/overlap.h>

#include <string>
#include <vector>

#include "testing.h"

namespace {

using namespace mshadow;  // NOLINT
using mshadow::testing::TestDevice;
using mshadow::testing::TestMemory;
using mshadow::testing::WaitForDevice;

template <int dim, typename DType = float>
using View = Tensor<TestDevice, dim, DType>;

constexpr int kSize = 400, kAt = 150;

template <typename DType>
TestMemory<DType> Numbers() {
  TestMemory<DType> memory(kSize);
  // Each is an index of one of five rows, too.
  for (int i = 0; i < kSize; ++i) memory[i] = static_cast<DType>(i * i * 7 % 31 % 5);
  return memory;
}

/// f(dst, a, b, c), pointers: dst to kAt in memory of its own or in one memory with a, b and c, which
/// lie at so many elements from it.
template <typename DType = float, typename F>
void Check(const F& f, int a, int b = 0, int c = 0) {
  SCOPED_TRACE("offsets " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c));
  TestMemory<DType> dst = Numbers<DType>(), other = dst, shared = dst;
  f(dst.data() + kAt, other.data() + kAt + a, other.data() + kAt + b, other.data() + kAt + c);
  DType* const at = shared.data() + kAt;
  f(at, at + a, at + b, at + c);
  WaitForDevice();
  for (int i = 0; i < kSize; ++i) ASSERT_EQ(shared[i], dst[i]) << "element " << i - kAt;
}
template <typename DType = float, typename F>
void CheckEachOffset(const F& f, int size) {
  for (int a : {0, 1, 3, size / 2, size - 1, -1, -5, -size / 2}) {
    Check<DType>(f, a, 200, 200);
    Check<DType>(f, 200, a, 200);
    Check<DType>(f, 200, 200, a);
    Check<DType>(f, a, -a, 2);
  }
}

TEST(Overlap, Softmax) {
  for (int a = -30; a < 30; ++a) {
    Check([](float* dst, float* a, float*, float*) {
      Softmax(View<1>(dst, Shape1(20)), View<1>(a, Shape1(20)));
    }, a);
    Check([](float* dst, float* a, float*, float*) {
      Softmax(View<2>(dst, Shape2(4, 6), 7, nullptr), View<2>(a, Shape2(4, 6), 7, nullptr));
    }, a);
    Check([](float* dst, float* a, float*, float*) {
      Softmax(View<2>(dst, Shape2(4, 6), 8, nullptr), View<2>(a, Shape2(4, 6), 7, nullptr));
    }, a);
    Check([](float* dst, float* a, float*, float*) {
      Softmax(View<3>(dst, Shape3(2, 3, 4)), View<3>(a, Shape3(2, 3, 4)));
    }, a);
  }
}

TEST(Overlap, GradientsOfSoftmax) {
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    SoftmaxGrad(View<2>(dst, Shape2(6, 5)), View<2>(a, Shape2(6, 5)), View<1>(b, Shape1(6)));
  }, 30);
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    SoftmaxGrad(View<2>(dst, Shape2(6, 5)), View<2>(a, Shape2(6, 5)), View<1>(b, Shape1(6)), 3);
  }, 30);
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    SmoothSoftmaxGrad(View<3>(dst, Shape3(2, 5, 3)), View<3>(a, Shape3(2, 5, 3)),
                      View<2>(b, Shape2(2, 3)), 0.25f);
  }, 30);
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    SmoothSoftmaxGrad(View<3>(dst, Shape3(2, 5, 3)), View<3>(a, Shape3(2, 5, 3)),
                      View<2>(b, Shape2(2, 3)), 2, 0.25f);
  }, 30);
}

TEST(Overlap, MeanAndVariance) {
  for (int a = -30; a < 30; ++a) {
    Check([](float* dst, float* a, float*, float*) {
      MeanVariance<1>(View<1>(dst, Shape1(5)), View<1>(dst + 5, Shape1(5)),
                      View<2>(a, Shape2(4, 5)));
    }, a);
    Check([](float* dst, float* a, float*, float*) {
      MeanVariance<0>(View<1>(dst, Shape1(5)), View<1>(dst + 8, Shape1(5)),
                      View<2>(a, Shape2(5, 4)));
    }, a);
  }
  TestMemory<float> memory = Numbers<float>();
  const View<1> t(memory.data(), Shape1(8));
  const View<2> src(memory.data() + 100, Shape2(3, 5));
  try {
    MeanVariance<1>(t.Slice(0, 5), t.Slice(3, 8), src);
    ADD_FAILURE() << "no Error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(
                  "MeanVariance: mean (5,) and variance (5,) share memory, and both are written"),
              std::string::npos)
        << e.what();
  }
}

TEST(Overlap, VectorDot) {
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    VectorDot(View<1>(dst, Shape1(1)), View<1>(a, Shape1(30)), View<1>(b, Shape1(30)));
  }, 30);
}

TEST(Overlap, BatchGEMM) {
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    BatchGEMM<false, true>(View<3>(dst, Shape3(2, 3, 4)), View<3>(a, Shape3(2, 3, 5)),
                           View<3>(b, Shape3(2, 4, 5)), 2.0f, 3.0f, View<1, float*>());
  }, 24);
}

TEST(Overlap, RowsByIndex) {
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    AddTakeGrad(View<2>(dst, Shape2(5, 3)), View<1>(a, Shape1(7)), View<2>(b, Shape2(7, 3)));
  }, 15);
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    AddTakeGrad<false>(View<2>(dst, Shape2(5, 3)), View<1>(a, Shape1(7)),
                       View<2>(b, Shape2(7, 3)));
  }, 15);
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    IndexFill(View<2>(dst, Shape2(5, 3)), View<1>(a, Shape1(5)), View<2>(b, Shape2(5, 3)));
  }, 15);
  CheckEachOffset<int32_t>([](int32_t* dst, int32_t* a, int32_t* b, int32_t* c) {
    AddTakeGradLargeBatch(View<2, int32_t>(dst, Shape2(5, 3)), View<1, int32_t>(a, Shape1(7)),
                          View<1, int32_t>(b, Shape1(7)), View<2, int32_t>(c, Shape2(5, 3)));
  }, 15);
}

TEST(Overlap, RowsByIndexWithScratch) {
  // The scratch tensor lies in what is read; what is there afterwards is unspecified.
  for (int a : {0, 1, 7, 20, -3}) {
    for (bool in_index : {false, true}) {
      TestMemory<float> dst = Numbers<float>(), expected = dst, memory = dst, scratch = dst;
      const auto run = [&](float* to, float* temp) {
        AddTakeGrad(View<2>(to, Shape2(5, 3)), View<2>(temp, Shape2(5, 3)),
                    View<1>(memory.data() + 100, Shape1(7)),
                    View<2>(memory.data() + 50, Shape2(7, 3)));
        WaitForDevice();
      };
      run(expected.data(), scratch.data());
      run(dst.data(), memory.data() + (in_index ? 100 : 50) + a);
      for (int i = 0; i < kSize; ++i) ASSERT_EQ(dst[i], expected[i]) << a << ' ' << i;
    }
  }
}

TEST(Overlap, SortOfKeysByThemselves) {
  for (bool ascending : {true, false}) {
    Check([ascending](float* dst, float*, float*, float*) {
      const View<1> k(dst, Shape1(100));
      SortByKey(k, k, ascending);
    }, 0);
    TestMemory<float> memory(700);  // a merge and a radix sort
    for (index_t n : {5, 100, 700}) {
      for (int i = 0; i < 700; ++i) memory[i] = static_cast<float>(i * 577 % 701);
      const View<1> k(memory.data(), Shape1(n));
      SortByKey(k, k, ascending);
      WaitForDevice();
      for (index_t i = 1; i < n; ++i) {
        ASSERT_EQ(memory[i - 1] < memory[i], ascending) << n << ' ' << i;
      }
    }
  }
  TestMemory<float> memory = Numbers<float>();
  const View<1> v(memory.data(), Shape1(200));
  VectorizedSort(v, v);
  WaitForDevice();
  for (int i = 1; i < 200; ++i) ASSERT_LE(memory[i - 1], memory[i]);
}

template <typename F>
void ExpectError(const F& f, const std::string& message) {
  try {
    f();
    ADD_FAILURE() << "no Error: " << message;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
  }
}

TEST(Overlap, TwoResultsThatShareMemory) {
  TestMemory<float> memory = Numbers<float>();
  const View<1> t(memory.data(), Shape1(20));
  const View<1, int32_t> bits(reinterpret_cast<int32_t*>(memory.data()), Shape1(20));
  ExpectError([&] { SortByKey(t.Slice(0, 10), t.Slice(9, 19)); },
              "SortByKey: keys (10,) and values (10,) share memory, and both are written");
  ExpectError([&] { SortByKey(t, bits); }, "SortByKey: keys (20,) and values (20,) share memory");
  ExpectError([&] { VectorizedSort(t.Slice(0, 10), t.Slice(5, 15)); },
              "VectorizedSort: values (10,) and segments (10,) share memory");
  SortByKey(t.Slice(0, 10), t.Slice(10, 20));
  SortByKey(t.Slice(5, 5), t.Slice(0, 0));
  SortByKey(t.Slice(5, 5), t.Slice(5, 5));
}

TEST(Overlap, ComplexStatementsReadWhatWasThere) {
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    View<2>(dst, Shape2(5, 3)) =
        expr::take_grad(View<1>(a, Shape1(7)), View<2>(b, Shape2(7, 3)), 5);
  }, 15);
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    View<2>(dst, Shape2(5, 3)) += expr::implicit_dot(View<2>(a, Shape2(5, 4)),
                                                     View<2>(b, Shape2(4, 3)));
  }, 15);
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    View<2>(dst, Shape2(5, 3)) += expr::dot(View<2>(a, Shape2(5, 4)), View<2>(b, Shape2(4, 3)));
  }, 15);
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    View<1>(dst, Shape1(5)) -= 2.0f * expr::dot(View<1>(a, Shape1(4)), View<2>(b, Shape2(4, 5)));
  }, 5);
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    View<3>(dst, Shape3(2, 3, 4)) =
        expr::batch_dot<false, false>(View<3>(a, Shape3(2, 3, 5)), View<3>(b, Shape3(2, 5, 4)));
  }, 24);
  CheckEachOffset([](float* dst, float* a, float*, float*) {
    View<1>(dst, Shape1(5)) += expr::sumall_except_dim<1>(View<3>(a, Shape3(2, 5, 3)));
  }, 5);
  CheckEachOffset([](float* dst, float* a, float*, float*) {
    View<1>(dst, Shape1(5)) = expr::sum_rows(View<2>(a, Shape2(6, 5)));
  }, 5);
  CheckEachOffset([](float* dst, float* a, float* b, float*) {
    View<2>(dst, Shape2(3, 8)) = expr::conj(
        expr::complex_mul_cc(View<2>(a, Shape2(3, 8)), View<2>(b, Shape2(3, 8))));
  }, 24);
  CheckEachOffset([](float* dst, float* a, float*, float*) {
    View<2>(dst, Shape2(3, 4)) = expr::complex_toreal(View<2>(a, Shape2(3, 8)));
  }, 12);
}

}  // namespace
