// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/mask.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <typename IDType>
void CheckMask() {
  Guarded<1, IDType> index(Shape1(5));
  FillWhole(index, 3);
  Guarded<2> a(Shape2(5, 37), 1, 1);
  FillWhole(a, 100);
  ExpectUses(a->shape_, Each(a->shape_, [&](Index<2> i) {
               return At(a, i) * At(index, Index<1>{i[0]});
             }),
             [&] { return mask(*index, *a * 1.0f); });
}

TEST(Mask, IndicesOfEveryDType) {
  CheckMask<float>();
  CheckMask<int32_t>();
  CheckMask<uint8_t>();
  CheckMask<half::half_t>();
}

TEST(Mask, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<1, DType> index(Shape1(2));
    FillWhole(index, 3);
    Guarded<2, DType> a(Shape2(2, 20), 1), out(Shape2(2, 20));
    FillWhole(a, 40);
    *out = mask(*index, *a);
    ExpectValues(out, Each(out->shape_, [&](Index<2> i) {
                   return At(a, i) * At(index, Index<1>{i[0]});
                 }));
  });
}

// The source is read where it is written; the factors are not.
TEST(Mask, InPlace) {
  Guarded<2> a(Shape2(3, 3));
  FillWhole(a, 9);
  const std::vector<double> all = Values(a);
  Tensor<TestDevice, 1> first = (*a)[0];
  *a = mask(first, *a);
  ExpectValues(a, Each(a->shape_, [&](Index<2> i) { return all[i[0] * 3 + i[1]] * all[i[0]]; }));
}

TEST(Mask, Errors) {
  Guarded<1> index(Shape1(4));
  Guarded<2> a(Shape2(3, 5)), out(Shape2(3, 5));
  EXPECT_NE(ErrorOf([&] { *out = mask(*index, *a); }).find("same first dimention"),
            std::string::npos);
}

}  // namespace
}  // namespace mshadow
