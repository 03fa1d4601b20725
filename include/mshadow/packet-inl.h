// SPDX-License-Identifier: Apache-2.0
// The 2.x name of the header of aligned memory. The packets of 2.x are gone: kernels are scalar
// code that the compiler vectorises (simd/isa.h).
#ifndef MSHADOW_PACKET_INL_H_
#define MSHADOW_PACKET_INL_H_

#include "core/letters_begin.inc"

#include "backend/cpu/device.h"

MSHADOW_NAMESPACE_BEGIN
namespace packet {

/// `num_line` rows of `lspace` bytes, *out_pitch bytes apart, each aligned to 16 bytes; throws
/// Error where there is not enough memory. AlignedFree gives it back.
inline void* AlignedMallocPitch(std::size_t* out_pitch, std::size_t lspace,
                                std::size_t num_line) {
  return DeviceApi<cpu>::AllocPitch(out_pitch, lspace, num_line, true);
}
inline void AlignedFree(void* memory) { DeviceApi<cpu>::Free(memory); }

}  // namespace packet
MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_PACKET_INL_H_
