// SPDX-License-Identifier: Apache-2.0
// The host as a device: memory, and a stream that is always idle.
#ifndef MSHADOW_BACKEND_CPU_DEVICE_H_
#define MSHADOW_BACKEND_CPU_DEVICE_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "../../core/config.h"
#if MSHADOW_HUGE_PAGES && defined(__linux__)
#include <sys/mman.h>
#endif

#include "../../core/device.h"
#include "../../core/error_text.h"
#include "../../core/logging.h"
#include "temporary_cache.h"
#include "threads.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {
/// Fewest bytes whose copy is worth a thread: 25,000 floats, as of a statement.
constexpr std::ptrdiff_t kCopyGrain = 100000;

/// Asks for pages of 2 MiB for large memory: with pages of 4 KiB a processor has 512 times as many
/// addresses to look up. (Linux gives them on request where it is set to `madvise`, as by Ubuntu.
/// NumPy asks from the same size on.)
inline void AskForHugePages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if MSHADOW_HUGE_PAGES && defined(MADV_HUGEPAGE)
  constexpr std::size_t kMin = std::size_t{4} << 20;
  constexpr std::uintptr_t kPage = 65536;  // a multiple of every page size
  if (bytes < kMin) return;
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (at + kPage - 1) & -kPage, end = (at + bytes) & -kPage;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // or it stays as it is
#endif
}

/// `rows` rows of row_bytes > 0 bytes each, none of which overlaps what is written.
void CopyRowsApart(const ThreadTeam& team, char* to, std::size_t to_pitch, const char* from,
                   std::size_t from_pitch, std::size_t row_bytes, std::size_t rows);
#if MSHADOW_SHARED_BODIES
MSHADOW_SHARED void CopyRowsApart(const ThreadTeam& team, char* to, std::size_t to_pitch,
                                  const char* from, std::size_t from_pitch, std::size_t row_bytes,
                                  std::size_t rows) {
  if (rows == 1 || (to_pitch == row_bytes && from_pitch == row_bytes)) {
    return team.ParallelRanges(static_cast<std::ptrdiff_t>(row_bytes * rows), kCopyGrain,
                               [=](std::ptrdiff_t begin, std::ptrdiff_t end) {
                                 std::memcpy(to + begin, from + begin, std::size_t(end - begin));
                               });
  }
  team.ParallelRanges(static_cast<std::ptrdiff_t>(rows),
                      kCopyGrain / static_cast<std::ptrdiff_t>(row_bytes) + 1,
                      [=](std::ptrdiff_t begin, std::ptrdiff_t end) {
                        for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
                          std::memcpy(to + i * to_pitch, from + i * from_pitch, row_bytes);
                        }
                      });
}
#endif
}  // namespace detail

/// The host runs every statement where it stands, so there is nothing to wait for.
template <>
struct Stream<cpu> {
  void Wait() {}
  bool CheckIdle() { return true; }
  void CreateBlasHandle() {}
};

template <>
struct DeviceApi<cpu> {
  /// Rows of padded tensors start at multiples of this many bytes.
  static constexpr std::size_t kPitchAlignment = 16;
  /// Rows of any length are padded.
  static constexpr std::size_t kMinPaddedCols = 1;
  /// Memory starts at a cache line, so that vectors of every width may be aligned.
  static constexpr std::size_t kAlignment = 64;

  static void Init(int) {}
  static void Shutdown() {}
  static void SetDevice(int) {}
  static Stream<cpu>* NewStream(bool, bool, int) { return new Stream<cpu>(); }
  static void DeleteStream(Stream<cpu>* stream) { delete stream; }

  /// `rows` rows of `row_bytes` bytes each, *pitch bytes apart; throws Error without enough memory.
  static void* AllocPitch(std::size_t* pitch, std::size_t row_bytes, std::size_t rows, bool pad);
  static void Free(void* memory) { ::operator delete(memory, std::align_val_t(kAlignment)); }
  /// Memory for a short time. The thread keeps some of it for its next temporaries.
  static void* AllocTemporary(std::size_t bytes, Stream<cpu>*);
  static void FreeTemporary(void* memory, Stream<cpu>*) noexcept;
  static void* AllocHost(std::size_t bytes) {
    std::size_t pitch;
    return AllocPitch(&pitch, bytes, 1, false);
  }
  static void FreeHost(void* memory) { Free(memory); }

  /// Rows may overlap, as in Copy(t.Slice(1, n), t.Slice(0, n - 1)).
  static void Copy2D(void* dst, std::size_t dst_pitch, const void* src, std::size_t src_pitch,
                     std::size_t row_bytes, std::size_t rows, Stream<cpu>*) {
    CopyRows(kThreadTeam, static_cast<char*>(dst), dst_pitch, static_cast<const char*>(src),
             src_pitch, row_bytes, rows);
  }

 private:
  static void CopyRows(const ThreadTeam& team, char* to, std::size_t to_pitch, const char* from,
                       std::size_t from_pitch, std::size_t row_bytes, std::size_t rows);
  static detail::TemporaryCache& Temporaries();
};

#if MSHADOW_SHARED_BODIES
MSHADOW_SHARED void* DeviceApi<cpu>::AllocPitch(std::size_t* pitch, std::size_t row_bytes,
                                                std::size_t rows, bool pad) {
  constexpr std::size_t kMax = static_cast<std::size_t>(-1) / 2;
  *pitch = pad ? (row_bytes + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment : row_bytes;
  void* memory = nullptr;
  if (row_bytes <= kMax && (rows == 0 || *pitch <= kMax / rows)) {
    memory = ::operator new(*pitch * rows, std::align_val_t(kAlignment), std::nothrow);
  }
  MSHADOW_CHECK(memory != nullptr)
      << detail::ErrorText().Add("out of memory: %zu rows of %zu bytes", rows, row_bytes).text();
  detail::AskForHugePages(memory, *pitch * rows);
  return memory;
}

MSHADOW_SHARED detail::TemporaryCache& DeviceApi<cpu>::Temporaries() {
  static thread_local detail::TemporaryCache cache(&DeviceApi::Free);
  return cache;
}
MSHADOW_NOINLINE MSHADOW_SHARED void* DeviceApi<cpu>::AllocTemporary(std::size_t bytes,
                                                                     Stream<cpu>*) {
  using Cache = detail::TemporaryCache;
  void* block = Temporaries().Take(bytes);
  if (block == nullptr) {
    std::size_t size = bytes;
    if (Cache::kSlots > 0 && size < 4096) size = 4096;  // small ones take each other's place
    MSHADOW_CHECK(size <= static_cast<std::size_t>(-1) / 2 - Cache::kHeader)
        << detail::ErrorText().Add("out of memory: a temporary of %zu bytes", bytes).text();
    std::size_t pitch;
    block = AllocPitch(&pitch, size + Cache::kHeader, 1, false);
    Cache::BytesOf(block) = size;
  }
  return static_cast<char*>(block) + Cache::kHeader;
}
MSHADOW_NOINLINE MSHADOW_SHARED void DeviceApi<cpu>::FreeTemporary(void* memory,
                                                                   Stream<cpu>*) noexcept {
  if (memory == nullptr) return;
  Temporaries().Give(static_cast<char*>(memory) - detail::TemporaryCache::kHeader);
}

MSHADOW_SHARED void DeviceApi<cpu>::CopyRows(const ThreadTeam& team, char* to, std::size_t to_pitch,
                                             const char* from, std::size_t from_pitch,
                                             std::size_t row_bytes, std::size_t rows) {
  if (row_bytes == 0 || rows == 0) return;
  const auto begin = [](const char* memory) { return reinterpret_cast<std::uintptr_t>(memory); };
  if (begin(to) + (rows - 1) * to_pitch + row_bytes <= begin(from) ||
      begin(from) + (rows - 1) * from_pitch + row_bytes <= begin(to)) {
    return detail::CopyRowsApart(team, to, to_pitch, from, from_pitch, row_bytes, rows);
  }
  if (to_pitch == row_bytes && from_pitch == row_bytes) {
    std::memmove(to, from, row_bytes * rows);
    return;
  }
  // Rows that move down in ascending order, then those that move up in descending order: no row
  // is overwritten before it is read, whatever the pitches.
  std::size_t moved = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (to + i * to_pitch > from + i * from_pitch) continue;
    std::memmove(to + i * to_pitch, from + i * from_pitch, row_bytes);
    ++moved;
  }
  if (moved == rows) return;
  for (std::size_t i = rows; i-- != 0;) {
    if (to + i * to_pitch <= from + i * from_pitch) continue;
    std::memmove(to + i * to_pitch, from + i * from_pitch, row_bytes);
  }
}
#endif

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_DEVICE_H_
