// SPDX-License-Identifier: Apache-2.0
#include "mshadow/core/layout.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace mshadow;

const std::vector<std::pair<LayoutFlag, std::string>> kLayouts = {
    {kNCHW, "NCHW"}, {kNHWC, "NHWC"},   {kCHWN, "CHWN"},   {kNCW, "NCW"},    {kNWC, "NWC"},
    {kCWN, "CWN"},   {kNCDHW, "NCDHW"}, {kNDHWC, "NDHWC"}, {kCDHWN, "CDHWN"}};

TEST(Layout, FlagsAndText) {
  EXPECT_EQ(kNCHW, 0);
  EXPECT_EQ(kNHWC, 1);
  EXPECT_EQ(kCHWN, 2);
  EXPECT_EQ(kNCW, 8);
  EXPECT_EQ(kNWC, 9);
  EXPECT_EQ(kCWN, 10);
  EXPECT_EQ(kNCDHW, 32);
  EXPECT_EQ(kNDHWC, 33);
  EXPECT_EQ(kCDHWN, 34);
  EXPECT_EQ(kUNKNOWN, -1);
  EXPECT_EQ(default_layout, kNCHW);
  EXPECT_EQ(default_layout_5d, kNCDHW);
  for (const auto& [flag, text] : kLayouts) {
    EXPECT_EQ(toString(flag), text);
    EXPECT_EQ(layoutFlag(text), flag);
  }
  EXPECT_EQ(toString(kUNKNOWN), "");
  EXPECT_EQ(layoutFlag("nchw"), kUNKNOWN);
  EXPECT_EQ(layoutFlag(""), kUNKNOWN);
}

TEST(Layout, Type) {
  EXPECT_EQ(LayoutType<kNCHW>::kNdim, 4u);
  EXPECT_EQ(LayoutType<kNHWC>::kNdim, 4u);
  EXPECT_EQ(LayoutType<kNCDHW>::kNdim, 5u);
  EXPECT_EQ(LayoutType<kNDHWC>::kNdim, 5u);
  EXPECT_EQ(LayoutType<kNHWC>::kCudnnFlag, -1);
}

TEST(Layout, TransposeAxes) {
  EXPECT_EQ(getTranspAxes<int>(kNCHW, kNHWC), (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(getTranspAxes<int64_t>(kNHWC, kNCHW), (std::vector<int64_t>{0, 3, 1, 2}));
  EXPECT_EQ(getTranspAxes<unsigned>(kNCW, kCWN), (std::vector<unsigned>{1, 2, 0}));
  for (const auto& [src, src_text] : kLayouts) {
    for (const auto& [dst, dst_text] : kLayouts) {
      if (src_text.size() != dst_text.size()) {
        EXPECT_THROW(getTranspAxes<int>(src, dst), Error);
        continue;
      }
      const std::vector<int> axes = getTranspAxes<int>(src, dst);
      ASSERT_EQ(axes.size(), dst_text.size());
      for (size_t i = 0; i < axes.size(); ++i) EXPECT_EQ(src_text[axes[i]], dst_text[i]);
    }
  }
  EXPECT_THROW(getTranspAxes<int>(kUNKNOWN, kNCHW), Error);
  EXPECT_THROW(getTranspAxes<int>(kNCHW, kUNKNOWN), Error);
  EXPECT_THROW(getTranspAxes<int>(kUNKNOWN, kUNKNOWN), Error);
}

TEST(Layout, ConvertsShapes) {
  EXPECT_EQ(ConvertLayout(Shape3(2, 3, 4), kNCW, kNWC), Shape3(2, 4, 3));
  EXPECT_EQ(ConvertLayout(Shape3(2, 4, 3), kNWC, kNCW), Shape3(2, 3, 4));
  EXPECT_EQ(ConvertLayout(Shape4(2, 3, 4, 5), kNCHW, kNHWC), Shape4(2, 4, 5, 3));
  EXPECT_EQ(ConvertLayout(Shape4(2, 4, 5, 3), kNHWC, kNCHW), Shape4(2, 3, 4, 5));
  EXPECT_EQ(ConvertLayout(Shape4(2, 3, 4, 5), kNCHW, kNCHW), Shape4(2, 3, 4, 5));
  EXPECT_EQ(ConvertLayout(Shape4(2, 3, 4, 5), kNCHW, kCHWN), Shape4(3, 4, 5, 2));
  EXPECT_EQ(ConvertLayout(Shape5(2, 3, 4, 5, 6), kNCDHW, kNDHWC), Shape5(2, 4, 5, 6, 3));
  EXPECT_EQ(ConvertLayout(Shape5(2, 4, 5, 6, 3), kNDHWC, kNCDHW), Shape5(2, 3, 4, 5, 6));
}

TEST(Layout, ConvertRefusesOtherLayouts) {
  EXPECT_THROW(ConvertLayout(Shape3(2, 3, 4), kNCHW, kNWC), Error);
  EXPECT_THROW(ConvertLayout(Shape5(2, 3, 4, 5, 6), kNCDHW, kUNKNOWN), Error);
  try {
    ConvertLayout(Shape4(2, 3, 4, 5), kNCHW, kNDHWC);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("Invalid layout for 4d shape"), std::string::npos) << text;
    EXPECT_NE(text.find("NDHWC"), std::string::npos) << text;
  }
}

int Switched(int layout) {
  MSHADOW_LAYOUT_SWITCH(layout, Layout, {
    static_assert(LayoutType<Layout>::kNdim >= 4, "a constant");
    return Layout;
  });
}

TEST(Layout, Switch) {
  for (const int layout : {kNCHW, kNHWC, kNCDHW, kNDHWC}) EXPECT_EQ(Switched(layout), layout);
  EXPECT_THROW(Switched(kCHWN), Error);
  EXPECT_THROW(Switched(7), Error);
}

}  // namespace
