// SPDX-License-Identifier: Apache-2.0
// The processor that OpenBLAS has kernels for, and whether products would be slow with them.
#ifndef MSHADOW_BACKEND_CPU_BLAS_OPENBLAS_CORE_H_
#define MSHADOW_BACKEND_CPU_BLAS_OPENBLAS_CORE_H_

#include <cstdlib>
#include <cstring>
#include <string>

#include "../../../core/config.h"
#include "../../../simd/isa.h"
#include "../threads.h"

#if defined(__ELF__) && !MSHADOW_PLAIN_CXX
// Weak, since another BLAS has none of them. A program that links OpenBLAS's archive gets only the
// second, which cblas_sgemm needs.
extern "C" {
__attribute__((weak)) char* openblas_get_corename(void);
__attribute__((weak)) char* gotoblas_corename(void);
__attribute__((weak)) int openblas_get_num_threads(void);
}
#endif

MSHADOW_NAMESPACE_BEGIN
namespace blas {

/// OpenBLAS's name of the processor; "" for another BLAS, and where there is no way to ask.
inline const char* OpenBlasCore() {
#if defined(__ELF__) && !MSHADOW_PLAIN_CXX
  if (openblas_get_corename != nullptr) return openblas_get_corename();
  if (gotoblas_corename != nullptr) return gotoblas_corename();
#endif
  return "";
}

/// The threads of an OpenBLAS; 1000 where there is no way to ask.
inline int OpenBlasThreads() {
#if defined(__ELF__) && !MSHADOW_PLAIN_CXX
  if (openblas_get_num_threads != nullptr) return openblas_get_num_threads();
#endif
  return 1000;
}

/// True if OpenBLAS's `core` is one of `names`, which are in lower case between spaces.
inline bool IsCoreOf(const char* names, const char* core) {
  std::string name = " ";
  for (; *core != '\0'; ++core) {
    name += *core >= 'A' && *core <= 'Z' ? static_cast<char>(*core - 'A' + 'a') : *core;
  }
  return name.size() > 1 && std::strstr(names, (name + " ").c_str()) != nullptr;
}

/// The speed of kernels for `isa`, relative to the baseline, which has no fused operations.
inline int SpeedOf(simd::Isa isa) {
  return isa == simd::Isa::kAvx512 ? 8 : isa == simd::Isa::kAvx2 ? 4 : 1;
}
/// The same of OpenBLAS's kernels for `core`; 8 if the name is not known here.
inline int SpeedOfCore(const char* core) {
  constexpr const char* kBefore2013 =
      " generic katmai coppermine northwood prescott banias atom core2 penryn dunnington nehalem "
      "sandybridge athlon opteron opteron_sse3 barcelona bobcat bulldozer piledriver steamroller "
      "nano viac3 ";
  if (IsCoreOf(kBefore2013, core)) return SpeedOf(simd::Isa::kBaseline);
  return SpeedOf(IsCoreOf(" haswell zen excavator ", core) ? simd::Isa::kAvx2
                                                           : simd::Isa::kAvx512);
}

/// True if the library's kernels for `isa` are faster than an OpenBLAS that takes the processor for
/// `core` and has `threads` times as many threads. An old OpenBLAS takes new processors for older
/// ones: 0.3.21 of Debian 12 takes Zen 4 and 5 for Zen, and new Xeons for a Prescott.
inline bool IsSlowCore(const char* core, simd::Isa isa, int threads) {
  return SpeedOfCore(core) * threads < SpeedOf(isa);
}

/// True if the builtin kernels compute products. `wish`, the environment variable MSHADOW_BLAS, is
/// "builtin", "cblas" or, for any other text, the faster one.
inline bool ChoosesBuiltin(const char* wish, bool slow_core) {
  if (wish != nullptr && std::strcmp(wish, "builtin") == 0) return true;
  return slow_core && (wish == nullptr || std::strcmp(wish, "cblas") != 0);
}

inline namespace MSHADOW_THREADS_NAMESPACE {

/// True if kernels of the library replace those of cblas. Decided once, at the first product.
inline bool ReplacesCblas() {
  static const bool replaces =
      ChoosesBuiltin(std::getenv("MSHADOW_BLAS"),
                     IsSlowCore(OpenBlasCore(), simd::ActiveIsa(),
                                kHasThreads ? 1 : OpenBlasThreads()));
  return replaces;
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_OPENBLAS_CORE_H_
