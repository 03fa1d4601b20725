// SPDX-License-Identifier: Apache-2.0
// Memory of temporaries that a thread has given back, kept for its next ones: a statement in a loop
// takes none from the system, nor the pages anew that the system would clear.
#ifndef MSHADOW_BACKEND_CPU_TEMPORARY_CACHE_H_
#define MSHADOW_BACKEND_CPU_TEMPORARY_CACHE_H_

#include <cstddef>

#include "../../core/config.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Blocks that AllocTemporary gave out and FreeTemporary took back, of one thread.
class TemporaryCache {
 public:
  /// Bytes that a thread keeps at most.
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
  /// What stands before the memory: its size.
  static constexpr std::size_t kHeader = 64;
#if defined(__SANITIZE_ADDRESS__)
  static constexpr int kSlots = 0;  // the sanitizer is to see each block end
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  static constexpr int kSlots = 0;
#else
  static constexpr int kSlots = 16;
#endif
#else
  static constexpr int kSlots = 16;
#endif

  using Release = void (*)(void*);
  explicit TemporaryCache(Release release) : release_(release) {}
  ~TemporaryCache() {
    while (count_ > 0) release_(slot_[--count_]);
    open_ = false;  // a static object may still give one back
  }
  TemporaryCache(const TemporaryCache&) = delete;
  TemporaryCache& operator=(const TemporaryCache&) = delete;

  static std::size_t& BytesOf(void* block) { return *static_cast<std::size_t*>(block); }

  /// The smallest block of at least `bytes`, and not much more; null: there is none.
  void* Take(std::size_t bytes) {
    int best = -1;
    for (int i = 0; i < count_; ++i) {
      const std::size_t size = BytesOf(slot_[i]);
      if (size < bytes || size / 2 > bytes + 4096) continue;
      if (best < 0 || size < BytesOf(slot_[best])) best = i;
    }
    if (best < 0) return nullptr;
    void* const block = slot_[best];
    kept_ -= BytesOf(block);
    slot_[best] = slot_[--count_];
    return block;
  }
  /// Keeps `block`, for which others may have to go, the oldest first.
  void Give(void* block) {
    const std::size_t bytes = BytesOf(block);
    if (kSlots == 0 || !open_ || bytes > kMaxBytes) return release_(block);
    while (count_ == kSlots || kept_ > kMaxBytes - bytes) {
      kept_ -= BytesOf(slot_[0]);
      release_(slot_[0]);
      --count_;
      for (int i = 0; i < count_; ++i) slot_[i] = slot_[i + 1];
    }
    slot_[count_++] = block;
    kept_ += bytes;
  }

 private:
  Release release_;
  void* slot_[kSlots + 1] = {};
  int count_ = 0;
  bool open_ = true;
  std::size_t kept_ = 0;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_TEMPORARY_CACHE_H_
