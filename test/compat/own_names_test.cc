// SPDX-License-Identifier: Apache-2.0
// The names of reductions and of other newer functions hide nothing that a program has: functions
// of std, called within namespace mshadow, and what the program itself calls so.
// old_names_test.cc compiles this file with MSHADOW_2X.
#include <algorithm>
#include <cmath>
#include <complex>

using std::max;
using std::min;
using std::norm;

// The program's own: functions, or with MSHADOW_2X ops, which any lookup must find alone.
#if MSHADOW_2X
#define OWN(name, sign)                                                        \
  struct name {                                                                \
    template <typename DType>                                                  \
    static DType Map(DType a, DType b) {                                       \
      return a sign b;                                                         \
    }                                                                          \
  };
#else
#define OWN(name, sign)                    \
  template <typename DType>                \
  inline DType name(DType a, DType b) {    \
    return a sign b;                       \
  }
#endif
// Before the include: the headers themselves must not take these for theirs.
OWN(sum, +)
OWN(prod, *)
OWN(mean, -)
OWN(all, *)
OWN(argmax, +)
OWN(log_softmax, -)
OWN(pool3d, *)
OWN(resize, +)
#if MSHADOW_2X
float argmin = 2.0f, saturate_cast = 3.0f;
#endif

#include <mshadow/einsum.h>
#include <mshadow/grad.h>
#include <mshadow/nn.h>
#include <mshadow/numpy.h>
#include <mshadow/tensor.h>

OWN(var, -)
OWN(stddev, *)
OWN(logsumexp, +)
OWN(softmax, -)
OWN(unpool3d, *)
OWN(avg_pool, +)
OWN(avg_unpool, -)
#if MSHADOW_2X
float any = 4.0f;
#endif

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT

namespace mshadow {

static_assert(max(1, 2) - min(1, 2) == 1, "");

template <typename DType>
DType Clipped(DType x) {
  return min(DType(9), max(DType(0), x));
}
inline float NormOf(std::complex<float> z) { return norm(z); }

namespace expr {

/// A node's element, as programs wrote them.
template <typename DType>
struct OldNode {
  DType x;
  DType Eval() const {
    using namespace std;  // NOLINT
    return max(x, DType(0)) + static_cast<DType>(norm(complex<float>(3.0f, 4.0f)));
  }
};

#if !MSHADOW_2X
const int at_namespace_scope = sum(1, 2) + prod(2, 3) + stddev(2, 2) + argmax(1, 1);
template <typename DType>
DType InTemplate(DType a) {
  return mean(a, 1) + all(a, 2) + var(a, 1) + logsumexp(a, 1) + softmax(a, 1) + resize(a, 1);
}
#endif

}  // namespace expr
}  // namespace mshadow

#include <gtest/gtest.h>

TEST(OwnNames, FunctionsOfStdWithinOurNamespaces) {
  EXPECT_EQ(mshadow::Clipped(-2.5f), 0.0f);
  EXPECT_EQ(mshadow::Clipped(12), 9);
  EXPECT_EQ(mshadow::NormOf({3.0f, 4.0f}), 25.0f);
  EXPECT_EQ(OldNode<float>{-3.0f}.Eval(), 25.0f);
}

TEST(OwnNames, OfTheProgram) {
#if MSHADOW_2X
  TensorContainer<cpu, 1> x(Shape1(3), 5.0f), y(Shape1(3), 2.0f), out(Shape1(3));
  out = F<sum>(x, y) + F<prod>(x, y) + F<mean>(x, y) + F<all>(x, y) + F<argmax>(x, y);
  EXPECT_EQ(out[2], 7 + 10 + 3 + 10 + 7);
  out = F<log_softmax>(x, y) + F<pool3d>(x, y) + F<resize>(x, y) + F<var>(x, y) + F<stddev>(x, y);
  EXPECT_EQ(out[2], 3 + 10 + 7 + 3 + 10);
  out = F<logsumexp>(x, y) + F<softmax>(x, y) + F<unpool3d>(x, y) + F<avg_pool>(x, y) +
        F<avg_unpool>(x, y);
  EXPECT_EQ(out[2], 7 + 3 + 10 + 7 + 3);
  EXPECT_EQ(argmin + saturate_cast + any, 9.0f);
#else
  EXPECT_EQ(mshadow::expr::at_namespace_scope, 3 + 6 + 4 + 2);
  EXPECT_EQ(mshadow::expr::InTemplate(3), 2 + 6 + 2 + 4 + 2 + 4);
#endif
}

// A function of the program that takes an expression is the better match.
namespace own {
template <typename E, typename DType, int etype>
int norm(const Exp<E, DType, etype>&) {
  return 1;
}
template <typename E, typename DType, int etype>
int softmax(const Exp<E, DType, etype>&) {
  return 2;
}
template <typename E, typename B, typename DType, int etype, int btype>
int max(const Exp<E, DType, etype>&, const Exp<B, DType, btype>&) {
  return 3;
}
int mean(const Tensor<cpu, 1>&, int) { return 4; }

TEST(OwnNames, FunctionsOfExpressions) {
  TensorContainer<cpu, 1> x(Shape1(3), 5.0f);
  EXPECT_EQ(norm(x) + softmax(x * 2) + max(x, x + 1) + mean(x, 0), 10);
}
}  // namespace own

TEST(OwnNames, OursStay) {
  TensorContainer<cpu, 2> x(Shape2(2, 3), 5.0f);
  TensorContainer<cpu, 1> y(Shape1(2));
  EXPECT_EQ(max(x) + min(x), 10.0f);  // found by the argument
  EXPECT_EQ(mshadow_functions::sum(x), 30.0f);
  y = mshadow_functions::max<1>(x) + expr::adl::mean<1>(x);
  EXPECT_EQ(y[1], 10.0f);
  x = mshadow_functions::softmax<0>(x) + expr::adl::log_softmax<0>(x * 0);
  EXPECT_NEAR(x[1][2], 0.5f - logf(2.0f), 1e-6f);
#if !MSHADOW_2X
  y = mshadow::sum<1>(x) + mshadow::expr::saturate_cast<float>(min<1>(x));
  EXPECT_NEAR(y[0], 4 * x[0][0], 1e-6f);
#endif
}
#undef OWN
