// SPDX-License-Identifier: Apache-2.0
// Transforms by FFTW, where MSHADOW_USE_FFTW is 1. http://fftw.org/fftw3_doc/
#ifndef MSHADOW_FFT_FFTW_H_
#define MSHADOW_FFT_FFTW_H_

#include <complex>
#include <cstddef>
#include <type_traits>

#include "../backend/cpu/device.h"
#include "../backend/cpu/threads.h"
#include "plan.h"

/// 1: lines of most lengths are transformed by FFTW, <fftw3.h>, and the program links -lfftw3 and
/// -lfftw3f. Set by mshadow::fftw of CMake, or by users. A program with MSHADOW_STAND_ALONE has
/// none.
#if MSHADOW_STAND_ALONE
#undef MSHADOW_USE_FFTW
#endif
#ifndef MSHADOW_USE_FFTW
#define MSHADOW_USE_FFTW 0
#endif

// Files with FFTW and without may meet in one program: what transforms has names of its own in
// each.
#if !MSHADOW_USE_FFTW
#define MSHADOW_FFT_NAMESPACE MSHADOW_THREADS_NAMESPACE
#elif defined(_OPENMP)
#define MSHADOW_FFT_NAMESPACE with_fftw_and_openmp
#else
#define MSHADOW_FFT_NAMESPACE with_fftw_without_openmp
#endif

#if MSHADOW_USE_FFTW
#if !__has_include(<fftw3.h>)
#error "mshadow: MSHADOW_USE_FFTW=1, but there is no fftw3.h (Debian: libfftw3-dev)"
#endif
#include <fftw3.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../core/logging.h"

/// Plans of FFTW. Outside of namespace mshadow, whose names depend on the type of an index: there
/// is one lock in a program, since FFTW makes plans on one thread at a time.
namespace mshadow_fftw {

/// A kind of plan: the bits of `kind`, FFTW's dimensions, and those of lines side by side.
enum Kind { kForward, kBackward, kFromReal, kToReal };
struct Layout {
  std::ptrdiff_t kind, n, in_step, out_step;  // of a line
  std::ptrdiff_t outer, in_outer, out_outer;  // how many of blocks, and their steps
  std::ptrdiff_t inner;                       // how many lines of a block, side by side
  std::ptrdiff_t in_place, is_aligned;
  bool operator==(const Layout& other) const {
    return std::memcmp(this, &other, sizeof(Layout)) == 0;
  }
  std::ptrdiff_t InNumbers() const { return kind == kToReal ? n / 2 + 1 : n; }
  std::ptrdiff_t OutNumbers() const { return kind == kFromReal ? n / 2 + 1 : n; }
};

template <typename T>
struct Api;
#define MSHADOW_FFTW_API_(T, prefix)                              \
  template <>                                                     \
  struct Api<T> {                                                 \
    using Plan = prefix##plan;                                    \
    using Complex = prefix##complex;                              \
    using Dimension = prefix##iodim64;                            \
    static constexpr auto Malloc = prefix##malloc;                \
    static constexpr auto Free = prefix##free;                    \
    static constexpr auto AlignmentOf = prefix##alignment_of;     \
    static constexpr auto Destroy = prefix##destroy_plan;         \
    static constexpr auto ToComplex = prefix##plan_guru64_dft;    \
    static constexpr auto FromReal = prefix##plan_guru64_dft_r2c; \
    static constexpr auto ToReal = prefix##plan_guru64_dft_c2r;   \
    static constexpr auto Run = prefix##execute_dft;              \
    static constexpr auto RunFromReal = prefix##execute_dft_r2c;  \
    static constexpr auto RunToReal = prefix##execute_dft_c2r;    \
  };
MSHADOW_FFTW_API_(float, fftwf_)
MSHADOW_FFTW_API_(double, fftw_)
#undef MSHADOW_FFTW_API_

/// FFTW's planner, of both precisions. Never destroyed: threads may end after main does.
inline std::mutex& Planner() {
  static std::mutex* const planner = new std::mutex;
  return *planner;
}

/// What MSHADOW_FFTW in the environment asks for.
enum class Choice { kFaster, kBuiltin, kEstimate, kMeasure };
inline Choice ChosenByUser() {
  static const Choice choice = [] {
    const char* const text = std::getenv("MSHADOW_FFTW");
    if (text == nullptr) return Choice::kFaster;
    if (std::strcmp(text, "builtin") == 0) return Choice::kBuiltin;
    if (std::strcmp(text, "estimate") == 0) return Choice::kEstimate;
    return std::strcmp(text, "measure") == 0 ? Choice::kMeasure : Choice::kFaster;
  }();
  return choice;
}

template <typename T>
struct Plan {
  typename Api<T>::Plan plan;
  explicit Plan(typename Api<T>::Plan made) : plan(made) {}
  ~Plan() {
    const std::lock_guard<std::mutex> lock(Planner());
    if (plan != nullptr) Api<T>::Destroy(plan);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
};

/// A new plan. FFTW_MEASURE times transforms, which write into their arrays: it gets memory of its
/// own. FFTW_ESTIMATE only looks at the addresses. Called with Planner() locked.
template <typename T>
inline typename Api<T>::Plan MakePlan(const Layout& layout, void* in, void* out) {
  using A = Api<T>;
  using Complex = typename A::Complex;
  const typename A::Dimension line{layout.n, layout.in_step, layout.out_step};
  const typename A::Dimension side[2] = {{layout.outer, layout.in_outer, layout.out_outer},
                                         {layout.inner, 1, 1}};
  unsigned flags = FFTW_ESTIMATE;
  if (layout.is_aligned == 0) flags |= FFTW_UNALIGNED;
  void *in_memory = nullptr, *out_memory = nullptr;
  if (ChosenByUser() == Choice::kMeasure) {
    flags = (flags & ~static_cast<unsigned>(FFTW_ESTIMATE)) | FFTW_MEASURE;
    const auto allocate = [&](std::ptrdiff_t numbers, std::ptrdiff_t step, std::ptrdiff_t outer) {
      const std::ptrdiff_t count = (numbers - 1) * step + (layout.outer - 1) * outer + layout.inner;
      return A::Malloc(static_cast<std::size_t>(count) * sizeof(Complex));
    };
    in_memory = in = allocate(layout.InNumbers(), layout.in_step, layout.in_outer);
    out = layout.in_place != 0
              ? in
              : out_memory = allocate(layout.OutNumbers(), layout.out_step, layout.out_outer);
  }
  typename A::Plan plan = nullptr;
  if (in != nullptr && out != nullptr) {
    if (layout.kind == kFromReal) {
      plan = A::FromReal(1, &line, 2, side, static_cast<T*>(in), static_cast<Complex*>(out), flags);
    } else if (layout.kind == kToReal) {
      plan = A::ToReal(1, &line, 2, side, static_cast<Complex*>(in), static_cast<T*>(out), flags);
    } else {
      plan = A::ToComplex(1, &line, 2, side, static_cast<Complex*>(in), static_cast<Complex*>(out),
                          layout.kind == kForward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
    }
  }
  A::Free(in_memory);
  A::Free(out_memory);
  return plan;
}

/// The plan of this layout, of the last 64 that the program has asked for; the plan of null where
/// there is no memory.
template <typename T>
inline std::shared_ptr<const Plan<T>> PlanOf(const Layout& layout, void* in, void* out) {
  using Entry = std::pair<Layout, std::shared_ptr<const Plan<T>>>;
  constexpr std::size_t kKept = 64;
  static std::vector<Entry>* const plans = new std::vector<Entry>;
  std::shared_ptr<const Plan<T>> oldest;  // destroyed after the lock is gone
  const std::lock_guard<std::mutex> lock(Planner());
  for (std::size_t i = plans->size(); i-- > 0;) {
    if (!((*plans)[i].first == layout)) continue;
    const Entry found = (*plans)[i];
    plans->erase(plans->begin() + static_cast<std::ptrdiff_t>(i));
    plans->push_back(found);
    return found.second;
  }
  auto plan = std::make_shared<const Plan<T>>(MakePlan<T>(layout, in, out));
  if (plan->plan == nullptr) return plan;
  if (plans->size() == kKept) {
    oldest = plans->front().second;
    plans->erase(plans->begin());
  }
  plans->emplace_back(layout, plan);
  return plan;
}

}  // namespace mshadow_fftw
#endif  // MSHADOW_USE_FFTW
#endif  // MSHADOW_FFT_FFTW_H_
