// SPDX-License-Identifier: Apache-2.0
// The instruction set, chosen when the program runs.
//
// A kernel is a functor whose operator() is a plain scalar loop. Dispatch(kernel) runs it inside a
// function compiled for the best instruction set of the machine, everything inlined, so that the
// compiler vectorises the loop for that machine in every build, also `g++ -O2` with no -march.
#ifndef MSHADOW_SIMD_ISA_H_
#define MSHADOW_SIMD_ISA_H_

#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "../core/config.h"

/// 1: the AVX2 and AVX-512 forms of every kernel are compiled beside the baseline.
#ifndef MSHADOW_SIMD_DISPATCH
#if defined(__x86_64__) && !MSHADOW_PLAIN_CXX && !defined(__CUDA_ARCH__) && !MSHADOW_DEBUG_KERNELS
#define MSHADOW_SIMD_DISPATCH 1
#else
#define MSHADOW_SIMD_DISPATCH 0
#endif
#endif
#if MSHADOW_SIMD_DISPATCH && MSHADOW_DEBUG_KERNELS
#error "mshadow: functions that are not inlined have one instruction set: MSHADOW_SIMD_DISPATCH=0"
#endif

// What every compiled-per-target function carries: the loop vectoriser even at -O1 (GCC), and all
// calls inlined, since a function compiled for another target cannot be vectorised with the loop.
#if MSHADOW_DEBUG_KERNELS || MSHADOW_PLAIN_CXX
#define MSHADOW_KERNEL MSHADOW_NOINLINE
#define MSHADOW_LOOP_KERNEL MSHADOW_NOINLINE
#define MSHADOW_SCALAR_KERNEL MSHADOW_NOINLINE
#define MSHADOW_TARGET(arch)
#define MSHADOW_KEEP_KERNEL_FLAGS
#define MSHADOW_SIMD_LOOP
#define MSHADOW_SIMD_LOOP_LONG
#elif defined(__clang__)
#define MSHADOW_KERNEL __attribute__((flatten, noinline))
#define MSHADOW_LOOP_KERNEL MSHADOW_KERNEL
#define MSHADOW_SCALAR_KERNEL MSHADOW_KERNEL
#define MSHADOW_KEEP_KERNEL_FLAGS
#define MSHADOW_TARGET(arch) __attribute__((target(arch)))
#define MSHADOW_WIDE_VECTORS ""
// Of constant length, to become vectors: unrolled first, it would stay scalar.
#define MSHADOW_SIMD_LOOP _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#define MSHADOW_SIMD_LOOP_LONG MSHADOW_IVDEP
#else
// No partial redundancy elimination: of (a == b ? 1 : 0) * c it makes two branches, c and 0 * c,
// which GCC does not vectorise for want of masks before AVX-512. And no knowledge of the registers
// that a callee leaves alone: for its sake GCC leaves out the vzeroupper before a call, and what is
// not inlined, as a large function of the user's at -O2, waits tens of nanoseconds at each call.
// Loops start at a line of the instruction cache, unless it takes 48 bytes or more to get there: a
// loop of five instructions that lies in two lines takes up to twice as long as one in one (Zen 3).
// No trapping math: GCC converts a branch to a blend only where neither arm can raise a
// floating-point exception. Nobody is promised the flags of these exceptions. And no clones: GCC
// inlines functions with trapping math late, and not into clones. Nor are two rounds of a loop
// over lanes made one: it leaves the lanes in memory.
#define MSHADOW_KERNEL_PASSES \
  "no-trapping-math", "no-tree-pre", "no-ipa-ra", "no-loop-unroll-and-jam", "align-loops=64:48"
#define MSHADOW_KERNEL                       \
  __attribute__((flatten, noinline, noclone, \
                 optimize(MSHADOW_KERNEL_LEVEL, MSHADOW_KERNEL_PASSES)))
// The same for one loop over elements, of which every statement has its own: without what takes
// long to compile and makes such loops no faster, as joining statements to vectors, which the loop
// is made of already, putting instructions in another order, and what looks for ranges of values
// and for branches that follow from others: these loops have none. (Not O2: a loop within an op, a
// polynomial's, would not be unrolled, and the loop around it stay scalar.)
#define MSHADOW_FAST_COMPILE_PASSES                                                         \
  MSHADOW_KERNEL_PASSES, "no-tree-slp-vectorize", "no-schedule-insns2", "no-code-hoisting", \
      "no-split-paths", "no-thread-jumps", "no-tree-dominator-opts", "no-tree-vrp"
#define MSHADOW_LOOP_KERNEL                  \
  __attribute__((flatten, noinline, noclone, \
                 optimize(MSHADOW_KERNEL_LEVEL, MSHADOW_FAST_COMPILE_PASSES)))
// The same for loops of so few elements that they are better not vectorised.
#define MSHADOW_SCALAR_KERNEL                \
  __attribute__((flatten, noinline, noclone, \
                 optimize("O2", "no-tree-vectorize", MSHADOW_FAST_COMPILE_PASSES)))
// The first statement of a kernel, which keeps "no-trapping-math". A function without a
// floating-point operation of its own takes the flags of the first function that is inlined into
// it. This operation takes no instruction.
#define MSHADOW_KEEP_KERNEL_FLAGS       \
  [[maybe_unused]] float some_register; \
  __asm__ volatile("" : "=r"(some_register));
#define MSHADOW_TARGET(arch) __attribute__((target(arch)))
#define MSHADOW_WIDE_VECTORS ",prefer-vector-width=512"
// A loop of constant length that is to become vectors: unrolled first, it would stay scalar. nvcc
// knows no such pragma.
#ifdef __CUDACC__
#define MSHADOW_SIMD_LOOP MSHADOW_IVDEP
#else
#define MSHADOW_SIMD_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif
// The same of more lanes than GCC unrolls before it makes vectors, 16. The loop over the vectors is
// unrolled, so that an array of lanes lives in registers, which it does not where it is forbidden.
#define MSHADOW_SIMD_LOOP_LONG MSHADOW_IVDEP
#endif

MSHADOW_NAMESPACE_BEGIN
namespace simd {

enum class Isa { kBaseline = 0, kAvx2 = 1, kAvx512 = 2 };

// One tag an instruction set. Run works on a local copy of the kernel: its members live in
// registers, where through a reference GCC at -O1 reloads them and does not vectorise. (As an
// argument by value it would be copied in pieces wider than those just stored, and wait for them.)
// Call is for kernels without members, one loop that gets what it needs as arguments. The tag is
// part of the kernel's own name (operator()<Isa>, Run<Isa>), so that translation units compiled
// with other flags never share a symbol that differs.

#if defined(__clang__) && !MSHADOW_PLAIN_CXX
// A loop that cannot be vectorised stays a loop; the user of a library has no use for the warning.
// It is given at the place of any code that was inlined into the loop, so it stays off.
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define MSHADOW_DEFINE_ISA_(Name, isa, bytes, target)                  \
  struct Name {                                                        \
    static constexpr Isa kIsa = isa;                                   \
    static constexpr int kVectorBytes = bytes;                         \
    template <typename Kernel>                                         \
    MSHADOW_KERNEL target static void Run(const Kernel& argument) {    \
      MSHADOW_KEEP_KERNEL_FLAGS                                        \
      const Kernel kernel(argument);                                   \
      kernel.template operator()<Name>();                              \
    }                                                                  \
    template <typename Kernel, typename... Args>                       \
    MSHADOW_LOOP_KERNEL target static void Call(Args... args) {        \
      MSHADOW_KEEP_KERNEL_FLAGS                                        \
      Kernel::template Run<Name>(args...);                             \
    }                                                                  \
  };

/// What the compiler's own flags allow: SSE2 on x86-64, NEON on 64-bit Arm.
MSHADOW_DEFINE_ISA_(Baseline, Isa::kBaseline, 16, )

#if MSHADOW_SIMD_DISPATCH
// After MSHADOW_KERNEL and its like: below -O2, GCC 14 forgets a target that comes before a level
// of optimisation, and compiles the kernel for the baseline.
#define MSHADOW_AVX2 MSHADOW_TARGET("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")
#define MSHADOW_AVX512                                                       \
  MSHADOW_TARGET("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c," \
                 "bmi,bmi2,lzcnt,popcnt" MSHADOW_WIDE_VECTORS)
MSHADOW_DEFINE_ISA_(Avx2, Isa::kAvx2, 32, MSHADOW_AVX2)
MSHADOW_DEFINE_ISA_(Avx512, Isa::kAvx512, 64, MSHADOW_AVX512)
#endif
#undef MSHADOW_DEFINE_ISA_

/// Does this machine run `isa`?
inline bool SupportedIsa(Isa isa) {
#if MSHADOW_SIMD_DISPATCH
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return isa == Isa::kBaseline || (isa == Isa::kAvx2 && avx2) || (isa == Isa::kAvx512 && avx512);
#else
  return isa == Isa::kBaseline;
#endif
}

/// "baseline", "avx2" or "avx512".
inline const char* IsaName(Isa isa) {
  return isa == Isa::kAvx512 ? "avx512" : isa == Isa::kAvx2 ? "avx2" : "baseline";
}

namespace detail {
/// The best set of this machine, or a lesser one named by the environment variable MSHADOW_ISA.
inline Isa DetectIsa() {
  const char* const wish = std::getenv("MSHADOW_ISA");
  if (wish != nullptr && std::strcmp(wish, "baseline") == 0) return Isa::kBaseline;
  const bool avx2_at_most = wish != nullptr && std::strcmp(wish, "avx2") == 0;
  if (!avx2_at_most && SupportedIsa(Isa::kAvx512)) return Isa::kAvx512;
  return SupportedIsa(Isa::kAvx2) ? Isa::kAvx2 : Isa::kBaseline;
}
inline Isa active_isa = DetectIsa();
}  // namespace detail

/// The set that Dispatch uses.
MSHADOW_FORCE_INLINE Isa ActiveIsa() { return detail::active_isa; }

/// Makes Dispatch use `isa` from now on; false, and no change, where the machine lacks it.
/// For tests and benchmarks: not to be called while another thread evaluates.
inline bool ForceIsa(Isa isa) {
  if (!SupportedIsa(isa)) return false;
  detail::active_isa = isa;
  return true;
}

/// Runs `kernel` compiled for `isa`, which the machine must have. (Not `inline`: of such a function
/// compilers make a copy to inline even where ../kernels.h says that it is compiled elsewhere.
/// kDispatch keeps the two forms apart where files with and without MSHADOW_SIMD_DISPATCH meet.)
template <typename Kernel, bool kDispatch = (MSHADOW_SIMD_DISPATCH != 0)>
void RunOn([[maybe_unused]] Isa isa, const Kernel& kernel) {
#if MSHADOW_SIMD_DISPATCH
  switch (isa) {
    case Isa::kAvx512: return Avx512::Run(kernel);
    case Isa::kAvx2: return Avx2::Run(kernel);
    case Isa::kBaseline: break;
  }
#endif
  Baseline::Run(kernel);
}

/// Runs `kernel` compiled for the active instruction set.
template <typename Kernel>
inline void Dispatch(const Kernel& kernel) {
  RunOn(ActiveIsa(), kernel);
}

namespace detail {
template <typename Kernel, typename Function, bool is_short>
struct Forms;
template <typename Kernel, typename... Args, bool is_short>
struct Forms<Kernel, void (*)(Args...), is_short> {
  using Function = void (*)(Args...);
  // Without the others three all the same: translation units with and without them may meet in one
  // program, which has one active set.
  static constexpr Function kAll[] = {
      Baseline::Call<Kernel, Args...>,
#if MSHADOW_SIMD_DISPATCH
      Avx2::Call<Kernel, Args...>,
      std::conditional_t<is_short, Avx2, Avx512>::template Call<Kernel, Args...>,
#else
      Baseline::Call<Kernel, Args...>,
      Baseline::Call<Kernel, Args...>,
#endif
  };
};
}  // namespace detail

/// Kernel::Run<Isa> compiled for each instruction set, by pointers of type Function: the active one
/// is at ActiveIsa().
template <typename Kernel, typename Function>
inline constexpr const Function* kForms = detail::Forms<Kernel, Function, false>::kAll;
/// The same for loops that gain nothing by AVX-512, for which the form of AVX2 is taken.
template <typename Kernel, typename Function>
inline constexpr const Function* kShortForms = detail::Forms<Kernel, Function, true>::kAll;

/// Kernel::Run<Isa>(args...) compiled for the active instruction set; the arguments, numbers and
/// pointers, travel in registers.
template <typename Kernel, typename... Args>
inline void Call(Args... args) {
  kForms<Kernel, void (*)(Args...)>[static_cast<int>(ActiveIsa())](args...);
}

}  // namespace simd
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_SIMD_ISA_H_
