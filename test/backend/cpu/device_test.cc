// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/device.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
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

#if defined(__linux__) && MSHADOW_HUGE_PAGES
/// The flags of the mapping that `address` lies in, from /proc/self/smaps; empty: it has none.
std::string MappingFlags(const void* address) {
  const auto at = reinterpret_cast<unsigned long long>(address);
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    unsigned long long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &begin, &end) == 2) {
      inside = begin <= at && at < end;
    } else if (inside && line.rfind("VmFlags:", 0) == 0) {
      return line + ' ';
    }
  }
  return "";
}

TEST(CpuDevice, LargeMemoryAsksForHugePages) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "a system without huge pages";
  }
  std::size_t pitch;
  char* const large = static_cast<char*>(Api::AllocPitch(&pitch, 8 << 20, 3, false));
  const std::string flags = MappingFlags(large + (12 << 20));
  if (flags.empty()) {
    Api::Free(large);
    GTEST_SKIP() << "no flags of mappings";
  }
  EXPECT_NE(flags.find(" hg "), std::string::npos) << flags;
  for (std::size_t i = 0; i < 3 * pitch; i += 4096) large[i] = 1;  // all of it is there
  large[3 * pitch - 1] = 1;
  Api::Free(large);
  // A little less stays as it is.
  char* const small = static_cast<char*>(Api::AllocPitch(&pitch, (4 << 20) - 64, 1, false));
  EXPECT_EQ(MappingFlags(small + (2 << 20)).find(" hg "), std::string::npos);
  Api::Free(small);
}
#endif

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
