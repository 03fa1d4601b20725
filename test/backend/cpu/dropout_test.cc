// SPDX-License-Identifier: Apache-2.0
#include <mshadow/nn.h>
#include <mshadow/random.h>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace {

using namespace expr;  // NOLINT
using testing::ErrorOf;
using testing::Guarded;

TEST(Dropout, ScalesWhatItKeeps) {
  Random<cpu> random(3);
  Guarded<2> large(Shape2(100, 103), 1), kept(Shape2(100, 103));
  *large = 2.0f;
  *kept = dropout(*large, 0.25, &random);
  int zeros = 0;
  for (std::size_t i = 0; i < kept.Size(); ++i) {
    if (kept.At(i) == 0) {
      ++zeros;
    } else {
      ASSERT_FLOAT_EQ(kept.At(i), 2.0f / 0.75f);
    }
  }
  EXPECT_NEAR(zeros, 2575, 200);
  EXPECT_NE(ErrorOf([&] { *kept = dropout(*large, 1.0, &random); }).find("p = 1"),
            std::string::npos);
}

}  // namespace
}  // namespace mshadow
