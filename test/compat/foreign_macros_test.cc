// SPDX-License-Identifier: Apache-2.0
// The headers compile after <windows.h> and X11's headers, whose macros have common names, and
// beside macros of one letter. (The test headers_alone has all letters.) What the standard library's
// headers make of these macros is not looked at here.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <fstream>
#include <future>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

// <windows.h>
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define near
#define far
#define small char
// <X11/X.h>, <X11/Xlib.h>
#define None 0L
#define Always 2
#define Status int
#define Bool int
#define True 1
#define False 0
#define Success 0
// A program's constants
#define A 2
#define F 3
#define N 100
#define T 8
// A test framework, another logging library
#define CHECK(x) TheirCheck(x)
#define LOG(x) TheirLog(x)
#define DCHECK(x) TheirCheck(x)

#include <mshadow/base.h>
#include <mshadow/bfloat.h>
#include <mshadow/dist.h>
#include <mshadow/dlpack.h>
#include <mshadow/einsum.h>
#include <mshadow/fft.h>
#include <mshadow/grad.h>
#include <mshadow/half2.h>
#include <mshadow/index.h>
#include <mshadow/linalg.h>
#include <mshadow/nn.h>
#include <mshadow/npy.h>
#include <mshadow/numpy.h>
#include <mshadow/packet-inl.h>
#include <mshadow/print.h>
#include <mshadow/random.h>
#include <mshadow/safetensors.h>
#include <mshadow/tensor.h>
#include <mshadow/tensor_blob.h>
#include <mshadow/view.h>

static_assert(A + F + N + T == 113, "the user's macros are there again");
#undef F  // that of the library, below

#undef min
#undef max
#undef near
#undef far
#undef small
#undef None
#undef Always
#undef Status
#undef Bool
#undef True
#undef False
#undef Success

namespace {

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT

int TheirCheck(int x) { return x + 1; }
int TheirLog(int x) { return x + 2; }

TEST(ForeignMacros, OthersKeepTheirs) {
  EXPECT_EQ(CHECK(1) + LOG(1) + DCHECK(1), 7);
  TensorContainer<cpu, 2> a(Shape2(2, 3)), b(Shape2(2, 4));
  EXPECT_THROW(a = b * 2.0f, Error);
  EXPECT_THROW(reshape(a, Shape1(5)), Error);
}

TEST(ForeignMacros, StatementsCompute) {
  TensorContainer<cpu, 2> a(Shape2(2, 3), -1.0f);
  a = F<op::max>(F<op::tanh>(a), scalar(-0.5f)) + F<op::gelu>(a * 0.0f);
  EXPECT_EQ(a[1][2], -0.5f);
  EXPECT_EQ(a[0][0], -0.5f);
}

}  // namespace
