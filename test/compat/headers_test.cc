// SPDX-License-Identifier: Apache-2.0
// The header names that programs written for 2.x include.
#include <mshadow/base.h>
#include <mshadow/bfloat.h>
#include <mshadow/dot_engine-inl.h>
#include <mshadow/expr_engine-inl.h>
#include <mshadow/expression.h>
#include <mshadow/extension.h>
#include <mshadow/half.h>
#include <mshadow/half2.h>
#include <mshadow/io.h>
#include <mshadow/logging.h>
#include <mshadow/packet-inl.h>
#include <mshadow/random.h>
#include <mshadow/tensor.h>
#include <mshadow/tensor_blob.h>
#include <mshadow/tensor_container.h>
#include <mshadow/tensor_cpu-inl.h>

#include <cstdint>

#include "testing.h"

namespace mshadow {
namespace {

TEST(Headers, AlignedMemoryOf2x) {
  std::size_t pitch = 0;
  void* const memory = packet::AlignedMallocPitch(&pitch, 3 * sizeof(float), 5);
  EXPECT_EQ(pitch, 16u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 16, 0u);
  packet::AlignedFree(memory);
}

}  // namespace
}  // namespace mshadow
