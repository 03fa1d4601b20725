// SPDX-License-Identifier: Apache-2.0
// An op with kMapsPairs gives for a pair what it gives for each lane.
#include <gtest/gtest.h>
#include <mshadow/core/bfloat.h>
#include <mshadow/core/bit_cast.h>
#include <mshadow/core/half.h>
#include <mshadow/op/binary.h>
#include <mshadow/op/unary.h>

#include <cstdint>

namespace {

using namespace mshadow;

struct Own : op::mul {};
static_assert(!op::kMapsPairs<op::div> && !op::kMapsPairs<op::max> && !op::kMapsPairs<op::right>,
              "ops of more than + - *");
static_assert(!op::kMapsPairs<Own>, "an op derived from one may have a Map of its own");

template <typename Lane, typename Pair>
void ExpectLanes(Pair pair, Lane first, Lane second) {
  EXPECT_EQ(BitCast<uint32_t>(pair), static_cast<uint32_t>(BitCast<uint16_t>(first)) |
                                         static_cast<uint32_t>(BitCast<uint16_t>(second)) << 16);
}

template <typename Lane, typename Pair>
void Check() {
  const Lane a(1.5f), b(-7.0f), c(0.3f), d(2.25f);
  const Pair x(a, b), y(c, d);
  static_assert(op::kMapsPairs<op::plus> && op::kMapsPairs<op::minus> && op::kMapsPairs<op::mul> &&
                    op::kMapsPairs<op::square>,
                "");
  ExpectLanes(op::plus::Map(x, y), op::plus::Map(a, c), op::plus::Map(b, d));
  ExpectLanes(op::minus::Map(x, y), op::minus::Map(a, c), op::minus::Map(b, d));
  ExpectLanes(op::mul::Map(x, y), op::mul::Map(a, c), op::mul::Map(b, d));
  ExpectLanes(op::square::Map(x), op::square::Map(a), op::square::Map(b));
}

TEST(Pairs, LaneByLane) {
  Check<half::half_t, half::half2_t>();
  Check<bfloat::bf16_t, bfloat::bf16x2_t>();
}

}  // namespace
