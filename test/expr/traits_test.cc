// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/traits.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;

struct Unknown : public Exp<Unknown, float, type::kMapper> {};

TEST(ExpInfo, OfTensorsScalarsAndNodesThatSayNothing) {
  static_assert(ExpInfo<Tensor<cpu, 3>>::kDim == 3);
  static_assert(ExpInfo<Tensor<gpu, 3>>::kDevMask == gpu::kDevMask);
  static_assert(ExpInfo<ScalarExp<float>>::kDim == 0);
  static_assert(ExpInfo<ScalarExp<float>>::kDevMask == 0xffff);
  static_assert(ExpInfo<Unknown>::kDim == -1 && ExpInfo<Unknown>::kDevMask == 0);
}

TEST(TypeCheck, RanksAndDevices) {
  using Same = TypeCheck<cpu, 2, float, Tensor<cpu, 2>>;
  static_assert(Same::kMapPass && !Same::kRedPass && Same::kDevPass && Same::kExpDim == 2);
  static_assert(TypeCheck<cpu, 2, float, ScalarExp<float>>::kMapPass);
  static_assert(!TypeCheck<cpu, 1, float, Tensor<cpu, 2>>::kMapPass);
  static_assert(TypeCheck<cpu, 1, float, Tensor<cpu, 2>>::kRedPass);
  static_assert(!TypeCheck<cpu, 2, float, Tensor<gpu, 2>>::kMapPass);
  // Third-party code asserts by calling these.
  TypeCheckPass<Same::kMapPass>::Error_All_Tensor_in_Exp_Must_Have_Same_Type();
  TypeCheckPass<true>::Error_TypeCheck_Not_Pass_For_Reduce_Exp();
  TypeCheckPass<true>::Error_Expression_Does_Not_Meet_Dimension_Req();
}

TEST(ShapeCheck, GivesTheShapeAndMarksScalarsByAnOutermostZero) {
  Tensor<cpu, 2> t(nullptr, Shape2(4, 5));
  EXPECT_EQ((ShapeCheck<2, Tensor<cpu, 2>>::Check(t)), Shape2(4, 5));
  EXPECT_EQ((ShapeCheck<2, ScalarExp<float>>::Check(1.0f))[0], 0u);
}

TEST(StreamInfo, IsTheTensorsStream) {
  Stream<cpu> stream;
  Tensor<cpu, 1> t(nullptr, Shape1(1), &stream);
  EXPECT_EQ((StreamInfo<cpu, Tensor<cpu, 1>>::Get(t)), &stream);
}

TEST(ViewsIntersect, OnEverySideOfTheMemory) {
  char memory[100];
  const auto view = [&](int begin, int pitch, int width, int rows) {
    return WrittenView{memory + begin, pitch, width, rows, true};
  };
  using expr::detail::ViewsIntersect;
  EXPECT_TRUE(ViewsIntersect(view(0, 10, 10, 3), view(29, 10, 10, 3)));
  EXPECT_FALSE(ViewsIntersect(view(0, 10, 10, 3), view(30, 10, 10, 3)));
  EXPECT_FALSE(ViewsIntersect(view(0, 10, 10, 0), view(0, 10, 10, 3))) << "an empty view";
  EXPECT_FALSE(ViewsIntersect(view(0, 10, 4, 5), view(4, 10, 6, 5))) << "other columns";
  EXPECT_FALSE(ViewsIntersect(view(4, 10, 6, 5), view(0, 10, 4, 5))) << "other columns";
  EXPECT_FALSE(ViewsIntersect(view(4, 10, 6, 5), view(20, 10, 4, 2))) << "other columns, later";
  EXPECT_TRUE(ViewsIntersect(view(0, 10, 5, 5), view(4, 10, 6, 5)));
  EXPECT_TRUE(ViewsIntersect(view(4, 10, 7, 5), view(0, 10, 4, 5))) << "a row that wraps";
  EXPECT_TRUE(ViewsIntersect(view(0, 10, 4, 5), view(4, 7, 3, 5))) << "pitches differ";
}

struct TwoViews {
  const WrittenView a, b;
  template <typename F>
  bool AnyWritten(const F& f) const {
    return f(a) || f(b);
  }
};

TEST(AnyWritten, AsksForEachViewOfANodeAndForNoneOfAnUnknownOne) {
  const TwoViews two{{nullptr, 1, 1, 1, true}, {nullptr, 2, 2, 2, true}};
  const auto width = [](std::ptrdiff_t n) {
    return [n](const WrittenView& view) { return view.width == n; };
  };
  EXPECT_TRUE(AnyWritten(two, width(1)) && AnyWritten(two, width(2)));
  EXPECT_FALSE(AnyWritten(two, width(3)));
  Tensor<cpu, 2> t(nullptr, Shape2(4, 5));
  EXPECT_TRUE(AnyWritten(t, width(20)));
  EXPECT_FALSE(AnyWritten(Unknown(), width(0)));
}

TEST(Overlaps, AnUnknownNodeIsTakenForSafe) {
  const WrittenView written{nullptr, 0, 0, 0, true};
  EXPECT_FALSE(Overlaps(Unknown(), written, true));
}

}  // namespace
}  // namespace mshadow
