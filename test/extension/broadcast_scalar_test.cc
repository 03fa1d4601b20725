// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/broadcast_scalar.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim>
void CheckBroadcastScalar(const Shape<dim>& shape) {
  Guarded<1> one(Shape1(1), 0, 3);
  one.At(0) = 7;
  ExpectUses(shape, std::vector<double>(shape.Size(), 14.0),
             [&] { return broadcast_scalar(*one * 2.0f, shape); });
}

TEST(BroadcastScalar, EveryRank) {
  CheckBroadcastScalar(Shape1(19));
  CheckBroadcastScalar(Shape2(3, 17));
  CheckBroadcastScalar(Shape4(2, 3, 1, 9));
  CheckBroadcastScalar(Shape5(2, 1, 2, 3, 5));
  CheckBroadcastScalar(Shape2(0, 3));
}

TEST(BroadcastScalar, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<1, DType> one(Shape1(1));
    one.At(0) = static_cast<DType>(5.0f);
    Guarded<2, DType> out(Shape2(3, 19), 1);
    *out = broadcast_scalar(*one, out->shape_);
    ExpectValues(out, std::vector<double>(57, 5.0));
  });
}

TEST(BroadcastScalar, OfWhatIsWritten) {
  Guarded<1> a(Shape1(40));
  a.FillIota();
  Tensor<TestDevice, 1> last = a->Slice(39, 40);
  *a = *a + broadcast_scalar(last, a->shape_);
  ExpectValues(a, Each(a->shape_, [](Index<1> i) { return i[0] + 39.0; }));
}

TEST(BroadcastScalar, Errors) {
  Guarded<1> two(Shape1(2));
  EXPECT_NE(ErrorOf([&] { broadcast_scalar(*two, Shape2(2, 2)); }).find("must have one element"),
            std::string::npos);
}

}  // namespace
}  // namespace mshadow
