// SPDX-License-Identifier: Apache-2.0
// What readers and writers of ZIP archives share.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (sections 4.3 to 4.5)
#ifndef MSHADOW_INTEROP_ZIP_H_
#define MSHADOW_INTEROP_ZIP_H_

#if !__has_include(<zlib.h>)
#error "mshadow/npz.h: zlib is not on the include path (Debian: zlib1g-dev, and link with -lz)"
#endif

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../core/config.h"

MSHADOW_NAMESPACE_BEGIN
namespace interop {

constexpr std::uint32_t kZipLocal = 0x04034b50, kZipCentral = 0x02014b50, kZipEnd = 0x06054b50;
constexpr std::uint32_t kZip64End = 0x06064b50, kZip64Locator = 0x07064b50;
constexpr std::uint64_t kZip32 = 0xffffffff;  // "look into the extra field of 64 bits"

inline std::uint32_t Crc32(std::uint32_t crc, const void* bytes, std::size_t size) {
  const Bytef* at = static_cast<const Bytef*>(bytes);
  for (std::size_t n; size > 0; at += n, size -= n) {
    n = (std::min)(size, std::size_t{1} << 30);
    crc = static_cast<std::uint32_t>(crc32(crc, at, static_cast<uInt>(n)));
  }
  return crc;
}

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_ZIP_H_
