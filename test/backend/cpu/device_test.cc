// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/device.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace mshadow {
namespace {

using Api = DeviceApi<cpu>;

TEST(CpuDevice, PitchAndAlignment) {
  for (const std::size_t row_bytes : {1u, 12u, 16u, 40u}) {
    for (const bool pad : {false, true}) {
      std::size_t pitch = 0;
      void* const memory = Api::AllocPitch(&pitch, row_bytes, 3, pad);
      EXPECT_EQ(pitch, pad ? (row_bytes + 15) / 16 * 16 : row_bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % Api::kAlignment, 0u);
      std::memset(memory, 1, 3 * pitch);
      Api::Free(memory);
    }
  }
}

TEST(CpuDevice, RefusesWhatExceedsTheAddressSpace) {
  std::size_t pitch;
  EXPECT_THROW(Api::AllocPitch(&pitch, SIZE_MAX / 4, 5, false), Error);
  EXPECT_THROW(Api::AllocPitch(&pitch, SIZE_MAX, 1, true), Error);
}

// Every shift and every pair of pitches within one buffer, against a copy made beforehand.
TEST(CpuDevice, Copy2DOfOverlappingRows) {
  constexpr std::size_t kRows = 4, kWidth = 3, kSize = 64;
  for (std::size_t dst_pitch : {3u, 4u, 7u}) {
    for (std::size_t src_pitch : {3u, 5u, 7u}) {
      for (std::size_t from = 0; from < 20; ++from) {
        for (std::size_t to = 0; to < 20; ++to) {
          std::vector<char> buffer(kSize), expected;
          for (std::size_t i = 0; i < kSize; ++i) buffer[i] = static_cast<char>(i);
          const std::vector<char> before = buffer;
          expected = before;
          for (std::size_t i = 0; i < kRows * kWidth; ++i) {
            expected[to + i / kWidth * dst_pitch + i % kWidth] =
                before[from + i / kWidth * src_pitch + i % kWidth];
          }
          Api::Copy2D(&buffer[to], dst_pitch, &buffer[from], src_pitch, kWidth, kRows, nullptr);
          ASSERT_EQ(buffer, expected) << from << " to " << to << ", pitches " << src_pitch << ", "
                                      << dst_pitch;
        }
      }
    }
  }
}

// Large enough for several threads: whole, as one row, and rows of any pitch.
TEST(CpuDevice, Copy2DOfLargeMemory) {
  struct Case {
    std::size_t dst_pitch, src_pitch, row_bytes, rows;
  };
  for (const Case& c : {Case{1000, 1000, 1000, 999}, Case{7, 3, 654321, 1},
                        Case{301, 307, 299, 3000}, Case{1000000, 900001, 900001, 3}}) {
    std::vector<char> from((c.rows - 1) * c.src_pitch + c.row_bytes);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 2654435761u >> 9);
    std::vector<char> to((c.rows - 1) * c.dst_pitch + c.row_bytes, 77), expected = to;
    for (std::size_t i = 0; i < c.rows * c.row_bytes; ++i) {
      const std::size_t y = i / c.row_bytes, x = i % c.row_bytes;
      expected[y * c.dst_pitch + x] = from[y * c.src_pitch + x];
    }
    Api::Copy2D(to.data(), c.dst_pitch, from.data(), c.src_pitch, c.row_bytes, c.rows, nullptr);
    EXPECT_TRUE(to == expected) << c.rows << " rows of " << c.row_bytes;
  }
}

TEST(CpuDevice, StreamIsIdle) {
  Stream<cpu>* const stream = NewStream<cpu>();
  stream->Wait();
  EXPECT_TRUE(stream->CheckIdle());
  DeleteStream(stream);
}

}  // namespace
}  // namespace mshadow
