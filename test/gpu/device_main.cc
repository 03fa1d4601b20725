// SPDX-License-Identifier: Apache-2.0
// main of the programs that test a GPU. Where there is none it runs no test, says so, and returns
// what ctest takes for skipped: nobody takes that for tests that passed.
#include <gtest/gtest.h>

#include <cstdio>

#include "has_device.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!mshadow::testing::HasDevice()) {
    std::printf("NOT RUN: %d tests: this machine has no usable CUDA device\n",
                ::testing::UnitTest::GetInstance()->total_test_count());
    return 77;
  }
  return RUN_ALL_TESTS();
}
