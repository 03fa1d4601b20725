// SPDX-License-Identifier: Apache-2.0
// Every thread that forms running sums, run on the host.
#define MSHADOW_TEST_DEVICE "gpu/simulated_device.h"
#include <mshadow/backend/gpu/scan_body.h>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <typename DType>
std::vector<double> Sums(Guarded<4, DType>& a, int axis) {
  std::vector<double> sums = Values(a);
  const std::size_t step = a->shape_.ProdShape(axis + 1, 4), count = a->shape_[axis];
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (i / step % count != 0) sums[i] += sums[i - step];
  }
  return sums;
}

template <typename DType>
void CheckSavers(const Shape<4>& shape) {
  for (int axis = 0; axis < 4; ++axis) {
    Guarded<4, DType> a(shape, 1, 1), out(shape, 3, 2);
    FillWhole(a, 3);
    const std::vector<double> sums = Sums(a, axis);
    *out = cumsum(*a, axis);
    ExpectValues(out, sums);
    FillWhole(out, 2, 5);
    std::vector<double> more = Values(out), product = more;
    *out += cumsum(*a, axis);
    for (std::size_t i = 0; i < sums.size(); ++i) more[i] += sums[i];
    ExpectValues(out, more);
    *out -= cumsum(*a, axis);
    ExpectValues(out, product);
    *out *= cumsum(*a * DType(1.0f), axis);
    for (std::size_t i = 0; i < sums.size(); ++i) product[i] *= sums[i];
    ExpectValues(out, product);
  }
}

TEST(ScanBody, EverySaverAndShape) {
  for (const Shape<4>& shape : {Shape4(2, 3, 5, 7), Shape4(3, 9, 2, 1), Shape4(1, 3, 1, 24),
                                Shape4(2, 1, 5, 25), Shape4(1, 1, 1, 100), Shape4(0, 2, 3, 4),
                                Shape4(2, 2, 3, 0)}) {
    CheckSavers<float>(shape);
    CheckSavers<half::half_t>(shape);
    CheckSavers<bfloat16>(shape);
    CheckSavers<int64_t>(shape);
  }
}

// 1 + 1/2048 + ...: in half_t the sum would stay 1.
TEST(ScanBody, SumsOf16BitFloatsInFloat) {
  for (int axis : {0, 1}) {
    Guarded<2, half::half_t> a(Shape2(64, 64)), out(Shape2(64, 64));
    for (std::size_t i = 0; i < a.Size(); ++i) {
      const std::size_t index = axis == 0 ? i / 64 : i % 64;
      a.At(i) = half::half_t(index == 0 ? 1.0f : 1.0f / 4096);
    }
    *out = cumsum(*a, axis);
    EXPECT_EQ(out.At(64 * 64 - 1), half::half_t(1.0f + 63.0f / 4096));
  }
}

int evaluations = 0;
struct Counted {
  MSHADOW_FORCE_INLINE static float Map(float a) {
    ++evaluations;
    return a;
  }
};

TEST(ScanBody, ReadsEachElementOnce) {
  Guarded<2> a(Shape2(101, 103)), out(Shape2(101, 103));
  for (int axis : {0, 1}) {
    evaluations = 0;
    *out = cumsum(F<Counted>(*a), axis);
    EXPECT_EQ(evaluations, 101 * 103);
  }
}

}  // namespace
}  // namespace mshadow
