// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/mirror.h>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim>
void CheckMirror(const Shape<dim>& shape) {
  const std::size_t W = shape[dim - 1];
  for (index_t pad : {0, 3}) {
    Guarded<dim> a(shape, pad, 1), b(shape, 1), out(shape, 2, 1);
    FillWhole(a, 1000);
    FillWhole(b, 1000, 2);
    std::vector<double> mirrored;
    for (std::size_t i = 0; i < out.Size(); ++i) {
      mirrored.push_back(a.At(i - i % W + W - 1 - i % W));
    }
    *out = mirror(*a);
    ExpectValues(out, mirrored);
    std::vector<double> expected = mirrored;
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += 2 * mirrored[i] + b.At(i);
    *out += mirror(*a * 2.0f) + *b;
    ExpectValues(out, expected);
    *out = mirror(mirror(*a) + 1.0f);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = a.At(i) + 1;
    ExpectValues(out, expected);
    *a = mirror(*a);
    ExpectValues(a, mirrored);
  }
}

TEST(Mirror, EveryRank) {
  ForEachIsa([] {
    CheckMirror(Shape2(3, 1));
    CheckMirror(Shape2(5, 67));
    CheckMirror(Shape3(2, 3, 33));
    CheckMirror(Shape4(2, 3, 2, 17));
    CheckMirror(Shape5(2, 1, 3, 2, 8));
  });
}

TEST(Mirror, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(1, 5)), out(Shape2(1, 5));
    a.FillIota();
    *out = mirror(*a);
    ExpectValues(out, {4, 3, 2, 1, 0});
  });
}

// Rows whose index map changes within the row, read backwards.
TEST(Mirror, OfReshaped) {
  Guarded<2> a(Shape2(12, 10), 2), out(Shape2(4, 30));
  FillWhole(a, 1000);
  *out = mirror(reshape(*a, Shape2(4, 30)));
  const std::vector<double> all = Values(a);
  std::vector<double> expected;
  for (int i = 0; i < 120; ++i) expected.push_back(all[i - i % 30 + 29 - i % 30]);
  ExpectValues(out, expected);
}

}  // namespace
}  // namespace mshadow
