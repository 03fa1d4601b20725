// SPDX-License-Identifier: Apache-2.0
// What the headers of mshadow 2.x brought along, which code written for it does not include itself.
// Everything that uses them stands before the first include of another header; the test old_sources
// compiles this file without GoogleTest precompiled before it.
#ifndef MSHADOW_2X
#define MSHADOW_2X 1
#endif
#include <mshadow/tensor.h>

namespace old_headers {

using namespace mshadow;  // NOLINT

static_assert(FLT_MAX > 1e38f && INT_MAX > 0 && UINT_MAX > 0, "");
static_assert(MSHADOW_ALLOC_PAD, "");

/// The number of what does not hold.
inline int WrongStandardHeaders() {
  int wrong = 0;
  std::vector<int> v(5);
  std::iota(v.begin(), v.end(), 1);                                    // numeric
  std::sort(v.begin(), v.end(), std::greater<int>());                  // algorithm, functional
  wrong += std::accumulate(v.begin(), v.end(), 0) != 15 || v[0] != 5;  // numeric
  const std::function<int(int)> twice = [](int x) { return 2 * x; };
  wrong += twice(4) != 8;
  wrong += !::isnan(std::numeric_limits<double>::quiet_NaN()) || ::isinf(1.0);  // math.h
  wrong += std::floor(2.5) != 2.0 || ::floor(2.5) != 2.0;
  const std::unique_ptr<float> one(new float(1.0f));  // memory
  const std::shared_ptr<int> two = std::make_shared<int>(2);
  wrong += *one != 1.0f || *two != 2;
  std::mt19937 engine(5489u);  // random
  engine.discard(9999);
  wrong += engine() != 4123659995u;  // what the standard says is its 10,000th number
  std::ostringstream text;           // sstream
  text << std::string("a") << Shape2(2, 3) << std::endl;
  wrong += text.str() != "a(2,3)\n";
  const std::tuple<int, char> pair = std::make_tuple(3, 'c');  // tuple
  wrong += std::get<0>(pair) != 3;
  if (wrong != 0) std::cerr << "wrong: " << wrong << '\n';  // iostream
  return wrong;
}

/// A blob of a program of 2015, without its header.
inline float ThroughABlob() {
  TensorContainer<cpu, 2> a(Shape2(2, 3), 2.0f);
  TBlob blob = a;
  TShape shape = blob.shape_;
  Tensor<cpu, 2> b = blob.FlatTo2D<cpu, float>();
  return b[1][2] * static_cast<float>(shape.Size()) + static_cast<float>(a.stride_);
}

/// Aligned memory came with tensor.h too.
inline bool Aligned() {
  size_t pitch = 0;
  void *const memory = packet::AlignedMallocPitch(&pitch, 3 * sizeof(float), 5);
  packet::AlignedFree(memory);
  return pitch == 16;
}

}  // namespace old_headers

#include <gtest/gtest.h>

namespace old_headers {

TEST(OldHeaders, WhatTensorHBrings) {
  EXPECT_EQ(WrongStandardHeaders(), 0);
  EXPECT_EQ(ThroughABlob(), 16.0f);  // 2 * 6, and rows of 3 elements padded to 4
  EXPECT_TRUE(Aligned());
}

}  // namespace old_headers
